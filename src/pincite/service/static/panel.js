// @ts-check
/** The evidence panel: the passage in its surroundings, the page as a picture, the sentence beside the source. */

import { get, picture, Problem } from "./api.js";
import { byId, el, fill, safeUrl, slice } from "./dom.js";
import { say } from "./answer.js";
import { PLACEHOLDERS, placeOf, stateOf, versionOf } from "./states.js";
import { t } from "./words.js";

/** @typedef {{answer: any, citation: any, view: string}} Shown */

export function makePanel(/** @type {(state: {c: string, view: string} | null) => void} */ remember) {
  const panel = byId("panel");
  let shown = /** @type {Shown | null} */ (null);
  let from = /** @type {HTMLElement | null} */ (null);

  const close = () => {
    panel.hidden = true;
    shown = null;
    remember(null);
    from?.focus();
    from = null;
  };

  /** @param {any} answer @param {string} id of a citation, or of a passage that was only read @param {string} [view] */
  const open = async (answer, id, view = "text") => {
    if (document.activeElement instanceof HTMLElement && !panel.contains(document.activeElement)) from = document.activeElement;
    const citation = answer.citations.find((/** @type {any} */ one) => one.id === id) || { id, chunk_id: id, spans: [], title: id, status: "" };
    shown = { answer, citation, view };
    panel.hidden = false;
    remember({ c: id, view });
    await draw();
    byId("panel-title").focus();
  };

  /** @param {number} step */
  const next = (step) => {
    if (!shown) return;
    const all = shown.answer.citations;
    if (!all.length) return;
    const at = all.findIndex((/** @type {any} */ one) => one.id === shown?.citation.id);
    void open(shown.answer, all[(at + step + all.length) % all.length].id, shown.view);
  };

  /** Go to the next marked place, or the one before. @param {number} step */
  const highlight = (step) => {
    const marks = [...panel.querySelectorAll("mark, .box")];
    if (!marks.length) return;
    const at = marks.findIndex((one) => one.classList.contains("current"));
    const next = marks[(at + step + marks.length) % marks.length];
    marks[at]?.classList.remove("current");
    next.classList.add("current");
    next.scrollIntoView({ block: "center" });
  };

  /** @param {string} view */
  const turn = async (view) => {
    if (!shown) return;
    shown.view = view;
    remember({ c: shown.citation.id, view });
    await draw();
  };

  async function draw() {
    if (!shown) return;
    const { answer, citation, view } = shown;
    const content = el("div.content", { tabindex: "0" });
    const state = citation.status ? stateOf(citation.status) : null;
    const boxes = citation.spans.flatMap((/** @type {any} */ span) => span.boxes || []);
    const tab = (/** @type {string} */ name, /** @type {string} */ label) =>
      el("button", { type: "button", role: "tab", "aria-selected": String(view === name), "aria-controls": "panel-content", text: label, onclick: () => turn(name) });
    content.id = "panel-content";
    content.setAttribute("role", "tabpanel");
    const original = safeUrl(citation.open_url);
    fill(
      panel,
      el(
        "header",
        {},
        el("h2", { id: "panel-title", tabindex: "-1", text: placeOf(citation), dir: "auto" }),
        el("div.tools", {},
          answer.citations.length > 1 ? el("button", { type: "button", "aria-label": t("Previous citation"), text: "‹", onclick: () => next(-1) }) : null,
          answer.citations.length > 1 ? el("button", { type: "button", "aria-label": t("Next citation"), text: "›", onclick: () => next(1) }) : null,
          el("button", { type: "button", "aria-label": t("Close the evidence"), text: "✕", onclick: close })),
      ),
      versionOf(citation) ? el("p.quiet", { text: versionOf(citation) }) : null,
      banner(citation),
      el("div.tabs", { role: "tablist", "aria-label": t("Views") }, tab("text", t("Text")), citation.page ? tab("page", t("Page")) : null, citation.exact !== undefined || citation.quote ? tab("compare", t("Compare")) : null),
      content,
      alsoSays(answer, citation, (id) => void open(answer, id, "text")),
      state ? el("p.verdict", {}, el(`span.badge.${citation.status}`, { text: `${state.sign || "✓"} ${state.word}` }), ` ${citation.reason || ""}`) : null,
      el("p.actions", {},
        original ? el("a.button", { href: original, target: "_blank", rel: "noopener noreferrer nofollow", text: t("Open original ↗") }) : null,
        citation.quote ? el("button", { type: "button", text: t("Copy quote"), onclick: () => navigator.clipboard.writeText(citation.quote_full || citation.quote) }) : null,
        answer.id && citation.status ? reportButton(answer.id, citation.id) : null),
    );
    try {
      if (view === "page" && citation.page) await drawPage(content, citation, boxes);
      else if (view === "compare") drawCompare(content, answer, citation);
      else await drawText(content, answer, citation);
    } catch (error) {
      fill(content, el("p.note", { role: "alert", text: t("This passage cannot be shown: {why}", { why: error instanceof Error ? error.message : String(error) }) }));
    }
  }

  return { open, close, next, turn, highlight, get shown() { return shown; } };
}

