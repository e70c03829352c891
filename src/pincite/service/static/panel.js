// @ts-check
/** The evidence panel: the passage in its surroundings, the page as a picture, the sentence beside the source. */

import { get, picture } from "./api.js";
import { byId, el, fill, safeUrl, slice } from "./dom.js";
import { placeOf, stateOf, versionOf } from "./states.js";

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
          answer.citations.length > 1 ? el("button", { type: "button", "aria-label": "Previous citation", text: "‹", onclick: () => next(-1) }) : null,
          answer.citations.length > 1 ? el("button", { type: "button", "aria-label": "Next citation", text: "›", onclick: () => next(1) }) : null,
          el("button", { type: "button", "aria-label": "Close the evidence", text: "✕", onclick: close })),
      ),
      versionOf(citation) ? el("p.quiet", { text: versionOf(citation) }) : null,
      citation.anchored && citation.anchored !== "same" ? el("p.banner", { role: "status", text: `This passage was edited after the answer (${citation.anchored}). What was cited is shown.` }) : null,
      el("div.tabs", { role: "tablist", "aria-label": "Views" }, tab("text", "Text"), citation.page ? tab("page", "Page") : null, citation.exact !== undefined || citation.quote ? tab("compare", "Compare") : null),
      content,
      state ? el("p.verdict", {}, el(`span.badge.${citation.status}`, { text: `${state.sign || "✓"} ${state.word}` }), ` ${citation.reason || ""}`) : null,
      el("p.actions", {},
        original ? el("a.button", { href: original, target: "_blank", rel: "noopener noreferrer nofollow", text: "Open original ↗" }) : null,
        citation.quote ? el("button", { type: "button", text: "Copy quote", onclick: () => navigator.clipboard.writeText(citation.quote_full || citation.quote) }) : null),
    );
    try {
      if (view === "page" && citation.page) await drawPage(content, citation, boxes);
      else if (view === "compare") drawCompare(content, answer, citation);
      else await drawText(content, answer, citation);
    } catch (error) {
      fill(content, el("p.note", { role: "alert", text: `This passage cannot be shown: ${error instanceof Error ? error.message : error}` }));
    }
  }

  return { open, close, next, turn, get shown() { return shown; } };
}

/** @param {HTMLElement} content @param {any} answer @param {any} citation */
async function drawText(content, answer, citation) {
  const chunk = await passageOf(answer, citation);
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
    text.append(slice(chunk.text, at, span.start), el("mark", {}, el("span.hidden", { text: "cited passage starts: " }), slice(chunk.text, span.start, span.end), el("span.hidden", { text: " :cited passage ends" })));
    at = span.end;
  }
  text.append(slice(chunk.text, at, Array.from(chunk.text).length));
  const path = (chunk.section_path || []).filter((/** @type {string} */ one) => one !== "Preamble" && one !== "Main");
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
  return get(`/api/chunks/${encodeURIComponent(id)}?before=1&after=1${known}`);
}

/** @param {HTMLElement} content @param {any} citation @param {any[]} boxes */
async function drawPage(content, citation, boxes) {
  const pages = boxes.length ? [...new Set(boxes.map((one) => one.page_index))] : [citation.page.index];
  fill(content);
  for (const index of pages) {
    const image = el("img", { alt: `Page ${index + 1} of ${citation.title || citation.doc_id}. The text view has the same words.`, src: await picture(`/api/documents/${encodeURIComponent(citation.doc_id)}/pages/${index}.png?width=1000`) });
    const sheet = el("div.sheet-of-paper", { dir: "ltr" }, image);
    for (const box of boxes.filter((one) => one.page_index === index)) {
      const mark = el("span.box");
      mark.style.left = `${100 * box.x0}%`;
      mark.style.top = `${100 * box.y0}%`;
      mark.style.width = `${100 * (box.x1 - box.x0)}%`;
      mark.style.height = `${100 * (box.y1 - box.y0)}%`;
      sheet.append(mark);
    }
    content.append(el("p.quiet", { text: `p. ${citation.page.index === index ? citation.page.label || index + 1 : index + 1}` }), sheet);
    if (!boxes.length) content.append(el("p.quiet", { text: "The place on the page is not known; the text view marks the words." }));
  }
  if (pages.length > 1) content.append(el("p.quiet", { text: "The passage goes on over several pages." }));
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
      el("dl.compare", {}, el("dt", { text: "The answer says" }), compared(sentence.text, source, differences.map((/** @type {any} */ one) => one.answer)), el("dt", { text: "The source says" }), compared(source, sentence.text, differences.map((/** @type {any} */ one) => one.source))),
      differences.length
        ? el("ul.differences", {}, ...differences.map((/** @type {any} */ one) => el("li", { dir: "auto", text: `${one.kind}: ${one.answer || "nothing"} ≠ ${one.source || "nothing"}` })))
        : el("p.quiet", { text: sentence.support === "supported" ? "No figure, name or negation differs." : sentence.reason }),
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
