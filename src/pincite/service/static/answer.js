// @ts-check
/** An answer as nodes: sentences with markers, the line under them, sources, what is not covered. */

import { post } from "./api.js";
import { el, fill, safeUrl } from "./dom.js";
import { pageOf, placeOf, sectionOf, shownStatus, stateOf, strengthOf, summaryOf, supportOf, versionOf } from "./states.js";
import { copyMenu } from "./copy.js";
import { t } from "./words.js";

const RIGHT_TO_LEFT = ["ar", "fa", "he", "ur"];

/** @typedef {{open: (citationId: string) => void, hover: (marker: HTMLElement, citation: any, sentence: any) => void, ask: (question: string) => void}} Does */

/**
 * @param {any} answer the canonical JSON @param {Does} does @returns {HTMLElement}
 */
export function answerView(answer, does) {
  const view = el("article.answer", { lang: answer.language || false, "aria-label": t("Answer") });
  if (answer.abstained) view.append(abstention(answer, does));
  else view.append(body(answer, does));
  if (!answer.abstained && (answer.uncovered_aspects || []).length) view.append(uncovered(answer, does));
  for (const note of answer.notes || []) if (!note.startsWith("[Note:")) view.append(el("p.quiet", { text: note, dir: "auto" }));
  if ((answer.removed || []).length) view.append(removed(answer));
  if ((answer.conflicts || []).length) view.append(conflicts(answer, does));
  if (!answer.abstained) view.append(summary(answer), sources(answer, does), actions(answer));
  return view;
}

/** @param {any} answer @param {Does} does @returns {HTMLElement} */
export function body(answer, does) {
  const chars = Array.from(answer.plain);
  const numbers = new Map(answer.citations.map((/** @type {any} */ one) => [one.id, one]));
  const prose = el("div.prose");
  let at = 0;
  for (const block of blocksOf(chars)) {
    // "auto" looks past items that have a direction of their own.
    const way = RIGHT_TO_LEFT.includes(answer.language) ? "rtl" : "ltr";
    const paragraph = el(block.list ? "ul" : "p", { dir: block.list ? way : "auto" });
    let target = block.list ? el("li", { dir: "auto" }) : paragraph;
    if (block.list) paragraph.append(target);
    const inside = answer.sentences.filter((/** @type {any} */ one) => one.start >= block.start && one.start < block.end);
    at = block.start;
    for (const sentence of inside) {
      const gap = chars.slice(at, sentence.start).join("");
      if (block.list && gap.includes("\n")) {
        target = el("li", { dir: "auto" });
        paragraph.append(target);
      } else if (gap && !(block.list && /^\s*[-*•]\s*$/.test(gap))) target.append(gap);
      target.append(sentenceView(sentence, chars, numbers, does));
      at = sentence.end;
    }
    if (at < block.end) target.append(chars.slice(at, block.end).join(""));
    prose.append(paragraph);
  }
  return prose;
}

/** Paragraphs and lists of a text, by place. @param {string[]} chars @returns {{start: number, end: number, list: boolean}[]} */
function blocksOf(chars) {
  const found = [];
  let start = 0;
  for (let at = 0; at <= chars.length; at++) {
    const blank = at === chars.length || (chars[at] === "\n" && chars[at + 1] === "\n");
    if (!blank) continue;
    if (at > start) found.push({ start, end: at, list: /^[-*•]\s/.test(chars.slice(start, start + 2).join("")) });
    start = at + 2;
    at += 1;
  }
  return found;
}

