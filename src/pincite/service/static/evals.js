// @ts-check
/** Evaluations: the runs and their trend, one run, and one answer of it. */

import { answerView } from "./answer.js";
import { download, get, post, Problem, remove } from "./api.js";
import { problemView } from "./ask.js";
import { bars, dots, trend } from "./charts.js";
import { announce, el, fill } from "./dom.js";
import { supportOf } from "./states.js";
import { moment, percent, t } from "./words.js";

/** What is shown over runs: figures that say most in the fewest lines. */
const MAIN = ["coverage", "precision", "answer_correct", "abstain_recall"];
const SLICE_METRICS = 4;
const MAX_SHOWN = 200;
const FORMS = [["html", "HTML"], ["markdown", "Markdown"], ["junit", "JUnit"], ["json", "JSON"]];
const SUFFIXES = { html: "html", markdown: "md", junit: "xml", json: "json" };

/** @param {HTMLElement} main @param {import("./main.js").Page} page @param {string[]} place the id of a run, and perhaps of an item */
export async function evalsView(main, page, place) {
  document.title = `${t("Evaluations")} · pincite`;
  fill(main, el("p.stage", { role: "status", text: t("Loading…") }));
  try {
    if (!place.length) await listView(main, page);
    else {
      const run = await get(`/api/evals/${encodeURIComponent(place[0])}`);
      const item = place.length > 1 ? run.items.find((/** @type {any} */ one) => one.id === place[1]) : null;
      if (place.length > 1) itemView(main, page, run, place[1], item);
      else runView(main, run);
    }
  } catch (error) {
    fill(main, el("h1", { text: t("Evaluations") }), problemView(error));
  }
}

// --- all runs -------------------------------------------------------------------------------------

/** @param {HTMLElement} main @param {import("./main.js").Page} page */
async function listView(main, page) {
  const found = await get("/api/evals?limit=100");
  const runs = found.items;
  const start = found.may_start ? startView(runs, found.running, page) : null;
  if (!runs.length) {
    fill(main, el("h1", { text: t("Evaluations") }), el("div.empty", {}, el("h2", { text: t("No evaluation yet") }), el("p", { text: t("An evaluation asks questions with known answers and counts what comes back.") }), el("p", {}, el("code", { text: "pincite eval golden.jsonl" }))), start);
    return;
  }
  const shown = MAIN.filter((name) => runs.some((/** @type {any} */ one) => valueOf(one, name) !== null));
  const over = [...runs].reverse().map((/** @type {any} */ one) => ({ when: moment(one.created_at), values: shown.map((name) => valueOf(one, name)) }));
  const rows = runs.map((/** @type {any} */ one) => el("tr", {}, el("td", {}, el("a", { href: `/evals/${encodeURIComponent(one.id)}`, text: moment(one.created_at) }), el("div.quiet", { text: [one.judge, one.model, (one.git_sha || "").slice(0, 9)].filter(Boolean).join(" · "), dir: "auto" })), el("td", {}, verdictBadge(one.passed), one.items === undefined ? null : el("div.quiet", { text: t("{failed} of {all} failed", { failed: one.failed, all: one.items }) })), ...shown.map((name) => el("td.number", { text: percent(valueOf(one, name)) }))));
  const head = el("tr", {}, el("th", { scope: "col", text: t("Time") }), el("th", { scope: "col", text: t("Gate") }), ...shown.map((name) => el("th.number", { scope: "col", text: name })));
  fill(main, el("h1", { text: t("Evaluations") }), el("div.scroll", { tabindex: "0", role: "region", "aria-label": t("Evaluations") }, el("table.runs", {}, el("thead", {}, head), el("tbody", {}, ...rows))), shown.length ? section(t("Over the runs"), trend(t("Main metrics"), shown, over)) : null, start);
}

/** @param {any} run @param {string} name @returns {number | null} */
function valueOf(run, name) {
  return run.metrics[name]?.value ?? null;
}

/** @param {boolean | null} passed @returns {HTMLElement} */
function verdictBadge(passed) {
  if (passed === null || passed === undefined) return el("span.badge.not_checkable", { text: t("no gate") });
  return passed ? el("span.badge.verified", { text: `✓ ${t("passed")}` }) : el("span.badge.unverified", { text: `✗ ${t("not passed")}` });
}