/** What became of the passage since it was cited. @param {any} citation @returns {HTMLElement | null} */
function banner(citation) {
  if (citation.tombstone) return null;
  const anchor = citation.now?.anchor || "same";
  const known = citation.now && citation.now.version !== citation.version ? ` (${[citation.version, citation.now.version].map((one) => one || "–").join(" → ")})` : "";
  /** @type {Record<string, string>} */
  const said = {
    moved: "This passage stands elsewhere in its document now. Its words are the same.",
    changed: "This passage was edited after the answer. What was cited is shown below.",
    gone: "This passage is no longer in its document. What was cited is shown below.",
  };
  if (!said[anchor]) return null;
  return el("div.banner", { role: "status" }, el("p", { text: t(said[anchor]) + known }), anchor === "moved" ? null : el("blockquote", { text: citation.quote_full || citation.quote, dir: "auto", lang: citation.language || false }));
}

/** @param {{state: string, at?: string}} tombstone @returns {string} */
function gone(tombstone) {
  if (tombstone.state === "removed") return t("This document was removed on {when}. Its words are not kept.", { when: (tombstone.at || "").slice(0, 10) });
  return t("You may not see this document.");
}

/** Other passages about the same: those that say otherwise first. @param {any} answer @param {any} citation @param {(id: string) => void} go @returns {HTMLElement | null} */
function alsoSays(answer, citation, go) {
  const ids = new Map();
  for (const conflict of answer.conflicts || []) {
    if (!conflict.citations.includes(citation.id)) continue;
    conflict.citations.forEach((/** @type {string} */ id, /** @type {number} */ place) => {
      if (id !== citation.id) ids.set(id, `≠ ${conflict.values[place]}`);
    });
  }
  for (const sentence of answer.sentences || []) {
    if (!sentence.citations.includes(citation.id)) continue;
    for (const id of [...sentence.citations, ...(sentence.backed_by || [])]) if (id !== citation.id && !ids.has(id)) ids.set(id, "");
  }
  const first = answer.first_id || 1;
  const items = [...ids].map(([id, note]) => {
    const cited = answer.citations.find((/** @type {any} */ one) => one.id === id);
    const read = (answer.retrieved || [])[Number(id.replace("c-", "")) - first];
    if (!cited && !read) return null;
    return el("li", { dir: "auto" }, el("button.link", { type: "button", text: cited ? placeOf(cited) : read.chunk_id, onclick: () => go(cited ? id : read.chunk_id) }), note ? ` ${note}` : null);
  });
  const shown = items.filter(Boolean);
  return shown.length ? el("section.also", {}, el("h3", { text: t("Also says") }), el("ul", {}, ...shown)) : null;
}

/** @param {HTMLElement} content @param {any} answer @param {any} citation */
async function drawText(content, answer, citation) {
  if (citation.tombstone) {
    fill(content, el("p.note", { text: gone(citation.tombstone) }));
    return;
  }
  let chunk = null;
  try {
    chunk = await passageOf(answer, citation);
  } catch (error) {
    // A passage that was edited since stands in the banner, as it was cited.
    if (!(error instanceof Problem && error.body.status === 404 && citation.quote)) throw error;
    if (citation.now && citation.now.anchor !== "same") return;
  }
  if (!chunk) {
    fill(content, el("blockquote", { text: citation.quote_full || citation.quote, dir: "auto" }));
    return;
  }
  const lang = chunk.language || false;
  const text = el("div.passage-text", { lang, dir: "auto" });
  let at = 0;
  const spans = (chunk.spans || citation.spans || []).filter((/** @type {any} */ one) => one.start !== null && one.end > one.start).sort((/** @type {any} */ a, /** @type {any} */ b) => a.start - b.start);
  for (const span of spans) {
    if (span.start < at) continue;
    text.append(slice(chunk.text, at, span.start), el("mark", {}, el("span.hidden", { text: `${t("cited passage starts:")} ` }), slice(chunk.text, span.start, span.end), el("span.hidden", { text: ` ${t("cited passage ends")}` })));
    at = span.end;
  }
  text.append(slice(chunk.text, at, Array.from(chunk.text).length));
  const path = (chunk.section_path || []).filter((/** @type {string} */ one) => !PLACEHOLDERS.includes(one));
  fill(
    content,
    path.length ? el("p.path", { text: path.join(" › "), dir: "auto" }) : null,
    ...(chunk.context?.before || []).map((/** @type {any} */ one) => el("div.around", { text: one.text, lang, dir: "auto" })),
    ...(chunk.context_texts || []).map((/** @type {string} */ one) => el("div.context", { text: one, lang, dir: "auto" })),
    text,
    ...(chunk.context?.after || []).map((/** @type {any} */ one) => el("div.around", { text: one.text, lang, dir: "auto" })),
  );
  content.querySelector("mark")?.scrollIntoView({ block: "center" });
}