/** @param {any} sentence @param {string[]} chars @param {Map<string, any>} numbers @param {Does} does @returns {HTMLElement} */
function sentenceView(sentence, chars, numbers, does) {
  const node = el(`span.sentence${sentence.factual ? `.${sentence.support}` : ""}`, { "data-index": sentence.index });
  const cuts = [...(sentence.unsupported_words || []).map((/** @type {any} */ one) => [one.start, one.end])].sort((a, b) => a[0] - b[0]);
  const ids = sentence.pointers.filter((/** @type {any} */ one, /** @type {number} */ place, /** @type {any[]} */ all) => all.findIndex((other) => other.id === one.id && other.at === one.at) === place);
  // Behind the last word and before its full stop, wherever the model wrote it.
  const last = sentence.end - (/[.!?。！？]/.test(chars[sentence.end - 1] || "") ? 1 : 0);
  const places = ids.map((/** @type {any} */ one) => Math.min(Math.max(one.at, sentence.start), last));
  // ** opens and closes what is strong, if each that opens is closed.
  const emphasis = (sentence.text.match(/\*\*/g) || []).length % 2 === 0;
  let strong = false;
  const say = (/** @type {HTMLElement} */ into, /** @type {string} */ piece) => {
    const parts = emphasis ? piece.split("**") : [piece];
    parts.forEach((part, place) => {
      if (place) strong = !strong;
      if (part) into.append(strong ? el("strong", { text: part }) : part);
    });
  };
  let at = sentence.start;
  const upTo = (/** @type {number} */ end) => {
    while (at < end) {
      const cut = cuts.find(([start, stop]) => stop > at && start < end);
      if (!cut) {
        say(node, chars.slice(at, end).join(""));
        at = end;
      } else if (cut[0] > at) {
        say(node, chars.slice(at, cut[0]).join(""));
        at = cut[0];
      } else {
        const stop = Math.min(cut[1], end);
        const unborne = el("span.unborne", { title: t("Not in the source") });
        say(unborne, chars.slice(at, stop).join(""));
        node.append(unborne);
        at = stop;
      }
    }
  };
  ids.forEach((/** @type {any} */ pointer, /** @type {number} */ place) => {
    upTo(places[place]);
    node.append(marker(pointer, sentence, numbers, does));
  });
  upTo(sentence.end);
  if (sentence.factual && sentence.support === "partial") node.append(el("span.flag", { text: ` ${t("partly supported")}`, title: sentence.reason }));
  if (sentence.factual && sentence.support === "unchecked" && sentence.checks.length) node.append(el("span.flag", { text: ` ${t("not checked")}`, title: sentence.reason }));
  return node;
}

/** @param {any} pointer @param {any} sentence @param {Map<string, any>} numbers @param {Does} does @returns {HTMLElement} */
function marker(pointer, sentence, numbers, does) {
  const citation = numbers.get(pointer.id);
  const check = sentence.checks.find((/** @type {any} */ one) => one.citation === pointer.id);
  if (!citation) {
    const name = pointer.id.replace(/^c-/, "");
    return el("sup.marker.invalid", {}, el("span", { role: "img", "aria-label": t("Source {number} does not exist", { number: name }), text: `${name}×` }));
  }
  const status = shownStatus(check ? check.status : citation.status, sentence.support);
  const state = stateOf(status);
  const link = el("a", {
    href: `#source-${citation.id}`,
    id: `ref-${citation.id}-${sentence.index}`,
    role: "doc-noteref",
    "aria-label": `${t("Source {number}", { number: String(citation.n) })}, ${placeOf(citation)}, ${state.name}`,
    "data-citation": citation.id,
    text: `${citation.n}${state.sign}`,
    onclick: (/** @type {Event} */ event) => {
      event.preventDefault();
      // A finger has no hover: the first tap shows what a pointer shows by being there.
      if (event instanceof PointerEvent && event.pointerType === "touch") does.hover(link, citation, { sentence, check, status });
      else does.open(citation.id);
    },
    onfocus: () => does.hover(link, citation, { sentence, check, status }),
    onpointerenter: (/** @type {Event} */ event) => {
      if (!(event instanceof PointerEvent) || event.pointerType !== "touch") does.hover(link, citation, { sentence, check, status });
    },
  });
  return el(`sup.marker.${status}`, {}, el("bdi", {}, link));
}

