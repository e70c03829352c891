// @ts-check
/** Answers that were given. */

import { get } from "./api.js";
import { problemView } from "./ask.js";
import { el, fill } from "./dom.js";
import { strengthOf } from "./states.js";
import { moment, t } from "./words.js";

const FILTERS = [
  ["", "all"],
  ["unverified", "with unverified citations"],
  ["removed", "with removed sentences"],
  ["abstained", "not in the sources"],
];

/** @param {HTMLElement} main @param {import("./main.js").Page} page */
export async function historyView(main, page) {
  document.title = `${t("History")} · pincite`;
  const words = /** @type {HTMLInputElement} */ (el("input", { type: "search", "aria-label": t("Words in question or answer"), placeholder: t("words in question or answer") }));
  const filter = /** @type {HTMLSelectElement} */ (el("select", { "aria-label": t("Which answers") }, ...FILTERS.map(([value, text]) => el("option", { value, text: t(text) }))));
  const rows = el("tbody");
  const more = el("button", { type: "button", text: t("Older ones"), hidden: true });
  let cursor = "";
  fill(
    main,
    el("h1", { text: t("History") }),
    el("p", {}, el("a", { href: "/reviews", text: t("What waits for a decision") })),
    el("form.filters", { onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      void list(true);
    } }, words, filter, el("button", { text: t("Show") })),
    el("div.scroll", { tabindex: "0", role: "region", "aria-label": t("Answers") }, el("table", {}, el("thead", {}, el("tr", {}, ...["Time", "Question", "Outcome", "Verified", "Evidence"].map((name) => el("th", { scope: "col", text: t(name) })))), rows)),
    more,
  );
  filter.addEventListener("change", () => void list(true));
  more.addEventListener("click", () => void list(false));
  await list(true);

  /** @param {boolean} anew */
  async function list(anew) {
    const query = new URLSearchParams({ limit: "50" });
    if (words.value) query.set("q", words.value);
    if (filter.value) query.set("status", filter.value);
    if (!anew && cursor) query.set("cursor", cursor);
    try {
      const found = await get(`/api/answers?${query}`);
      if (anew) fill(rows);
      for (const one of found.items) {
        rows.append(el("tr", {}, el("td", { text: moment(one.created_at) }), el("td", {}, el("a", { href: `/a/${encodeURIComponent(one.id)}`, text: one.question, dir: "auto" })), el("td", { text: t(one.answer_status.toLowerCase()) }), el("td", { text: `${one.verified}/${one.verified + one.unverified}` }), el("td", { text: strengthOf(one.confidence_label) })));
      }
      if (anew && !found.items.length) fill(rows, el("tr", {}, el("td", { colspan: "5", text: t("No answers.") })));
      cursor = found.next_cursor || "";
      more.hidden = !cursor;
    } catch (error) {
      main.append(problemView(error));
    }
  }
}