/** A passage from the server, or from the sources of a report that were pasted. @param {any} answer @param {any} citation */
async function passageOf(answer, citation) {
  if (answer.sources) {
    const place = Number(citation.id.replace("c-", "")) - 1;
    const source = answer.sources[place];
    const text = typeof source === "string" ? source : source?.text || source?.content;
    return text === undefined ? null : { text, spans: citation.spans, context: null };
  }
  const known = citation.id.startsWith("c-") && answer.id ? `&answer=${encodeURIComponent(answer.id)}` : "";
  const id = known ? citation.id : citation.chunk_id;
  const chunk = await get(`/api/chunks/${encodeURIComponent(id)}?before=1&after=1${known}`);
  return known ? chunk : { ...chunk, spans: citation.spans }; // of an answer that is not kept only we know the places
}

/** @param {HTMLElement} content @param {any} citation @param {any[]} boxes */
async function drawPage(content, citation, boxes) {
  const pages = boxes.length ? [...new Set(boxes.map((one) => one.page_index))] : [citation.page.index];
  fill(content);
  for (const index of pages) {
    const image = el("img", { alt: t("Page {page} of {title}. The text view has the same words.", { page: String(index + 1), title: citation.title || citation.doc_id }), src: await picture(`/api/documents/${encodeURIComponent(citation.doc_id)}/pages/${index}.png?width=1000`) });
    const sheet = el("div.sheet-of-paper", { dir: "ltr" }, image);
    for (const box of boxes.filter((one) => one.page_index === index)) {
      const mark = el("span.box");
      mark.style.left = `${100 * box.x0}%`;
      mark.style.top = `${100 * box.y0}%`;
      mark.style.width = `${100 * (box.x1 - box.x0)}%`;
      mark.style.height = `${100 * (box.y1 - box.y0)}%`;
      sheet.append(mark);
    }
    content.append(el("p.quiet", { text: t("p. {page}", { page: String(citation.page.index === index ? citation.page.label || index + 1 : index + 1) }) }), sheet);
    if (!boxes.length) content.append(el("p.quiet", { text: t("The place on the page is not known; the text view marks the words.") }));
  }
  if (pages.length > 1) content.append(el("p.quiet", { text: t("The passage goes on over several pages.") }));
  content.querySelector(".box")?.scrollIntoView({ block: "center" });
}

/** @param {HTMLElement} content @param {any} answer @param {any} citation */
function drawCompare(content, answer, citation) {
  const sentences = answer.sentences.filter((/** @type {any} */ one) => one.citations.includes(citation.id));
  const source = citation.quote_full || citation.quote;
  fill(content);
  for (const sentence of sentences) {
    const check = sentence.checks.find((/** @type {any} */ one) => one.citation === citation.id);
    const differences = (check?.differences?.length ? check.differences : sentence.differences) || [];
    content.append(
      el("dl.compare", {}, el("dt", { text: t("The answer says") }), compared(sentence.text, source, differences.map((/** @type {any} */ one) => one.answer)), el("dt", { text: t("The source says") }), compared(source, sentence.text, differences.map((/** @type {any} */ one) => one.source))),
      differences.length
        ? el("ul.differences", {}, ...differences.map((/** @type {any} */ one) => el("li", { dir: "auto", text: `${t(one.kind)}: ${one.answer || t("nothing")} ≠ ${one.source || t("nothing")}` })))
        : el("p.quiet", { text: sentence.support === "supported" ? t("No figure, name or negation differs.") : sentence.reason }),
    );
  }
}

/** Words that the other side lacks are underlined, facts that differ boxed. @param {string} text @param {string} other @param {string[]} facts @returns {HTMLElement} */
function compared(text, other, facts) {
  const words = new Set(other.toLowerCase().match(/[\p{L}\p{N}]+/gu) || []);
  const node = el("dd", { dir: "auto" });
  let at = 0;
  const found = facts.filter(Boolean).map((fact) => ({ start: text.indexOf(fact), fact })).filter((one) => one.start >= 0).sort((a, b) => a.start - b.start);
  const plain = (/** @type {string} */ piece) => {
    for (const word of piece.split(/([\p{L}\p{N}]+)/u)) node.append(/^[\p{L}\p{N}]+$/u.test(word) && !words.has(word.toLowerCase()) ? el("u", { text: word }) : word);
  };
  for (const { start, fact } of found) {
    if (start < at) continue;
    plain(text.slice(at, start));
    node.append(el("strong.fact", { text: fact }));
    at = start + fact.length;
  }
  plain(text.slice(at));
  return node;
}

/** @param {string} answerId @param {string} citationId @returns {HTMLElement} */
function reportButton(answerId, citationId) {
  const place = el("span");
  place.append(el("button", { type: "button", text: t("Report wrong source"), onclick: () => void say(place, { answer_id: answerId, citation_id: citationId, reaction: "wrong_source" }) }));
  return place;
}