/** @param {any} answer @returns {HTMLElement} */
function summary(answer) {
  const details = el("details.summary");
  details.append(el("summary", { text: [summaryOf(answer), strengthOf(answer.confidence_label)].filter(Boolean).join(" · ") }));
  const table = el("table", {}, el("thead", {}, el("tr", {}, ...["Sentence", "Says", "Why"].map((name) => el("th", { scope: "col", text: t(name) })))));
  const rows = el("tbody");
  for (const sentence of answer.sentences) {
    if (!sentence.factual) continue;
    rows.append(el("tr", {}, el("td", { text: sentence.text, dir: "auto" }), el("td", { text: supportOf(sentence.support) }), el("td", { text: sentence.reason })));
  }
  table.append(rows);
  const parts = el("dl.parts");
  for (const [name, value] of Object.entries(answer.confidence_parts || {})) {
    if (value === null) continue;
    parts.append(el("dt", { text: t(name.replaceAll("_", " ")) }), el("dd", { text: Number(value).toFixed(2) }));
  }
  details.append(table, el("p.quiet", { text: t("How the strength of the evidence was reckoned. A heuristic, not a probability.") }), parts);
  return details;
}

/** @param {any} answer @param {Does} does @returns {HTMLElement} */
function sources(answer, does) {
  const section = el("section.sources", { role: "doc-endnotes", "aria-label": t("Sources") });
  const cited = new Set(answer.citations.map((/** @type {any} */ one) => one.chunk_id));
  const also = (answer.retrieved || []).filter((/** @type {any} */ one) => !cited.has(one.chunk_id));
  section.append(el("h2", { text: t("Cited ({count})", { count: answer.citations.length }) }));
  const documents = new Map();
  for (const citation of answer.citations) documents.set(citation.doc_id, [...(documents.get(citation.doc_id) || []), citation]);
  const list = el("ol.documents");
  for (const [, citations] of documents) {
    const first = citations[0];
    const item = el("li", {}, el("p.title", { dir: "auto" }, el("strong", { text: first.tombstone ? placeOf(first) : first.title || first.doc_id }), versionOf(first) ? el("span.quiet", { text: ` ${versionOf(first)}` }) : null));
    const passages = el("ul");
    for (const citation of citations) passages.append(passage(citation, answer, does));
    item.append(passages);
    list.append(item);
  }
  section.append(list);
  if (also.length) {
    const rest = el("details", {}, el("summary", { text: t("Also read ({count})", { count: also.length }) }));
    rest.append(el("ul", {}, ...also.map((/** @type {any} */ hit) => el("li", {}, el("button.link", { type: "button", text: hit.chunk_id, onclick: () => does.open(hit.chunk_id) })))));
    section.append(rest);
  }
  return section;
}

/** @param {any} citation @param {any} answer @param {Does} does @returns {HTMLElement} */
function passage(citation, answer, does) {
  const state = stateOf(citation.status);
  const where = [sectionOf(citation), citation.page ? pageOf(citation) : ""].filter(Boolean).join(" · ");
  const back = answer.sentences
    .filter((/** @type {any} */ one) => one.citations.includes(citation.id))
    .map((/** @type {any} */ one, /** @type {number} */ place) => el("a.back", { href: `#ref-${citation.id}-${one.index}`, role: "doc-backlink", "aria-label": t("Back to the text, use {number}", { number: String(place + 1) }), text: "↩" }));
  const original = safeUrl(citation.open_url);
  return el(
    "li.passage",
    { id: `source-${citation.id}` },
    el("span.number", { text: `[${citation.n}]` }),
    el(`span.badge.${citation.status}`, { text: `${state.sign || "✓"} ${state.word}` }),
    el("span.quiet", { text: ` ${where} ` }),
    ...back,
    el("blockquote", { text: citation.quote, dir: "auto", lang: citation.language || false }),
    el("button.link", { type: "button", text: t("Open evidence"), onclick: () => does.open(citation.id) }),
    original ? el("a", { href: original, target: "_blank", rel: "noopener noreferrer nofollow", text: t("Open original ↗") }) : null,
  );
}

