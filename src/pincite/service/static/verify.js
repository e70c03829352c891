// @ts-check
/** Checking an answer from anywhere: paste it with its sources. No documents, no model. */

import { answerView } from "./answer.js";
import { post } from "./api.js";
import { problemView } from "./ask.js";
import { announce, el, fill } from "./dom.js";
import { supportOf } from "./states.js";
import { t } from "./words.js";

const EXAMPLE = { answer: "Uploads may be 25 MB [1] and stay for 90 days [2].", sources: "Files up to 25 MB.\n---\nKept for 30 days." };

/** @param {HTMLElement} main @param {import("./main.js").Page} page */
export function verifyView(main, page) {
  document.title = `${t("Verify")} · pincite`;
  const answer = /** @type {HTMLTextAreaElement} */ (el("textarea", { id: "verify-answer", rows: "6", dir: "auto", placeholder: EXAMPLE.answer }));
  const sources = /** @type {HTMLTextAreaElement} */ (el("textarea", { id: "verify-sources", rows: "8", dir: "auto", placeholder: EXAMPLE.sources }));
  const result = el("div", { "aria-live": "polite" });
  const example = el("button", { type: "button", text: t("Fill in an example"), onclick: () => {
    answer.value = EXAMPLE.answer;
    sources.value = EXAMPLE.sources;
    answer.focus();
  } });
  const form = el("form.verify", { onsubmit: (/** @type {Event} */ event) => {
    event.preventDefault();
    void run();
  } },
    el("label", { for: "verify-answer", text: t("The answer, with its markers. JSON of a known framework is understood too.") }), answer,
    el("label", { for: "verify-sources", text: t("The sources, in the order of their numbers, with a line of three dashes between.") }), sources,
    el("p.actions", {}, el("button", { type: "submit", text: t("Check") }), example));
  fill(main, el("h1", { text: t("Check an answer") }), el("p", { text: t("Paste what another assistant answered, and the passages it was given. Nothing is kept and no model is asked.") }), form, result);

  async function run() {
    const texts = sources.value.split(/^\s*-{3,}\s*$/m).map((one) => one.trim()).filter(Boolean);
    let given = /** @type {any} */ (answer.value);
    try {
      const parsed = JSON.parse(answer.value);
      if (parsed && typeof parsed === "object") given = parsed;
    } catch {
      // It is a text, as most are.
    }
    fill(result, el("p.stage", { text: t("Checking…") }));
    try {
      const report = await post("/api/verify", { answer: given, ...(texts.length ? { sources: texts } : {}) });
      const shown = { ...report, sources: texts, notes: [], retrieved: [], removed: [], uncovered_aspects: [], abstained: false, confidence_label: "", text: given };
      page.current.answer = shown;
      const download = el("a.button", { download: "report.json", href: URL.createObjectURL(new Blob([JSON.stringify(report, null, 2)], { type: "application/json" })), text: t("Download the report") });
      fill(result, el("h2", { text: t(report.ok ? "Every citation holds" : "Not every citation holds") }), answerView(shown, { open: (id) => void page.panel.open(shown, id), hover: page.card.show, ask: () => answer.focus() }), findings(report), el("p.actions", {}, download));
      announce(t(report.ok ? "Every citation holds" : "Not every citation holds"));
    } catch (error) {
      fill(result, problemView(error));
    }
  }
}

/** @param {any} report @returns {HTMLElement} */
function findings(report) {
  const rows = report.sentences
    .filter((/** @type {any} */ one) => one.factual || one.checks.length)
    .map((/** @type {any} */ one) => el("li", {}, el(`span.badge.${one.support === "supported" ? "verified" : one.support === "contradicted" ? "contradicted" : "unverified"}`, { text: supportOf(one.support) }), " ", el("span", { text: one.text, dir: "auto" }), el("p.quiet", { text: one.reason, dir: "auto" })));
  return el("ul.findings", {}, ...rows);
}
