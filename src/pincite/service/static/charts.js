// @ts-check
/** Plots as SVG, each with the table of its figures. Series differ in shape as well as in colour. */

import { el } from "./dom.js";
import { percent, t } from "./words.js";

const WIDTH = 720;
const LEFT = 190;
const RIGHT = 630;
const ROW = 26;

/** @typedef {{name: string, value: number | null, low?: number, high?: number, target?: number | null, missed?: boolean}} Share */

/** @param {string} tag @param {Record<string, string | number>} props @param {...(Node | string)} children @returns {SVGElement} */
function draw(tag, props, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(props)) node.setAttribute(key, typeof value === "number" ? String(Math.round(value * 10) / 10) : value);
  node.append(...children);
  return node;
}

/** @param {string} text @param {number} most @returns {string} */
function cut(text, most) {
  const chars = Array.from(text);
  return chars.length > most ? `${chars.slice(0, most - 1).join("")}…` : text;
}

/**
 * A plot with its title, what it shows in a sentence, and its figures as a table.
 * @param {string} title @param {string} about @param {number} height @param {SVGElement[]} parts @param {string[]} heads @param {string[][]} rows @returns {HTMLElement}
 */
function figure(title, about, height, parts, heads, rows) {
  const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${height}`, width: WIDTH, height, role: "img", "aria-label": `${title}. ${about}` }, ...parts);
  const table = el("table", {}, el("thead", {}, el("tr", {}, ...heads.map((name) => el("th", { scope: "col", text: name, dir: "auto" })))), el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map((cell, at) => el(at ? "td" : "th", { scope: at ? false : "row", text: cell, dir: "auto" }))))));
  return el("figure.plot", {}, el("figcaption", {}, el("h3", { text: title }), el("p.quiet", { text: about })), el("div.scroll", { tabindex: "0", role: "group", "aria-label": title }, svg), el("details", {}, el("summary", { text: t("As a table") }), el("div.scroll", { tabindex: "0", role: "group", "aria-label": t("As a table") }, table)));
}

/** @param {number} share @returns {number} */
const across = (share) => LEFT + (RIGHT - LEFT) * Math.min(Math.max(share, 0), 1);

/** @param {number} top @param {number} height @returns {SVGElement[]} */
function scale(top, height) {
  return [0, 0.25, 0.5, 0.75, 1].flatMap((share) => [
    draw("line", { class: "grid", x1: across(share), x2: across(share), y1: top, y2: height - 4 }),
    draw("text", { x: across(share), y: top - 4, "text-anchor": "middle" }, percent(share)),
  ]);
}

/** A mark of its own for each series. @param {number} x @param {number} y @param {number} series @returns {SVGElement} */
function mark(x, y, series) {
  if (series % 4 === 0) return draw("circle", { class: "s0", cx: x, cy: y, r: 4.5 });
  const shapes = [[], [[-4, -4], [4, -4], [4, 4], [-4, 4]], [[0, -5], [5, 4], [-5, 4]], [[0, -6], [6, 0], [0, 6], [-6, 0]]];
  return draw("polygon", { class: `s${series % 4}`, points: shapes[series % 4].map(([dx, dy]) => `${(x + dx).toFixed(1)},${(y + dy).toFixed(1)}`).join(" ") });
}

/** @param {string[]} names @returns {SVGElement[]} */
function legend(names) {
  return names.flatMap((name, at) => [mark(16 + at * 176, 12, at), draw("text", { x: 28 + at * 176, y: 16 }, cut(name, 22))]);
}

/** A bar for each share, with its interval as a line and its target as a mark. @param {string} title @param {Share[]} shares @returns {HTMLElement} */
export function bars(title, shares) {
  const shown = shares.filter((one) => one.value !== null && one.value >= 0 && one.value <= 1);
  const height = 30 + shown.length * ROW + 10;
  const parts = scale(16, height);
  shown.forEach((one, at) => {
    const y = 30 + at * ROW;
    const end = across(Number(one.value));
    parts.push(draw("text", { x: LEFT - 8, y: y + 4, "text-anchor": "end" }, cut(one.name, 27)), draw("rect", { class: one.missed ? "bar missed" : "bar", x: LEFT, y: y - 7, width: end - LEFT, height: 14 }));
    if (one.low !== undefined && one.high !== undefined) parts.push(draw("line", { class: "interval", x1: across(one.low), x2: across(one.high), y1: y, y2: y }));
    if (one.target !== null && one.target !== undefined) parts.push(draw("line", { class: "target", x1: across(one.target), x2: across(one.target), y1: y - 11, y2: y + 11 }));
    parts.push(draw("text", { x: RIGHT + 8, y: y + 4 }, `${one.missed ? "✗ " : ""}${percent(Number(one.value))}`));
  });
  const rows = shown.map((one) => [one.name, percent(one.value), one.low === undefined ? "–" : `${percent(one.low)} – ${percent(one.high)}`, one.target === null || one.target === undefined ? "–" : percent(one.target)]);
  return figure(title, t("Thin lines are 95 % intervals, upright marks are targets."), height, parts, [t("Metric"), t("Value"), t("95 % interval"), t("Target")], rows);
}

/**
 * A row for each slice, a mark for each of its metrics.
 * @param {string} title @param {string[]} names @param {{name: string, shares: Share[]}[]} slices @returns {HTMLElement}
 */
export function dots(title, names, slices) {
  const step = 8 * names.length + 12;
  const height = 58 + slices.length * step;
  const parts = [...scale(40, height), ...legend(names)];
  slices.forEach((slice, at) => {
    const y = 58 + at * step;
    parts.push(draw("text", { x: LEFT - 8, y: y + 4 * (names.length - 1) + 4, "text-anchor": "end" }, cut(slice.name, 27)));
    slice.shares.forEach((one, series) => {
      if (one.value === null) return;
      const line = y + 8 * series;
      if (one.low !== undefined && one.high !== undefined) parts.push(draw("line", { class: `interval w${series}`, x1: across(one.low), x2: across(one.high), y1: line, y2: line }));
      parts.push(mark(across(one.value), line, series));
    });
  });
  return figure(title, t("Thin lines are 95 % intervals."), height, parts, [title, ...names], slices.map((slice) => [slice.name, ...slice.shares.map((one) => percent(one.value))]));
}

/**
 * Metrics over runs, the oldest first.
 * @param {string} title @param {string[]} names @param {{when: string, values: (number | null)[]}[]} runs @returns {HTMLElement}
 */
export function trend(title, names, runs) {
  const [left, right, top, bottom] = [56, 690, 36, 236];
  const known = runs.flatMap((run) => run.values.filter((value) => value !== null)).map(Number);
  const floor = Math.min(0.75, Math.floor(Math.min(1, ...known) * 4) / 4);
  const x = (/** @type {number} */ at) => (runs.length < 2 ? (left + right) / 2 : left + ((right - left) * at) / (runs.length - 1));
  const y = (/** @type {number} */ value) => bottom - ((bottom - top) * (value - floor)) / (1 - floor);
  const parts = legend(names);
  for (let step = 0; step <= 4; step++) {
    const value = floor + ((1 - floor) * step) / 4;
    parts.push(draw("line", { class: "grid", x1: left, x2: right, y1: y(value), y2: y(value) }), draw("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, percent(value)));
  }
  names.forEach((_, series) => {
    const points = runs.flatMap((run, at) => (run.values[series] === null ? [] : [[x(at), y(Number(run.values[series]))]]));
    parts.push(draw("polyline", { class: `line w${series}`, points: points.map(([px, py]) => `${px.toFixed(1)},${py.toFixed(1)}`).join(" ") }), ...points.map(([px, py]) => mark(px, py, series)));
  });
  if (runs.length) parts.push(draw("text", { x: left, y: bottom + 20 }, cut(runs[0].when, 24)));
  if (runs.length > 1) parts.push(draw("text", { x: right, y: bottom + 20, "text-anchor": "end" }, cut(runs[runs.length - 1].when, 24)));
  return figure(title, t("The oldest run is on the left."), bottom + 30, parts, [t("Time"), ...names], runs.map((run) => [run.when, ...run.values.map(percent)]));
}