/** @param {any} answer @param {Does} does @returns {HTMLElement} */
function uncovered(answer, does) {
  const list = el("ul");
  for (const aspect of answer.uncovered_aspects) {
    list.append(el("li", { dir: "auto" }, aspect, " ", el("button.link", { type: "button", text: t("Search again for this"), onclick: () => does.ask(aspect) }), " ", el("a", { href: "/documents", text: t("Add a document") })));
  }
  return el("aside.uncovered", { role: "note" }, el("h2", { text: t("The sources do not cover") }), list);
}

/** @param {any} answer @returns {HTMLElement} */
function removed(answer) {
  const count = answer.removed.length;
  const details = el("details.removed", {}, el("summary", { text: t("{n} sentences removed: their sources do not say this", { n: count }) }));
  details.append(el("ul", {}, ...answer.removed.map((/** @type {any} */ one) => el("li", { dir: "auto" }, el("del", { text: one.text }), ` ${one.reason}`))));
  return details;
}

/** @param {any} answer @param {Does} does @returns {HTMLElement} */
function conflicts(answer, does) {
  const list = el("ul");
  for (const conflict of answer.conflicts) {
    const sides = conflict.values.map((/** @type {string} */ value, /** @type {number} */ place) => `${value}${conflict.dates[place] ? ` (${conflict.dates[place]})` : ""}`);
    list.append(el("li", { dir: "auto", text: `${sides.join(` ${t("against")} `)}. ${conflict.reason}` }));
  }
  return el("aside.conflicts", { role: "note" }, el("h2", { text: t("The sources do not agree") }), list);
}

/** @param {any} answer @param {Does} does @returns {HTMLElement} */
function abstention(answer, does) {
  const box = el("div.abstain", {}, el("h2", { text: t("Not in your sources") }), el("p", { text: answer.plain, dir: "auto" }), el("p", { text: answer.reason || "", dir: "auto" }));
  if ((answer.snippets || []).length) {
    box.append(el("h3", { text: t("Closest passages") }));
    box.append(
      el("ul.snippets", {}, ...answer.snippets.map((/** @type {any} */ one) =>
        el("li", { dir: "auto" }, el("button.link", { type: "button", text: one.title || one.doc_id, onclick: () => does.open(one.chunk_id) }), el("span.quiet", { text: ` ${one.why}` }), el("blockquote", { text: one.preview }))))
    );
  }
  const read = (answer.retrieved || []).length;
  box.append(
    el("h3", { text: t("What was looked for") }),
    el("p", { text: t("“{question}”, in {n} passages that came closest.", { question: answer.question, n: read }), dir: "auto" }),
    el("p.actions", {}, el("button", { type: "button", text: t("Ask another way"), onclick: () => does.ask("") }), el("a.button", { href: "/documents", text: t("Add a document") }), copyMenu(answer)),
  );
  return box;
}

/** @param {any} answer @returns {HTMLElement} */
function actions(answer) {
  const link = el("button", { type: "button", text: t("Copy link"), onclick: async () => {
    await navigator.clipboard.writeText(`${location.origin}/a/${answer.id}`);
    link.textContent = t("Link copied");
  } });
  return el("p.actions", {}, copyMenu(answer), answer.id ? link : null, answer.id ? verdictButtons(answer.id) : null);
}

/** What the reader thinks of it. @param {string} answerId @returns {HTMLElement} */
function verdictButtons(answerId) {
  const group = el("span.verdict-buttons");
  for (const [reaction, name] of [["helpful", "Helpful"], ["incomplete", "Not helpful"]]) {
    group.append(el("button", { type: "button", text: t(name), onclick: () => void say(group, { answer_id: answerId, reaction }) }));
  }
  return group;
}

/** Send it, and thank for it in its place. @param {HTMLElement} place @param {object} feedback */
export async function say(place, feedback) {
  try {
    await post("/api/feedback", feedback);
    fill(place, el("span.quiet", { role: "status", text: t("Noted, thank you.") }));
  } catch (error) {
    fill(place, el("span.quiet", { role: "alert", text: error instanceof Error ? error.message : String(error) }));
  }
}
