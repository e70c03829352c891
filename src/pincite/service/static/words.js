// @ts-check
/** Every visible word of the page, in the language of its reader. The English text is the key. */

export const LANGUAGES = { en: "English", ar: "العربية", ja: "日本語" };

/** A text, or its plural forms by the names of `Intl.PluralRules`. @typedef {string | Record<string, string>} Entry */

/** English itself needs words for one only. @type {Record<string, Entry>} */
const ENGLISH = {
  "{n} sentences removed: their sources do not say this": { one: "1 sentence removed: its source does not say this" },
  "{n} sentences removed": { one: "1 sentence removed" },
  "“{question}”, in {n} passages that came closest.": { one: "“{question}”, in 1 passage that came closest." },
  "Reading {n} passages": { one: "Reading 1 passage" },
  "from {n} documents": { one: "from 1 document" },
  "{n} of {all} files read": {},
  "{n} rules hold": { one: "1 rule holds" },
};

let locale = "en";
/** @type {Record<string, Entry>} */
let words = ENGLISH;

/** Choose the language: what was chosen before, else the browser's, else English. */
export async function speak() {
  const wanted = [localStorage.getItem("language") || "", ...navigator.languages].map((one) => one.slice(0, 2));
  locale = wanted.find((one) => one in LANGUAGES) || "en";
  if (locale !== "en") words = (await import(`./words-${locale}.js`)).default;
  document.documentElement.lang = locale;
  document.documentElement.dir = locale === "ar" ? "rtl" : "ltr";
  for (const node of document.querySelectorAll("[data-t]")) node.textContent = t(node.getAttribute("data-t") || "");
  for (const node of document.querySelectorAll("[data-t-label]")) node.setAttribute("aria-label", t(node.getAttribute("data-t-label") || ""));
}

/** @returns {string} */
export function language() {
  return locale;
}

/**
 * A text of the page. `{name}` stands for a value; `n` chooses the plural form.
 * @param {string} text @param {Record<string, string | number>} [values] @returns {string}
 */
export function t(text, values = {}) {
  const entry = words[text] ?? ENGLISH[text] ?? text;
  const form = typeof entry === "string" ? entry : (entry[new Intl.PluralRules(locale).select(Number(values.n))] ?? entry.other ?? text);
  return form.replace(/\{(\w+)\}/g, (all, /** @type {string} */ name) => {
    const value = values[name];
    return value === undefined ? all : typeof value === "number" ? value.toLocaleString(locale) : value;
  });
}

/** A moment as the reader writes it. @param {string} iso @returns {string} */
export function moment(iso) {
  return new Date(iso).toLocaleString(locale);
}

/** A share as the reader writes it, a dash for none. @param {number | null | undefined} share @returns {string} */
export function percent(share) {
  if (share === null || share === undefined) return "–";
  return share.toLocaleString(locale, { style: "percent", maximumFractionDigits: 1 });
}
