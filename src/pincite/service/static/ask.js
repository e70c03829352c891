// @ts-check
/** Asking: the box, the answer as it is written, the answer as it was kept. */

import { answerView } from "./answer.js";
import { ask, get, Problem } from "./api.js";
import { announce, el, fill } from "./dom.js";
import { landed } from "./main.js";
import { PLACEHOLDERS, summaryOf } from "./states.js";
import { moment, t } from "./words.js";

/** @typedef {import("./main.js").Page} Page */

/** @param {HTMLElement} main @param {Page} page @param {string} id of a kept answer, or empty */
export async function askView(main, page, id) {
  const conversation = el("div.conversation");
  const field = /** @type {HTMLTextAreaElement} */ (el("textarea", { id: "question", rows: "2", dir: "auto", "aria-label": t("Your question"), placeholder: t("Ask about your documents…"), maxlength: "10000" }));
  const send = el("button", { type: "submit", text: t("Ask") });
  const form = el("form.ask", { onsubmit: (/** @type {Event} */ event) => {
    event.preventDefault();
    const question = field.value.trim();
    if (question) void run(question);
  } }, field, send);
  fill(main, el("h1.hidden", { text: t("Ask your documents") }), conversation, form);
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
      conversation.append(questionView(answer.question, t("Answered {when}", { when: moment(answer.created_at) })), answerView(answer, does));
    } catch (error) {
      conversation.append(problemView(error));
    }
  }

  /** Nothing asked yet: what is there, and what could be asked. */
  async function start() {
    try {
      const documents = await get("/api/documents?limit=3");
      if (!documents.items.length) {
        conversation.append(el("div.empty", {}, el("h2", { text: t("No documents yet") }), el("p", { text: t("Add some, then ask about them. Every sentence of an answer will show where it stands.") }), el("p.actions", {}, el("a.button", { href: "/documents", text: t("Add documents") }), el("a.button", { href: "/verify", text: t("Check an answer you already have") }))));
        return;
      }
      const examples = await topics(documents.items);
      if (conversation.childElementCount) return; // somebody was faster and has asked
      conversation.append(el("div.empty", {}, el("h2", { text: t("Ask your documents") }), el("p", { text: t("For instance:") }), el("ul.examples", {}, ...examples.map((topic) => {
        const question = /[?？؟]$/.test(topic) ? topic : t("What do the documents say about “{topic}”?", { topic });
        return el("li", { dir: "auto" }, el("button.link", { type: "button", text: question, onclick: () => does.ask(question) }));
      }))));
    } catch (error) {
      conversation.append(problemView(error, keyForm));
    }
  }

  /** @returns {HTMLElement} */
  function keyForm() {
    const input = /** @type {HTMLInputElement} */ (el("input", { type: "password", "aria-label": t("Key"), autocomplete: "off" }));
    return el("form", { onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      sessionStorage.setItem("key", input.value.trim());
      location.reload();
    } }, el("label", { text: `${t("Key")} ` }, input), el("button", { text: t("Use it") }));
  }

  /** @param {string} question */
  async function run(question) {
    stop?.abort();
    const mine = (stop = new AbortController());
    page.panel.shown && page.panel.close();
    conversation.querySelector(".empty")?.remove();
    field.value = "";
    const stage = el("p.stage", { text: t("Looking for passages…") });
    const cards = el("ul.reading");
    const prose = el("div.prose.writing");
    const halt = el("button", { type: "button", text: t("Stop"), onclick: () => mine.abort() });
    const turn = el("section.turn", {}, questionView(question, ""), el("div.answer", { "aria-busy": "true" }, stage, cards, prose, el("p.actions", {}, halt)));
    conversation.append(turn);
    turn.scrollIntoView({ block: "start" });
    announce(t("Answer being written"));
    const places = /** @type {Map<number, HTMLElement>} */ (new Map());

    /** @param {string} name @param {any} data */
    const hear = (name, data) => {
      if (name === "sources") {
        const documents = new Set(data.hits.map((/** @type {any} */ one) => one.doc_id));
        stage.textContent = `${t("Reading {n} passages", { n: data.hits.length })} ${t("from {n} documents", { n: documents.size })}`;
        fill(cards, ...[...documents].slice(0, 5).map((one) => el("li", { dir: "auto", text: data.hits.find((/** @type {any} */ hit) => hit.doc_id === one).title })));
      } else if (name === "stage" && data.stage === "repair" && data.state === "start") stage.textContent = t("A citation failed; that sentence is being rewritten (1 of 1 tries)");
      else if (name === "sentence" && data.state === "checked") {
        const node = el("p", { text: data.text, dir: "auto" });
        const after = [...places.keys()].filter((one) => one > data.index).sort((a, b) => a - b)[0];
        if (after === undefined) prose.append(node);
        else prose.insertBefore(node, places.get(after) || null);
        if (!places.has(data.index)) places.set(data.index, node);
      } else if (name === "reconnect") stage.textContent = t("Connection lost, resuming…");
      else if (name === "answer") {
        page.current.answer = data;
        previous = data.id;
        document.title = `${question} · pincite`;
        turn.lastElementChild?.replaceWith(answerView(data, does));
        announce(data.abstained ? t("Not in your sources") : `${t("Answer complete.")} ${summaryOf(data)}`);
        landed(data.id);
      } else if (name === "problem") failed(new Problem(data));
    };
    /** @param {unknown} error */
    const failed = (error) => {
      halt.remove();
      stage.remove();
      cards.remove();
      turn.lastElementChild?.append(problemView(error), evidence(error), el("p.actions", {}, el("button", { type: "button", text: t("Ask again"), onclick: () => void run(question) })));
      turn.lastElementChild?.setAttribute("aria-busy", "false");
    };
    try {
      await ask({ question, ...(previous ? { previous_id: previous } : {}), include: ["retrieved"] }, hear, mine.signal);
    } catch (error) {
      halt.remove();
      if (mine.signal.aborted) stage.textContent = t("Stopped. What was checked before is shown.");
      else failed(error);
    }
  }

  /** The passages that a model which failed would have read. @param {unknown} error @returns {HTMLElement | string} */
  function evidence(error) {
    const found = error instanceof Problem && Array.isArray(error.body.snippets) ? error.body.snippets : [];
    if (!found.length) return "";
    const shown = { citations: [], sentences: [], conflicts: [] };
    return el("section", {}, el("h3", { text: t("These passages match your question") }), el("ul.snippets", {}, ...found.map((one) => el("li", { dir: "auto" }, el("button.link", { type: "button", text: one.title || one.doc_id, onclick: () => void page.panel.open(shown, one.chunk_id) }), el("blockquote", { text: one.preview })))));
  }
}

