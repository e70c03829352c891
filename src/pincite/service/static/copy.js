// @ts-check
/** Answers for other places: Markdown with footnotes, HTML, plain text, JSON, CSL-JSON. */

import { announce, el, safeUrl } from "./dom.js";
import { placeOf, stateOf, versionOf } from "./states.js";
import { t } from "./words.js";

const FORMS = [
  ["Markdown", markdown],
  ["HTML", html],
  ["Plain text", plain],
  ["JSON", (/** @type {any} */ answer) => JSON.stringify(answer, null, 2)],
  ["CSL-JSON", csl],
];

/** @param {any} answer @returns {HTMLElement} */
export function copyMenu(answer) {
  const list = el("ul", { role: "list" });
  const menu = el("details.menu", {}, el("summary", { text: t("Copy") }), list);
  for (const [name, form] of FORMS) {
    list.append(
      el("li", {}, el("button", { type: "button", text: t(String(name)), onclick: async () => {
        const text = /** @type {(answer: any) => string} */ (form)(answer);
        try {
          if (name === "HTML" && "ClipboardItem" in window) {
            await navigator.clipboard.write([new ClipboardItem({ "text/html": new Blob([text], { type: "text/html" }), "text/plain": new Blob([plain(answer)], { type: "text/plain" }) })]);
          } else await navigator.clipboard.writeText(text);
          announce(t("Copied as {form}", { form: String(name) }));
        } catch {
          announce(t("The browser did not allow copying"));
        }
        menu.removeAttribute("open");
      } }))
    );
  }
  return menu;
}

/** Characters that Markdown reads. @param {string} text */
function escaped(text) {
  return text.replace(/\s+/g, " ").replace(/[\\`*_[\]<>#|~]/g, "\\$&");
}

/** @param {any} answer */
export function markdown(answer) {
  const body = answer.text.replace(/\[(\d+)\]/g, (/** @type {string} */ all, /** @type {string} */ number) => (answer.citations.some((/** @type {any} */ one) => String(one.n) === number) ? `[^${number}]` : all));
  const notes = answer.citations.map((/** @type {any} */ one) => {
    const url = safeUrl(one.source);
    return `[^${one.n}]: ${escaped(placeOf(one))}${versionOf(one) ? `, ${escaped(versionOf(one))}` : ""}${url ? ` <${url}>` : ""} (${stateOf(one.status).word}): “${escaped(one.quote)}”`;
  });
  return [body, ...notes].join("\n\n") + "\n";
}

/** @param {any} answer */
export function plain(answer) {
  const notes = answer.citations.map((/** @type {any} */ one) => `[${one.n}] ${placeOf(one)} (${stateOf(one.status).word}) ${one.source}\n    “${one.quote}”`);
  return [answer.text, ...notes].join("\n\n") + "\n";
}

/** @param {any} answer */
export function html(answer) {
  const box = el("div");
  for (const paragraph of answer.text.split(/\n\n+/)) {
    const node = el("p");
    let at = 0;
    for (const found of paragraph.matchAll(/\[(\d+)\]/g)) {
      node.append(paragraph.slice(at, found.index), el("sup", {}, el("a", { href: `#fn${found[1]}`, text: found[1] })));
      at = found.index + found[0].length;
    }
    node.append(paragraph.slice(at));
    box.append(node);
  }
  const list = el("ol");
  for (const one of answer.citations) {
    const url = safeUrl(one.source);
    list.append(el("li", { id: `fn${one.n}` }, url ? el("a", { href: url, text: placeOf(one) }) : placeOf(one), ` (${stateOf(one.status).word}): “${one.quote}”`));
  }
  box.append(list);
  return box.innerHTML;
}

/** @param {any} answer */
export function csl(answer) {
  const seen = new Set();
  const items = [];
  for (const one of answer.citations) {
    if (seen.has(one.doc_id)) continue;
    seen.add(one.doc_id);
    const date = (one.published_date || "").split("-").map(Number).filter(Boolean);
    items.push({
      id: one.doc_id,
      type: "document",
      title: one.title || one.doc_id,
      ...(safeUrl(one.source) ? { URL: one.source } : {}),
      ...(date.length ? { issued: { "date-parts": [date] } } : {}),
      ...(one.version ? { version: one.version } : {}),
      ...(one.language ? { language: one.language } : {}),
    });
  }
  return JSON.stringify(items, null, 2);
}
