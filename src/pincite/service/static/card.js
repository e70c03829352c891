// @ts-check
/** The card at a marker: on hover, focus and tap. It holds nothing that is not elsewhere too. */

import { el, fill, safeUrl } from "./dom.js";
import { placeOf, stateOf, versionOf } from "./states.js";
import { t } from "./words.js";

const OPEN_AFTER = 150;
const CLOSE_AFTER = 300;

/** @param {(citationId: string) => void} open */
export function makeCard(open) {
  const card = el("div.card", { popover: "manual", role: "dialog", "aria-label": t("Source") });
  document.body.append(card);
  let timer = 0;
  let anchor = /** @type {HTMLElement | null} */ (null);

  const close = () => {
    clearTimeout(timer);
    if (card.matches(":popover-open")) card.hidePopover();
    anchor = null;
  };
  const leave = () => {
    clearTimeout(timer);
    timer = window.setTimeout(close, CLOSE_AFTER);
  };
  const stay = () => clearTimeout(timer);

  /** @param {HTMLElement} marker @param {any} citation @param {{sentence: any, check: any, status: string}} about */
  const show = (marker, citation, about) => {
    clearTimeout(timer);
    const focused = document.activeElement === marker;
    timer = window.setTimeout(() => {
      anchor = marker;
      fill(card, ...content(citation, about, open, close));
      card.showPopover();
      place(card, marker);
    }, focused ? 0 : OPEN_AFTER);
    marker.onpointerleave = (event) => {
      if (event.pointerType !== "touch") leave();
    };
    marker.onblur = () => {
      if (!card.contains(document.activeElement)) leave();
    };
  };
  card.addEventListener("pointerenter", stay);
  card.addEventListener("pointerleave", leave);
  card.addEventListener("focusin", stay);
  document.addEventListener("pointerdown", (event) => {
    if (anchor && event.target instanceof Node && !card.contains(event.target) && !anchor.contains(event.target)) close();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && card.matches(":popover-open")) {
      const marker = anchor;
      close();
      marker?.focus();
      clearTimeout(timer);
      event.stopPropagation();
    }
  }, true);
  window.addEventListener("scroll", () => {
    if (anchor) place(card, anchor);
  }, { passive: true });
  return { show, close };
}

/** Under the marker, or over it where there is more room. @param {HTMLElement} card @param {HTMLElement} marker */
function place(card, marker) {
  if (matchMedia("(max-width: 40rem)").matches) {
    card.classList.add("sheet");
    card.style.removeProperty("left");
    card.style.removeProperty("top");
    return;
  }
  card.classList.remove("sheet");
  const at = marker.getBoundingClientRect();
  const size = card.getBoundingClientRect();
  const left = Math.max(8, Math.min(at.left, innerWidth - size.width - 8));
  const below = at.bottom + 6;
  const top = below + size.height > innerHeight && at.top > size.height ? at.top - size.height - 6 : below;
  card.style.left = `${left}px`;
  card.style.top = `${Math.max(8, top)}px`;
}

/** @param {any} citation @param {{sentence: any, check: any, status: string}} about @param {(id: string) => void} open @param {() => void} close @returns {HTMLElement[]} */
function content(citation, about, open, close) {
  const state = stateOf(about.status);
  const original = safeUrl(citation.open_url);
  const same = (about.check && about.check.reason) || citation.reason;
  return [
    el("p.title", { dir: "auto" }, el("strong", { text: placeOf(citation) }), versionOf(citation) ? el("span.quiet", { text: ` ${versionOf(citation)}` }) : null),
    el(`p.badge.${about.status}`, { text: `${state.sign || "✓"} ${state.word}` }),
    el("blockquote", { text: `“${citation.quote}”`, dir: "auto", lang: citation.language || false }),
    el("p.quiet", { text: same, dir: "auto" }),
    el(
      "p.actions",
      {},
      el("button", { type: "button", text: t("Open evidence"), onclick: () => {
        close();
        open(citation.id);
      } }),
      original ? el("a.button", { href: original, target: "_blank", rel: "noopener noreferrer nofollow", text: t("Open original ↗") }) : el("span"),
      el("button", { type: "button", text: t("Copy quote"), onclick: () => navigator.clipboard.writeText(citation.quote_full || citation.quote) }),
    ),
  ];
}
