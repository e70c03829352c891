// @ts-check
/** Asking: the box, the answer as it is written, the answer as it was kept. */

import { answerView } from "./answer.js";
import { ask, get, Problem } from "./api.js";
import { announce, el, fill } from "./dom.js";
import { landed } from "./main.js";

/** @typedef {import("./main.js").Page} Page */

/** @param {HTMLElement} main @param {Page} page @param {string} id of a kept answer, or empty */
export async function askView(main, page, id) {
  const conversation = el("div.conversation");
  const field = /** @type {HTMLTextAreaElement} */ (el("textarea", { id: "question", rows: "2", dir: "auto", "aria-label": "Your question", placeholder: "Ask about your documents…", maxlength: "10000" }));
  const send = el("button", { type: "submit", text: "Ask" });
  const form = el("form.ask", { onsubmit: (/** @type {Event} */ event) => {
    event.preventDefault();
    const question = field.value.trim();
    if (question) void run(question);
  } }, field, send);
  fill(main, el("h1.hidden", { text: "Ask your documents" }), conversation, form);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      form.dispatchEvent(new Event("submit", { cancelable: true }));
    }
  });
  const does = {
    open: (/** @type {string} */ one) => void page.panel.open(page.current.answer, one),
    hover: page.card.show,
    ask: (/** @type {string} */ question) => {
      field.value = question;
      field.focus();
    },
  };
  let stop = /** @type {AbortController | null} */ (null);
  let previous = "";

  if (id) {
    await kept();
  } else {
    await start();
    field.focus();
  }

  async function kept() {
    try {
      const answer = await get(`/api/answers/${encodeURIComponent(id)}`);
      page.current.answer = answer;
      previous = answer.id;
      document.title = `${answer.question} · pincite`;
      conversation.append(questionView(answer.question, `Answered ${new Date(answer.created_at).toLocaleString()}`), answerView(answer, does));
    } catch (error) {
      conversation.append(problemView(error));
    }
  }

  /** Nothing asked yet: what is there, and what could be asked. */
  async function start() {
    try {
      const documents = await get("/api/documents?limit=3");
      if (!documents.items.length) {
        conversation.append(el("div.empty", {}, el("h2", { text: "No documents yet" }), el("p", {}, "Add some, then ask about them. Every sentence of an answer will show where it stands."), el("p.actions", {}, el("a.button", { href: "/documents", text: "Add documents" }), el("a.button", { href: "/verify", text: "Check an answer you already have" }))));
        return;
      }
      const titles = documents.items.map((/** @type {any} */ one) => one.title || one.doc_id);
      conversation.append(el("div.empty", {}, el("h2", { text: "Ask your documents" }), el("p", { text: "For instance about:" }), el("ul", {}, ...titles.map((/** @type {string} */ title) => el("li", { dir: "auto" }, el("button.link", { type: "button", text: title, onclick: () => does.ask(title) }))))));
    } catch (error) {
      conversation.append(problemView(error, keyForm));
    }
  }

  /** @returns {HTMLElement} */
  function keyForm() {
    const input = /** @type {HTMLInputElement} */ (el("input", { type: "password", "aria-label": "Key", autocomplete: "off" }));
    return el("form", { onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      sessionStorage.setItem("key", input.value.trim());
      location.reload();
    } }, el("label", { text: "Key " }, input), el("button", { text: "Use it" }));
  }

  /** @param {string} question */
  async function run(question) {
    stop?.abort();
    const mine = (stop = new AbortController());
    page.panel.shown && page.panel.close();
    conversation.querySelector(".empty")?.remove();
    field.value = "";
    const stage = el("p.stage", { text: "Looking for passages…" });
    const cards = el("ul.reading");
    const prose = el("div.prose.writing");
    const halt = el("button", { type: "button", text: "Stop", onclick: () => mine.abort() });
    const turn = el("section.turn", {}, questionView(question, ""), el("div.answer", { "aria-busy": "true" }, stage, cards, prose, el("p.actions", {}, halt)));
    conversation.append(turn);
    turn.scrollIntoView({ block: "start" });
    announce("Answer being written");
    const places = /** @type {Map<number, HTMLElement>} */ (new Map());

    /** @param {string} name @param {any} data */
    const hear = (name, data) => {
      if (name === "sources") {
        const documents = new Set(data.hits.map((/** @type {any} */ one) => one.doc_id));
        stage.textContent = `Reading ${data.hits.length} passages from ${documents.size} document${documents.size === 1 ? "" : "s"}`;
        fill(cards, ...[...documents].slice(0, 5).map((one) => el("li", { dir: "auto", text: data.hits.find((/** @type {any} */ hit) => hit.doc_id === one).title })));
      } else if (name === "stage" && data.stage === "repair" && data.state === "start") stage.textContent = "A citation failed; that sentence is being rewritten (1 of 1 tries)";
      else if (name === "sentence" && data.state === "checked") {
        const node = el("p", { text: data.text, dir: "auto" });
        const after = [...places.keys()].filter((one) => one > data.index).sort((a, b) => a - b)[0];
        if (after === undefined) prose.append(node);
        else prose.insertBefore(node, places.get(after) || null);
        if (!places.has(data.index)) places.set(data.index, node);
      } else if (name === "reconnect") stage.textContent = "Connection lost, resuming…";
      else if (name === "answer") {
        page.current.answer = data;
        previous = data.id;
        document.title = `${question} · pincite`;
        turn.lastElementChild?.replaceWith(answerView(data, does));
        announce(data.abstained ? "Not in your sources" : `Answer complete. ${data.metrics.verified} citations verified`);
        landed(data.id);
      } else if (name === "problem") turn.lastElementChild?.append(problemView(new Problem(data)));
    };
    try {
      await ask({ question, ...(previous ? { previous_id: previous } : {}), include: ["retrieved"] }, hear, mine.signal);
    } catch (error) {
      halt.remove();
      if (mine.signal.aborted) stage.textContent = "Stopped. What was checked before is shown.";
      else turn.lastElementChild?.append(problemView(error));
    }
  }
}

/** @param {string} question @param {string} when @returns {HTMLElement} */
function questionView(question, when) {
  return el("header.question", {}, el("h2", { text: question, dir: "auto" }), when ? el("p.quiet", { text: when }) : null);
}

/** @param {unknown} error @param {() => HTMLElement} [help] @returns {HTMLElement} */
export function problemView(error, help) {
  const body = error instanceof Problem ? error.body : { title: "Something went wrong", detail: error instanceof Error ? error.message : String(error) };
  const id = body.request_id ? el("p.quiet", {}, "Request ", el("code", { text: String(body.request_id) })) : null;
  return el("div.problem", { role: "alert" }, el("h2", { text: body.title }), el("p", { text: body.detail }), id, body.status === 401 && help ? help() : null);
}