/** Starting a run, and following one. @param {any[]} runs @param {any} running @param {import("./main.js").Page} page @returns {HTMLElement} */
function startView(runs, running, page) {
  const file = /** @type {HTMLInputElement} */ (el("input", { type: "file", id: "golden", accept: ".jsonl" }));
  const baseline = /** @type {HTMLSelectElement} */ (el("select", { id: "baseline" }, el("option", { value: "", text: t("none") }), ...runs.map((one) => el("option", { value: one.id, text: moment(one.created_at) }))));
  const state = el("div", { role: "status" });
  const begin = el("button", { type: "submit", text: t("Evaluate") });
  const form = el("form.start", { onsubmit: async (/** @type {Event} */ event) => {
    event.preventDefault();
    try {
      const golden = file.files?.length ? await itemsOf(file.files[0]) : "samples";
      await follow(await post("/api/evals", { golden, ...(baseline.value ? { baseline: baseline.value } : {}) }));
    } catch (error) {
      fill(state, problemView(error));
    }
  } }, el("h2", { text: t("A new evaluation") }), el("p", {}, el("label", { for: "golden", text: `${t("Golden file (JSONL); without one the shipped questions about the samples are asked")} ` }), file), el("p", {}, el("label", { for: "baseline", text: `${t("Compare with")} ` }), baseline), el("p.actions", {}, begin), state);
  if (running) void follow(running);
  return form;

  /** @param {any} job */
  async function follow(job) {
    begin.setAttribute("disabled", "");
    const bar = el("progress", { "aria-label": t("Evaluation") });
    const words = el("span");
    const halt = el("button", { type: "button", text: t("Stop"), onclick: () => void remove(`/api/jobs/${job.job_id}`).catch(() => undefined) });
    fill(state, el("p.actions", {}, bar, words, halt));
    try {
      while (job.state === "queued" || job.state === "running") {
        if (job.total) {
          bar.setAttribute("max", String(job.total));
          bar.setAttribute("value", String(job.done));
          words.textContent = t("{done} of {all} questions", { done: job.done, all: job.total });
        }
        await new Promise((resolve) => setTimeout(resolve, 400));
        if (!form.isConnected) return;
        job = await get(`/api/jobs/${job.job_id}`);
      }
      if (job.run_id) {
        announce(t("The evaluation is done."));
        page.go(`/evals/${encodeURIComponent(job.run_id)}`);
      } else fill(state, job.problem ? problemView(new Problem(job.problem)) : el("p", { text: t("Stopped.") }));
    } catch (error) {
      fill(state, problemView(error));
    }
    begin.removeAttribute("disabled");
  }
}

/** @param {File} file @returns {Promise<any[]>} */
async function itemsOf(file) {
  const lines = (await file.text()).split("\n").map((line, at) => ({ line: line.replace(/^\ufeff/, "").trim(), at: at + 1 })).filter((one) => one.line);
  return lines.map(({ line, at }) => {
    try {
      return JSON.parse(line);
    } catch {
      throw new Problem({ title: t("This is no golden file"), detail: t("Line {line} is not JSON.", { line: at }) });
    }
  });
}

// --- one run --------------------------------------------------------------------------------------

