// Builds elements and formats figures. Data reaches the page through text nodes and attributes only, so it can never become markup.

const SVG = "http://www.w3.org/2000/svg";

function append(parent, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    parent.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return parent;
}

function apply(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on") && typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (name === "data") Object.assign(element.dataset, value);
    else if (name === "style") Object.entries(value).forEach(([key, each]) => element.style.setProperty(key, each));
    else if (name === "value") element.value = value;
    else if (name === "checked" || name === "disabled" || name === "hidden" || name === "open") element[name] = true;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/** An HTML element: h("p", {class: "note"}, "text", otherElement). */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  append(element, children);
  apply(element, attributes);
  return element;
}

/** An SVG element. */
export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  append(element, children);
  apply(element, attributes);
  return element;
}

/** Replaces what an element holds. */
export function fill(element, ...children) {
  element.replaceChildren();
  return append(element, children);
}

export const find = (selector, root = document) => root.querySelector(selector);
export const findAll = (selector, root = document) => [...root.querySelectorAll(selector)];

/** A link to another host; anything but https is shown as text. */
export function outward(address, label, title) {
  if (!/^https:\/\//.test(address || "")) return null;
  return h("a", { href: address, target: "_blank", rel: "noopener noreferrer", class: "outward", title }, label);
}

/** A link within the page; the router follows it without loading the page anew. */
export function inward(address, attributes, ...children) {
  return h("a", { href: address, "data-route": true, ...attributes }, ...children);
}

/** A text as the server sends it: strings, and [text, term] for the words of a query term. */
export function runs(parts, make = (text) => h("mark", {}, text)) {
  return (parts || []).map((part) => (Array.isArray(part) ? make(String(part[0]), part[1]) : String(part)));
}

/** The same without marks. */
export const plainText = (parts) => (parts || []).map((part) => (Array.isArray(part) ? part[0] : part)).join("");

/** Tells a screen reader what has changed. */
export function announce(text) {
  const live = find("#live");
  live.textContent = "";
  requestAnimationFrame(() => { live.textContent = text; });
}

/** A short message at the edge of the page; errors stay until they are closed. */
export function toast(text, kind = "good") {
  const close = h("button", { class: "plain", "aria-label": "Close this message", onclick: () => box.remove() }, "×");
  const box = h("div", { class: `toast ${kind}`, role: kind === "bad" ? "alert" : "status" }, h("span", {}, withCode(text)), close);
  find("#toasts").append(box);
  if (kind !== "bad") setTimeout(() => box.remove(), 4000);
}

export function number(value) {
  return typeof value === "number" ? value.toLocaleString("en-GB") : "–";
}

export function plural(count, one, many = `${one}s`) {
  return `${number(count)} ${count === 1 ? one : many}`;
}

/** A text that begins with a capital letter and ends with a full stop. */
export function sentence(text) {
  return text ? `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}` : "";
}

/** A text in which what stands between backticks is a command. */
export function withCode(text) {
  return text.split("`").map((part, at) => (at % 2 ? h("code", {}, part) : part));
}

/** A weight or score with three significant digits. */
export function figure(value) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && size < 0.001) return value.toExponential(1);
  return size >= 100 ? value.toFixed(0) : value.toPrecision(3).replace(/\.?0+$/, "");
}

export function day(text) {
  const when = new Date(text);
  if (!text || Number.isNaN(when.getTime())) return text || "";
  return when.toLocaleString("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
}

const LANGUAGES = new Intl.DisplayNames("en", { type: "language" });

/** The name of a language: en is English. What is not a code stays as it is. */
export function languageName(code) {
  try { return code ? LANGUAGES.of(code) : "unknown"; } catch { return code; }
}

/** Calls a function when no further call has come for a while. */
export function debounce(call, delay) {
  let timer = 0;
  const later = (...given) => { clearTimeout(timer); timer = setTimeout(() => call(...given), delay); };
  later.cancel = () => clearTimeout(timer);
  return later;
}

/** A modal dialog; closes with Escape, gives the focus back, and resolves to what it was closed with. */
export function openDialog(title, body, { wide = false, buttons = [] } = {}) {
  return new Promise((resolve) => {
    const back = document.activeElement;
    const id = `dialog-${Date.now()}`;
    const box = h(
      "dialog",
      { class: wide ? "dialog wide" : "dialog", "aria-labelledby": id },
      h("header", {}, h("h2", { id }, title), h("button", { class: "plain", "aria-label": "Close", onclick: () => box.close("") }, "×")),
      h("div", { class: "dialog-body", tabindex: "0" }, body),
      buttons.length ? h("footer", {}, buttons.map(([name, label, kind]) =>
        h("button", { class: kind || "", type: "button", onclick: () => box.close(name) }, label))) : null,
    );
    box.addEventListener("close", () => { box.remove(); back?.focus?.(); resolve(box.returnValue); });
    document.body.append(box);
    box.showModal();
  });
}
