// @ts-check
/** What people should look at, and their decisions. */

import { get, post } from "./api.js";
import { problemView } from "./ask.js";
import { announce, el, fill } from "./dom.js";
import { moment, t } from "./words.js";

/** @param {string} reason */
function told(reason) {
  if (reason === "contradicted") return t("contradicted");
  if (reason === "unsupported") return t("not supported by its source");
  if (reason === "partial") return t("partly supported");
  if (reason === "withheld") return t("was withheld");
  if (reason === "wrong_claim") return t("a reader says the sentence is wrong");
  if (reason === "wrong_source") return t("a reader says the source is wrong");
  if (reason === "incomplete") return t("a reader says it is incomplete");
  if (reason === "low_confidence") return t("low confidence");
  return t("citation not verified");
}

/** @param {HTMLElement} main */
export async function reviewsView(main) {
  document.title = `${t("Review")} · pincite`;
  const items = el("div");
  fill(main, el("h1", { text: t("Review") }), items);
  try {
    const found = await get("/api/reviews?access=confidential");
    if (!found.items.length) fill(items, el("p", { text: t("Nothing waits for a decision.") }));
    for (const one of found.items) items.append(itemView(one));
  } catch (error) {
    main.append(problemView(error));
  }
}

/** @param {any} item */
function itemView(item) {
  const note = /** @type {HTMLInputElement} */ (el("input", { type: "text", maxlength: "5000", "aria-label": t("Note"), placeholder: t("Note") }));
  const buttons = [["right", t("right")], ["wrong", t("wrong")], ["unclear", t("unclear")]].map(([decision, text]) => el("button", { type: "button", text, onclick: () => void decide(decision || "") }));
  const view = el(
    "section",
    { "aria-label": item.question },
    el("h2", {}, el("a", { href: `/a/${encodeURIComponent(item.answer_id)}`, text: item.question, dir: "auto" })),
    el("p", {}, el("strong", { text: item.reasons.map(told).join(", ") }), ` · ${moment(item.created_at)}`),
    el("p", { text: item.text, dir: "auto" }),
    item.quote || item.source ? el("blockquote", { dir: "auto" }, item.quote ? `“${item.quote}” ` : "", el("cite", { text: item.source })) : null,
    item.why ? el("p.note", { text: item.why, dir: "auto" }) : null,
    el("p.decide", {}, note, ...buttons),
  );
  return view;

  /** @param {string} decision */
  async function decide(decision) {
    try {
      await post(`/api/reviews/${encodeURIComponent(item.id)}?access=confidential`, { decision, note: note.value });
      view.remove();
      announce(t("Decided."));
    } catch (error) {
      view.append(problemView(error));
    }
  }
}
