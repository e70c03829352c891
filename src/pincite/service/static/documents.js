// @ts-check
/** Documents: what there is, what is being read, what failed and why. */

import { get, Problem, remove, upload, post } from "./api.js";
import { problemView } from "./ask.js";
import { announce, el, fill } from "./dom.js";
import { t } from "./words.js";

const STATES = { queued: "waiting", running: "being read", ready: "ready", ready_with_warnings: "ready, with warnings", failed: "failed", cancelled: "cancelled" };

/** @param {HTMLElement} main */
export async function documentsView(main) {
  document.title = `${t("Documents")} · pincite`;
  const list = el("tbody");
  const jobs = el("ul.jobs", { "aria-label": t("Uploads") });
  const input = /** @type {HTMLInputElement} */ (el("input", { type: "file", multiple: true, id: "files" }));
  const url = /** @type {HTMLInputElement} */ (el("input", { type: "url", placeholder: t("https://…"), "aria-label": t("Address of a page") }));
  const batch = el("p.quiet", { role: "status" });
  const drop = el("div.drop", {}, el("label", { for: "files", text: `${t("Choose files, or drop them here.")} ` }), input);
  const byUrl = el("form", { onsubmit: async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!url.value) return;
    await take(() => post("/api/documents", { url: url.value }), url.value);
    url.value = "";
  } }, el("label", { text: `${t("Or a page of the web:")} ` }), url, el("button", { text: t("Add") }));
  const table = el("table.documents", {}, el("thead", {}, el("tr", {}, ...["Title", "Kind", "Passages", "Language", "Level", "Added", "Remove"].map((name) => el("th", { scope: "col", text: t(name) })))), list);
  fill(main, el("h1", { text: t("Documents") }), drop, byUrl, batch, jobs, el("div.scroll", { tabindex: "0", role: "region", "aria-label": t("Documents") }, table));
  input.addEventListener("change", () => void add([...(input.files || [])]));
  for (const name of ["dragover", "drop"]) {
    drop.addEventListener(name, (event) => {
      event.preventDefault();
      if (event instanceof DragEvent && name === "drop") void add([...(event.dataTransfer?.files || [])]);
    });
  }
  let limits = { max_upload_bytes: Infinity, suffixes: /** @type {string[]} */ ([]) };
  try {
    limits = await get("/api/config");
    input.setAttribute("accept", limits.suffixes.join(","));
    await listed();
    const before = await get("/api/jobs");
    for (const job of before.items) if (job.state === "failed" || job.state === "queued" || job.state === "running") jobs.append(jobView(job));
  } catch (error) {
    main.append(problemView(error));
  }

  /** @param {File[]} files */
  async function add(files) {
    const wanted = [];
    for (const file of files) {
      const suffix = file.name.slice(file.name.lastIndexOf(".")).toLowerCase();
      if (!limits.suffixes.includes(suffix)) refuse(file.name, t("Files of this kind are not read. Known: {kinds}", { kinds: limits.suffixes.join(" ") }));
      else if (file.size > limits.max_upload_bytes) refuse(file.name, t("The file is larger than {size} MB.", { size: Math.round(limits.max_upload_bytes / 1e6) }));
      else wanted.push(file);
    }
    input.value = "";
    let read = 0;
    const tell = () => {
      batch.textContent = wanted.length > 1 ? t("{n} of {all} files read", { n: read, all: wanted.length }) : "";
    };
    tell();
    await Promise.all(wanted.map(async (file) => {
      await take(() => upload(file), file.name);
      read += 1;
      tell();
    }));
  }

  /** @param {string} name @param {string} why */
  function refuse(name, why) {
    jobs.prepend(jobView({ name, state: "failed", warnings: [], problem: { detail: why } }));
  }

  /** @param {() => Promise<any>} send @param {string} name @param {HTMLElement} [before] what it takes the place of */
  async function take(send, name, before) {
    let shown = jobView({ name, state: "queued", warnings: [], problem: null });
    if (before) before.replaceWith(shown);
    else jobs.prepend(shown);
    const update = (/** @type {any} */ job) => {
      const next = jobView({ ...job, name });
      if (job.state === "queued" && job.job_id) next.append(button("Cancel", name, () => void remove(`/api/jobs/${job.job_id}`).catch(() => undefined)));
      if (job.state === "failed" || job.state === "cancelled") next.append(button("Try again", name, () => void take(send, name, next)));
      shown.replaceWith(next);
      shown = next;
    };
    try {
      let job = await send();
      while (job.state === "queued" || job.state === "running") {
        update(job);
        await new Promise((resolve) => setTimeout(resolve, 400));
        job = await get(`/api/jobs/${job.job_id}`);
      }
      update(job);
      announce(`${name}: ${t(STATES[/** @type {keyof typeof STATES} */ (job.state)])}`);
      await listed();
    } catch (error) {
      update({ state: "failed", warnings: [], problem: { detail: error instanceof Problem ? error.body.detail : String(error) } });
    }
  }

  async function listed() {
    /** @type {any[]} */
    const items = [];
    let cursor = "";
    do {
      const page = await get(`/api/documents?limit=500${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`);
      items.push(...page.items);
      cursor = page.next_cursor || "";
    } while (cursor);
    fill(list, ...items.map(row));
    if (!items.length) fill(list, el("tr", {}, el("td", { colspan: "7", text: t("No documents yet.") })));
  }

  /** @param {any} one @returns {HTMLElement} */
  function row(one) {
    const gone = el("button.link", { type: "button", text: t("Remove"), "aria-label": t("Remove {title}", { title: one.title || one.doc_id }), onclick: async () => {
      if (!confirm(t("Remove “{title}” for good? Answers that quote it will show that it was removed.", { title: one.title || one.doc_id }))) return;
      await remove(`/api/documents/${encodeURIComponent(one.doc_id)}`);
      await listed();
    } });
    const title = one.has_content ? el("a", { href: `/api/documents/${encodeURIComponent(one.doc_id)}/content`, target: "_blank", rel: "noopener", text: one.title || one.doc_id, dir: "auto" }) : el("span", { text: one.title || one.doc_id, dir: "auto" });
    return el("tr", {}, el("td", {}, title, one.status !== "current" ? el("span.flag", { text: ` ${one.status}` }) : null), el("td", { text: one.format }), el("td", { text: String(one.chunk_count) }), el("td", { text: one.language || "" }), el("td", { text: one.access_level || "" }), el("td.date", { text: one.added_at.slice(0, 10) }), el("td", {}, gone));
  }
}

/** @param {any} job @returns {HTMLElement} */
function jobView(job) {
  const word = t(STATES[/** @type {keyof typeof STATES} */ (job.state)] || job.state);
  const why = job.problem ? [job.problem.detail, job.problem.hint].filter(Boolean).join(" – ") : (job.warnings || []).join(" ");
  return el(`li.job.${job.state}`, {}, el("strong", { text: job.name, dir: "auto" }), el("span", { text: ` ${word}` }), why ? el("p.quiet", { text: why, dir: "auto" }) : null);
}

/** @param {string} word @param {string} name of the file @param {() => void} does @returns {HTMLElement} */
function button(word, name, does) {
  return el("button.link", { type: "button", text: t(word), "aria-label": `${t(word)}: ${name}`, onclick: does });
}
