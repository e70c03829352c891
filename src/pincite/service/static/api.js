// @ts-check
/** The HTTP interface as functions. Every error is a `Problem`. */

import { t } from "./words.js";

/** @typedef {{type?: string, title: string, status?: number, detail: string, request_id?: string, [more: string]: unknown}} ProblemBody */

export class Problem extends Error {
  /** @param {ProblemBody} body */
  constructor(body) {
    super(body.detail || body.title);
    this.body = body;
  }
}

/** @returns {Record<string, string>} */
function keyHeader() {
  const key = sessionStorage.getItem("key");
  return key ? { Authorization: `Bearer ${key}` } : {};
}

/**
 * @param {string} path @param {RequestInit} [options] @returns {Promise<Response>}
 */
async function send(path, options = {}) {
  let response;
  try {
    response = await fetch(path, { ...options, headers: { ...keyHeader(), ...(options.headers || {}) } });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Problem({ title: t("No connection"), detail: t("The server cannot be reached. Is it still running?") });
  }
  if (response.ok) return response;
  let body;
  try {
    body = await response.json();
  } catch {
    body = { title: t("Error {status}", { status: String(response.status) }), detail: t("The server gave no reason.") };
  }
  throw new Problem(body);
}

/** @param {string} path @returns {Promise<any>} */
export async function get(path) {
  return (await send(path)).json();
}

/** @param {string} path @param {unknown} body @returns {Promise<any>} */
export async function post(path, body) {
  return (await send(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) })).json();
}

/** @param {string} path */
export async function remove(path) {
  await send(path, { method: "DELETE" });
}

/** @param {File} file @returns {Promise<any>} */
export async function upload(file) {
  const form = new FormData();
  form.append("file", file);
  return (await send("/api/documents", { method: "POST", body: form })).json();
}

/** @param {string} path @returns {Promise<string>} an address for an <img>, to be revoked */
export async function picture(path) {
  return URL.createObjectURL(await (await send(path)).blob());
}

/** Fetch a file with the key, and hand it to the browser to save. @param {string} path @param {string} name */
export async function download(path, name) {
  const url = URL.createObjectURL(await (await send(path)).blob());
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

const TRIES = 3;

/**
 * Ask, and hear each event. A connection that breaks is taken up again behind the last event.
 * @param {object} body @param {(name: string, data: any) => void} hear @param {AbortSignal} signal
 */
export async function ask(body, hear, signal) {
  let last = "";
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      const response = await send("/chat", {
        method: "POST",
        signal,
        headers: { "Content-Type": "application/json", Accept: "text/event-stream", ...(last ? { "Last-Event-ID": last } : {}) },
        body: JSON.stringify({ ...body, stream: true }),
      });
      for await (const event of events(response)) {
        last = event.id || last;
        hear(event.name, event.data);
        if (event.name === "done") return;
      }
    } catch (error) {
      if (signal.aborted || error instanceof Problem && error.body.status) throw error;
    }
    hear("reconnect", {});
    await new Promise((resolve) => setTimeout(resolve, 500 * (tries + 1)));
  }
  throw new Problem({ title: t("The connection was lost"), detail: t("What came before is shown. Ask again for the rest.") });
}

/** @param {Response} response @returns {AsyncGenerator<{id: string, name: string, data: any}>} */
async function* events(response) {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    let end;
    while ((end = text.indexOf("\n\n")) >= 0) {
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      const event = { id: "", name: "", data: /** @type {any} */ (null) };
      for (const line of block.split("\n")) {
        if (line.startsWith("id: ")) event.id = line.slice(4);
        else if (line.startsWith("event: ")) event.name = line.slice(7);
        else if (line.startsWith("data: ")) event.data = JSON.parse(line.slice(6));
      }
      if (event.name) yield event;
    }
  }
}