/** @param {HTMLElement} main @param {any} run */
function runView(main, run) {
  const deltas = run.baseline?.deltas || {};
  const changed = changesOf(run);
  const failed = run.items.filter((/** @type {any} */ one) => !one.passed);
  const good = run.items.length - failed.length;
  const passed = run.gate ? run.gate.passed : null;
  const forms = el("p.actions", {}, el("span", { text: `${t("Download the report")}:` }), ...FORMS.map(([form, name]) => el("button", { type: "button", text: name, onclick: () => void download(`/api/evals/${encodeURIComponent(run.run.id)}${form === "json" ? "" : `?format=${form}`}`, `${run.run.id}.${SUFFIXES[/** @type {keyof typeof SUFFIXES} */ (form)]}`) })));
  const about = [moment(run.run.created_at), run.run.judge, run.run.model, (run.run.git_sha || "").slice(0, 9), run.baseline ? t("against {run}", { run: run.baseline.run_id }) : ""].filter(Boolean).join(" · ");
  fill(
    main,
    el("p", {}, el("a", { href: "/evals", text: `← ${t("Evaluations")}` })),
    el("h1", { text: `${t("Evaluation")} ${run.run.id}` }),
    el("p.verdict", {}, verdictBadge(passed), " ", el("span", { text: t("{good} of {all} questions were answered rightly.", { good, all: run.items.length }) })),
    el("p.quiet", { text: about, dir: "auto" }),
    forms,
    run.gate?.rules.length ? section(t("Gate"), ...gateView(run, run.gate.rules)) : null,
    section(t("Metrics"), bars(t("Metrics and targets"), Object.entries(run.metrics).map(([name, one]) => shareOf(name, one))), run.baseline ? table([t("Metric"), t("Value"), t("Change in points"), t("Significant")], Object.entries(deltas).map(([name, one]) => [name, percent(run.metrics[name]?.value ?? null), pointsOf(one, run.metrics[name]?.lower_is_better), one.significant === null ? "–" : one.significant ? t("yes") : t("no")])) : null),
    run.baseline ? section(t("Questions that changed"), changed.length ? el("p", { text: t("{worse} became wrong, {better} became right, {other} changed in single metrics.", { worse: changed.filter((one) => one.way === 0).length, better: changed.filter((one) => one.way === 1).length, other: changed.filter((one) => one.way === 2).length }) }) : el("p", { text: t("No question is right in one run and wrong in the other.") }), ...changed.slice(0, MAX_SHOWN).map((one) => changeView(run, one))) : null,
    failed.length ? section(`${t("Questions that failed")} (${failed.length})`, el("ul.failed", {}, ...failed.slice(0, MAX_SHOWN).map((/** @type {any} */ one) => failedView(run, one)))) : null,
    ...slicesOf(run),
    sensitiveView(run),
    run.errors.length ? section(t("Without a result"), table([t("Question"), t("Step"), t("Why")], run.errors.slice(0, MAX_SHOWN).map((/** @type {any} */ one) => [one.id, one.stage, one.detail]))) : null,
    Object.keys(run.config_diff).length ? section(t("Settings that differ"), table([t("Setting"), t("Before"), t("Now")], Object.entries(run.config_diff).map(([name, [before, now]]) => [name, before ?? "–", now ?? "–"]))) : null,
  );
}

/** @param {string} title @param {...(Node | null)} children @returns {HTMLElement} */
function section(title, ...children) {
  return el("section", { "aria-label": title }, el("h2", { text: title }), ...children);
}

/** @param {string[]} heads @param {string[][]} rows @returns {HTMLElement} */
function table(heads, rows) {
  return el("div.scroll", { tabindex: "0", role: "group", "aria-label": heads.join(", ") }, el("table", {}, el("thead", {}, el("tr", {}, ...heads.map((text) => el("th", { scope: "col", text })))), el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map((text) => el("td", { text, dir: "auto" })))))));
}

/** @param {string} name @param {any} metric @returns {import("./charts.js").Share} */
function shareOf(name, metric) {
  const interval = metric?.ci95 ? { low: metric.ci95[0], high: metric.ci95[1] } : {};
  return { name, value: metric?.value ?? null, ...interval, target: metric?.target ?? null, missed: metric?.meets_target === false };
}

/** Broken rules, and those that hold one click away. @param {any} run @param {any[]} rules @returns {(HTMLElement | null)[]} */
function gateView(run, rules) {
  const rows = (/** @type {any[]} */ some, /** @type {string} */ sign) => table([t("Metric"), t("Rule"), t("Found")], some.map((rule) => [`${sign} ${rule.metric}`, ruleOf(rule, run.metrics[rule.metric]?.lower_is_better), foundOf(rule)]));
  const [broken, held] = [rules.filter((rule) => !rule.passed), rules.filter((rule) => rule.passed)];
  return [broken.length ? rows(broken, "✗") : null, held.length ? el("details", {}, el("summary", { text: `✓ ${t("{n} rules hold", { n: held.length })}` }), rows(held, "✓")) : null];
}

