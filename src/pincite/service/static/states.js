// @ts-check
/** What each state of a citation looks like and is called. Never colour alone: a sign, a shape and a word. */

import { t } from "./words.js";

/** @typedef {{sign: string, word: string, name: string}} State */

/** @type {Record<string, State>} */
export const STATES = {
  verified: { sign: "", word: "verified", name: "verified" },
  paraphrased: { sign: "≈", word: "paraphrased", name: "paraphrased" },
  contradicted: { sign: "≠", word: "contradicted", name: "the source says otherwise" },
  misattributed: { sign: "↷", word: "wrong source", name: "said by another source" },
  not_checkable: { sign: "?", word: "could not be checked", name: "could not be checked" },
  unverified: { sign: "⚑", word: "not verified", name: "could not be verified" },
  invalid: { sign: "×", word: "no such source", name: "does not exist" },
  checking: { sign: "…", word: "being checked", name: "being checked" },
};

/** @param {string} status @returns {State} */
export function stateOf(status) {
  const { sign, word, name } = STATES[status] || STATES.unverified;
  return { sign, word: t(word), name: t(name) };
}

/** A green look needs a good citation and a supported sentence. @param {string} status @param {string} support @returns {string} */
export function shownStatus(status, support) {
  const good = status === "verified" || status === "paraphrased";
  return good && support && support !== "supported" ? "unverified" : status;
}

/** Sections of documents that have none. */
export const PLACEHOLDERS = ["Preamble", "Main"];

/** @param {any} citation @returns {string} its section, as it is written */
export function sectionOf(citation) {
  return citation.section && !PLACEHOLDERS.includes(citation.section) ? `§ ${citation.section}` : "";
}

/** @param {any} citation @returns {string} its page */
export function pageOf(citation) {
  return t("p. {page}", { page: citation.page.label || String(citation.page.index + 1) });
}

/** @param {any} citation @returns {string} where it stands, for people */
export function placeOf(citation) {
  if (citation.tombstone) return t("A source that is not available any more");
  const parts = [citation.title || citation.doc_id];
  if (sectionOf(citation)) parts.push(sectionOf(citation));
  if (citation.page) parts.push(pageOf(citation));
  return parts.join(" · ");
}

/** @param {any} citation @returns {string} */
export function versionOf(citation) {
  const parts = [];
  if (citation.version) parts.push(`v${citation.version}`);
  if (citation.published_date) parts.push(citation.published_date);
  const status = citation.now?.document_status ?? citation.document_status;
  if (status && status !== "current") parts.push(t("no longer current"));
  return parts.join(", ");
}

/** @param {any} answer @returns {string} the line under an answer, in words */
export function summaryOf(answer) {
  const { verified, unverified } = answer.metrics;
  const all = verified + unverified;
  const parts = [];
  if (all) parts.push(unverified ? `⚑ ${t("{bad} of {all} citations could not be verified", { bad: unverified, all })}` : `✓ ${t("{good} of {all} citations verified", { good: verified, all })}`);
  const paraphrased = answer.citations.filter((/** @type {any} */ one) => one.status === "paraphrased").length;
  if (paraphrased) parts.push(`≈ ${t("{count} paraphrased", { count: paraphrased })}`);
  const removed = (answer.removed || []).length;
  if (removed) parts.push(t("{n} sentences removed", { n: removed }));
  return parts.join(" · ");
}

const STRENGTH = { HIGH: "strong evidence", MEDIUM: "partial evidence", LOW: "weak evidence" };

/** @param {string} label @returns {string} */
export function strengthOf(label) {
  const word = STRENGTH[/** @type {keyof typeof STRENGTH} */ (label)];
  return word ? t(word) : "";
}

const SUPPORT = { supported: "supported", partial: "partly supported", contradicted: "the source says otherwise", unsupported: "not in the source", unchecked: "not checked" };

/** @param {string} support of a sentence @returns {string} */
export function supportOf(support) {
  return t(SUPPORT[/** @type {keyof typeof SUPPORT} */ (support)] || support);
}
