// @ts-check
/** Building the page from nodes. Text of documents and models only ever becomes text nodes. */

/**
 * @param {string} tag such as "p" or "p.note"
 * @param {Record<string, unknown>} [props] attributes; `on…` are listeners, `text` the content, false and null are left out
 * @param {...(Node | string | null | undefined | false)} children
 * @returns {HTMLElement}
 */
export function el(tag, props = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const node = document.createElement(name || "div");
  if (classes.length) node.className = classes.join(" ");
  for (const [key, value] of Object.entries(props)) {
    if (value === false || value === null || value === undefined) continue;
    if (key === "text") node.textContent = String(value);
    else if (key.startsWith("on")) node.addEventListener(key.slice(2), /** @type {EventListener} */ (value));
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false).map((child) => /** @type {Node | string} */ (child)));
  return node;
}

/** @param {Element} node @param {...(Node | string | null | false)} children */
export function fill(node, ...children) {
  node.replaceChildren(...children.filter((child) => child !== null && child !== false).map((child) => /** @type {Node | string} */ (child)));
}

/** @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element ${id}`);
  return found;
}

/** Tell it to a screen reader. @param {string} text */
export function announce(text) {
  byId("live").textContent = text;
}

/** A link that may be opened, or null: only the web, never script or data. @param {string | null | undefined} url @returns {string | null} */
export function safeUrl(url) {
  if (!url || /[\u0000-\u001f]/.test(url)) return null;
  try {
    const parsed = new URL(url);
    return ["http:", "https:", "mailto:"].includes(parsed.protocol) ? parsed.href : null;
  } catch {
    return null;
  }
}

/**
 * Offsets come in code points; JavaScript counts UTF-16 units.
 * @param {string} text @param {number} start @param {number} end @returns {string}
 */
export function slice(text, start, end) {
  return Array.from(text).slice(start, end).join("");
}