/** @param {any} rule @param {boolean} falls whether less is better @returns {string} what it asks for */
function ruleOf(rule, falls) {
  if (rule.rule === "max_drop") return t("may get worse by {limit} points", { limit: rule.limit });
  if (rule.rule === "max_drop_significant") return t("may not get significantly worse by more than {limit} points", { limit: rule.limit });
  if (rule.rule === "target" && falls) return t("at most {limit}", { limit: percent(rule.limit) });
  if (rule.rule === "comparable") return t("must be about the same");
  return rule.rule === "target" ? t("target {limit}", { limit: percent(rule.limit) }) : t("nothing without a result");
}

/** @param {any} rule @returns {string} */
function foundOf(rule) {
  if (rule.reason) return rule.reason;
  if (rule.value === null) return "–";
  return rule.rule === "target" ? percent(rule.value) : rule.value.toFixed(2);
}

/** @param {any} delta @param {boolean} falls whether less is better @returns {string} */
function pointsOf(delta, falls) {
  if (delta.points === null) return t("missing on one side");
  if (Math.abs(delta.points) < 0.05) return "= 0";
  const rose = delta.points > 0;
  return `${rose ? "▲ +" : "▼ −"}${Math.abs(delta.points).toFixed(1)} (${rose !== Boolean(falls) ? t("better") : t("worse")})`;
}

/** @typedef {{id: string, before: any, now: any, metrics: string[], way: number}} Change `way`: 0 became wrong, 1 became right, 2 changed in single metrics */

/** Items that flipped, those that became wrong first. @param {any} run @returns {Change[]} */
function changesOf(run) {
  const metrics = new Map(Object.keys(run.baseline_items).map((id) => [id, /** @type {string[]} */ ([])]));
  for (const [name, delta] of Object.entries(run.baseline?.deltas || {})) for (const id of delta.flipped) metrics.set(id, [...(metrics.get(id) || []), name]);
  const current = new Map(run.items.map((/** @type {any} */ one) => [one.id, one]));
  const found = [...metrics].map(([id, names]) => {
    const [before, now] = [run.baseline_items[id] || null, current.get(id) || null];
    const way = !now || (before && before.passed === now.passed) ? 2 : now.passed ? 1 : 0;
    return { id, before, now, metrics: names, way };
  });
  return found.sort((a, b) => a.way - b.way);
}

/** @param {any} run @param {Change} change @returns {HTMLElement} */
function changeView(run, change) {
  const item = change.now || change.before;
  const words = [`✗ ${change.id} ${t("became wrong")}`, `✓ ${change.id} ${t("became right")}`, `~ ${change.id} ${t("changed")}`];
  return el("details.change", { open: change.way === 0 }, el("summary", {}, el("strong", { text: words[change.way] }), " ", el("span", { text: item?.question || "", dir: "auto" })), change.metrics.length ? el("p.quiet", { text: change.metrics.join(", ") }) : null, el("div.sides", {}, side(t("Before"), change.before), side(t("Now"), change.now)), change.now ? el("p", {}, itemLink(run, change.id)) : null);
}

/** @param {string} title @param {any} item @returns {HTMLElement} */
function side(title, item) {
  if (!item) return el("div.side", { role: "group", "aria-label": title }, el("h3", { text: title }), el("p.quiet", { text: t("not kept") }));
  const answer = item.answer || {};
  const quotes = new Map((answer.citations || []).map((/** @type {any} */ one) => [one.id, one]));
  const sentences = (answer.sentences || []).filter((/** @type {any} */ one) => one.factual !== false);
  return el(`div.side.${item.passed ? "good" : "bad"}`, { role: "group", "aria-label": title }, el("h3", { text: `${title}: ${item.passed ? `✓ ${t("right")}` : `✗ ${t("wrong")}`}` }), item.reasons.length ? el("ul", {}, ...item.reasons.map((/** @type {string} */ text) => el("li", { text, dir: "auto" }))) : null, ...(sentences.length ? [] : [el("p", { text: answer.plain || t("not kept"), dir: "auto" })]), ...sentences.map((/** @type {any} */ one) => el("div", {}, el("p", { text: one.text, dir: "auto" }), el("p", {}, el(`span.badge.${one.support === "supported" ? "verified" : one.support === "unchecked" ? "not_checkable" : "unverified"}`, { text: supportOf(one.support) }), " ", el("span.quiet", { text: one.reason || "", dir: "auto" })), ...(one.citations || []).map((/** @type {string} */ id) => quotes.get(id)).filter(Boolean).map((/** @type {any} */ one) => el("blockquote", { text: `${one.quote}\n${one.title || one.doc_id || ""}`, dir: "auto" })))));
}