/** A heading of each of the first documents: what they are about. @param {any[]} items @returns {Promise<string[]>} */
async function topics(items) {
  const found = [];
  for (const one of items) {
    const { sections } = await get(`/api/documents/${encodeURIComponent(one.doc_id)}`);
    const heading = sections.find((/** @type {string} */ name) => name !== one.title && !PLACEHOLDERS.includes(name));
    found.push((heading || one.title || one.doc_id).replace(/^["“«„]+|["”»“]+$/g, ""));
  }
  return found;
}

/** @param {string} question @param {string} when @returns {HTMLElement} */
function questionView(question, when) {
  return el("header.question", {}, el("h2", { text: question, dir: "auto" }), when ? el("p.quiet", { text: when }) : null);
}

/** @param {unknown} error @param {() => HTMLElement} [help] @returns {HTMLElement} */
export function problemView(error, help) {
  const body = error instanceof Problem ? error.body : { title: t("Something went wrong"), detail: error instanceof Error ? error.message : String(error) };
  const id = body.request_id ? el("p.quiet", {}, `${t("Request")} `, el("code", { text: String(body.request_id) })) : null;
  return el("div.problem", { role: "alert" }, el("h2", { text: body.title }), el("p", { text: body.detail }), id, body.status === 401 && help ? help() : null);
}
