// @ts-check
/** The page: which view an address shows, keys, colours. */

import { makeCard } from "./card.js";
import { byId, el, fill } from "./dom.js";
import { makePanel } from "./panel.js";
import { askView } from "./ask.js";
import { documentsView } from "./documents.js";
import { historyView } from "./history.js";
import { verifyView } from "./verify.js";
import { LANGUAGES, language, speak, t } from "./words.js";

/** @typedef {{panel: ReturnType<typeof makePanel>, card: ReturnType<typeof makeCard>, current: {answer: any}, go: (path: string) => void}} Page */

const current = { answer: /** @type {any} */ (null) };
const panel = makePanel((state) => {
  const url = new URL(location.href);
  url.searchParams.delete("c");
  url.searchParams.delete("view");
  if (state) {
    url.searchParams.set("c", state.c);
    url.searchParams.set("view", state.view);
  }
  if (url.href !== location.href) history.pushState(null, "", url);
});
const card = makeCard((id) => current.answer && panel.open(current.answer, id));

/** @type {Page} */
const page = { panel, card, current, go };

/** @param {string} path */
function go(path) {
  history.pushState(null, "", path);
  void show();
}

let shownPath = "";

async function show() {
  const path = location.pathname;
  const name = path === "/verify" ? "verify" : path === "/documents" ? "documents" : path === "/history" ? "history" : path === "/reviews" ? "reviews" : /^\/evals(\/|$)/.test(path) ? "evals" : "ask";
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("data-page") === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const query = new URLSearchParams(location.search);
  if (path === shownPath && path !== "/" && current.answer) {
    const id = query.get("c");
    if (id) await panel.open(current.answer, id, query.get("view") || "text");
    else if (panel.shown) panel.close();
    return;
  }
  shownPath = path;
  card.close();
  byId("panel").hidden = true;
  current.answer = null;
  const main = byId("main");
  if (name === "verify") verifyView(main, page);
  else if (name === "documents") await documentsView(main);
  else if (name === "history") await historyView(main, page);
  else if (name === "reviews") await (await import("./reviews.js")).reviewsView(main);
  else if (name === "evals") await (await import("./evals.js")).evalsView(main, page, path.split("/").slice(2).filter(Boolean).map(decodeURIComponent));
  else await askView(main, page, path.startsWith("/a/") ? decodeURIComponent(path.slice(3)) : "");
  if (current.answer && query.get("c")) await panel.open(current.answer, String(query.get("c")), query.get("view") || "text");
}

/** An answer was finished: its address becomes the page's. @param {string} id */
export function landed(id) {
  shownPath = `/a/${id}`;
  history.pushState(null, "", shownPath);
}

document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  const href = link?.getAttribute("href") || "";
  if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || !href.startsWith("/") || href.startsWith("/api") || href.startsWith("/static")) return;
  event.preventDefault();
  go(href);
});
addEventListener("popstate", () => void show());

// --- keys -----------------------------------------------------------------------------------------

const KEYS = [
  ["/", "go to the question"],
  ["1 – 9", "open that citation"],
  ["] and [", "next and previous citation"],
  ["t, p, d", "text, page, compare"],
  ["o", "open the original"],
  ["n and N", "next and previous marked place"],
  ["e", "evidence of the first citation, or close it"],
  ["c", "copy the answer"],
  ["u", "documents"],
  ["h", "history"],
  ["Esc", "close card, panel or list; stop writing"],
  ["?", "this list"],
];

function showKeys() {
  const off = el("input", { type: "checkbox" });
  if (off instanceof HTMLInputElement) {
    off.checked = localStorage.getItem("keys") !== "off";
    off.addEventListener("change", () => localStorage.setItem("keys", off.checked ? "on" : "off"));
  }
  const dialog = el("dialog", { "aria-label": t("Keyboard shortcuts") }, el("h2", { text: t("Keys") }), el("dl", {}, ...KEYS.flatMap(([keys, does]) => [el("dt", {}, el("kbd", { text: keys })), el("dd", { text: t(does) })])), el("label", {}, off, ` ${t("Single keys do something")}`), el("form", { method: "dialog" }, el("button", { text: t("Close") })));
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  if (dialog instanceof HTMLDialogElement) dialog.showModal();
}

document.addEventListener("keydown", (event) => {
  const target = event.target;
  const typing = target instanceof HTMLElement && (target.matches("input, textarea, select") || target.isContentEditable);
  if (event.key === "Escape" && panel.shown && !document.querySelector("dialog[open]")) {
    panel.close();
    return;
  }
  if (typing || event.ctrlKey || event.metaKey || event.altKey || localStorage.getItem("keys") === "off") return;
  const done = key(event.key);
  if (done) event.preventDefault();
});

/** @param {string} pressed @returns {boolean} */
function key(pressed) {
  const answer = current.answer;
  if (pressed === "/") {
    const field = document.getElementById("question");
    field?.focus();
    return Boolean(field);
  }
  if (pressed === "?") showKeys();
  else if (pressed === "u") go("/documents");
  else if (pressed === "h") go("/history");
  else if (/^[1-9]$/.test(pressed) && answer) {
    const citation = answer.citations.find((/** @type {any} */ one) => one.n === Number(pressed));
    if (citation) void panel.open(answer, citation.id);
  } else if ((pressed === "]" || pressed === "[") && panel.shown) panel.next(pressed === "]" ? 1 : -1);
  else if (pressed === "t" && panel.shown) void panel.turn("text");
  else if (pressed === "p" && panel.shown) void panel.turn("page");
  else if (pressed === "d" && panel.shown) void panel.turn("compare");
  else if ((pressed === "n" || pressed === "N") && panel.shown) panel.highlight(pressed === "n" ? 1 : -1);
  else if (pressed === "e" && panel.shown) panel.close();
  else if (pressed === "e" && answer?.citations.length) void panel.open(answer, answer.citations[0].id);
  else if (pressed === "c" && answer) {
    const menus = document.querySelectorAll(".menu");
    const menu = menus[menus.length - 1];
    menu?.setAttribute("open", "");
    menu?.querySelector("button")?.focus();
  } else if (pressed === "o" && panel.shown) {
    const link = byId("panel").querySelector("a[target=_blank]");
    if (link instanceof HTMLElement) link.click();
  } else return false;
  return true;
}

byId("keys").addEventListener("click", showKeys);

// --- colours --------------------------------------------------------------------------------------

const THEMES = ["auto", "light", "dark"];

/** @param {string} theme */
function paint(theme) {
  document.documentElement.dataset.theme = theme;
  byId("theme").setAttribute("aria-label", t(theme === "light" ? "Colours: light" : theme === "dark" ? "Colours: dark" : "Colours: as the system"));
}

byId("theme").addEventListener("click", () => {
  const next = THEMES[(THEMES.indexOf(localStorage.getItem("theme") || "auto") + 1) % THEMES.length];
  localStorage.setItem("theme", next);
  paint(next);
});

// --- language -------------------------------------------------------------------------------------

const chosen = /** @type {HTMLSelectElement} */ (byId("language"));
for (const [code, name] of Object.entries(LANGUAGES)) chosen.append(el("option", { value: code, lang: code, text: name }));
chosen.addEventListener("change", () => {
  localStorage.setItem("language", chosen.value);
  location.reload();
});

await speak();
chosen.value = language();
paint(localStorage.getItem("theme") || "auto");
void show();