/** @param {any} run @param {any} item @returns {HTMLElement} */
function failedView(run, item) {
  return el("li", {}, el("p", {}, el("strong", { text: item.id }), " ", el("span", { text: item.question, dir: "auto" })), item.reasons.length ? el("p.quiet", { text: item.reasons.join("; "), dir: "auto" }) : null, itemLink(run, item.id));
}

/** @param {any} run @param {string} id @returns {HTMLElement} */
function itemLink(run, id) {
  return el("a", { href: `/evals/${encodeURIComponent(run.run.id)}/${encodeURIComponent(id)}`, text: t("Open the answer"), "aria-label": `${t("Open the answer")}: ${id}` });
}

/** @param {any} run @returns {HTMLElement[]} */
function slicesOf(run) {
  const kinds = [...new Set(Object.keys(run.slices).map((name) => name.split(":")[0]))].sort((a, b) => Number(b === "language") - Number(a === "language"));
  return kinds.map((kind) => {
    const all = Object.entries(run.slices).filter(([name]) => name.startsWith(`${kind}:`));
    const names = [...MAIN, ...Object.keys(run.metrics)].filter((name, at, list) => list.indexOf(name) === at && all.some(([, one]) => one[name]?.value !== null && one[name] !== undefined)).slice(0, SLICE_METRICS);
    const title = kind === "language" ? t("By language") : kind === "tag" ? t("By kind of question") : t("By document");
    return section(title, dots(title, names, all.slice(0, 40).map(([name, one]) => ({ name: name.slice(kind.length + 1), shares: names.map((metric) => shareOf(metric, one[metric])) }))));
  });
}

/** @param {any} run @returns {HTMLElement | null} */
function sensitiveView(run) {
  const ids = [...new Set([...run.items.filter((/** @type {any} */ one) => one.machine_sensitive).map((/** @type {any} */ one) => one.id), ...(run.baseline?.left_out || [])])];
  if (!ids.length) return null;
  return section(t("Too close to count"), el("p", { text: t("On another machine these may be decided otherwise; the gate leaves them out.") }), el("p", { text: ids.join(", "), dir: "auto" }));
}

// --- one answer -----------------------------------------------------------------------------------

/** @param {HTMLElement} main @param {import("./main.js").Page} page @param {any} run @param {string} id @param {any} item */
function itemView(main, page, run, id, item) {
  const back = el("p", {}, el("a", { href: `/evals/${encodeURIComponent(run.run.id)}`, text: `← ${t("Evaluation")} ${run.run.id}` }));
  if (!item) {
    fill(main, back, el("h1", { text: id }), el("p", { text: t("There is no such question in this run.") }));
    return;
  }
  document.title = `${item.question} · pincite`;
  const whole = item.answer.sentences && item.answer.metrics;
  const answer = whole ? { notes: [], removed: [], conflicts: [], uncovered_aspects: [], snippets: [], retrieved: [], ...item.answer, id: "" } : null; // it is kept with the run alone: there is no address of its own
  if (answer) page.current.answer = answer;
  const values = Object.entries(item.values).filter(([, value]) => value !== null);
  fill(
    main,
    back,
    el("h1", { text: item.question, dir: "auto" }),
    el("p", {}, el(`span.badge.${item.passed ? "verified" : "unverified"}`, { text: item.passed ? `✓ ${t("right")}` : `✗ ${t("wrong")}` }), " ", el("span.quiet", { text: [item.id, item.language, ...item.tags].filter(Boolean).join(" · ") })),
    item.reasons.length ? el("ul", {}, ...item.reasons.map((/** @type {string} */ text) => el("li", { text, dir: "auto" }))) : null,
    answer ? answerView(answer, { open: (citation) => void page.panel.open(answer, citation), hover: page.card.show, ask: () => page.go("/") }) : section(t("Answer"), side(t("Now"), item), el("p.quiet", { text: t("Of answers that were right, only the words are kept.") })),
    section(t("Metrics"), table([t("Metric"), t("Value")], values.map(([name, value]) => [name, percent(value)]))),
  );
}
