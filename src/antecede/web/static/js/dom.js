// Describes elements, and makes what a part of the page shows equal to a description. Data reaches the page through text
// nodes and attributes only, so it can never become markup.

const SVG = "http://www.w3.org/2000/svg";
const PROPERTIES = ["checked", "disabled", "hidden", "indeterminate"];

/** An HTML element: h("p", {class: "note"}, "text", otherElement). `key` names it among its neighbours. */
export const h = (tag, attributes = {}, ...children) => ({ tag, attributes, children, key: attributes.key });

/** An SVG element. */
export const s = (tag, attributes = {}, ...children) => ({ ...h(tag, attributes, ...children), svg: true });

/** An element that is made again only when one of the values it depends on is another one. */
export const keep = (key, values, make) => ({ key, values, make });

const blank = (values = {}) => Object.fromEntries(Object.keys(values).map((key) => [key, null]));

function apply(element, attributes) {
  const before = element.attributesBefore ?? {};
  element.attributesBefore = attributes;
  for (const name of Object.keys({ ...before, ...attributes })) {
    const value = attributes[name];
    if (name === "key" || name === "value" || (value === before[name] && !PROPERTIES.includes(name))) continue;
    if (name.startsWith("on")) element[name] = value ?? null;
    else if (name === "data") Object.entries({ ...blank(before.data), ...value }).forEach(([key, text]) => { if (text === null) delete element.dataset[key]; else element.dataset[key] = text; });
    else if (name === "style") Object.entries({ ...blank(before.style), ...value }).forEach(([key, text]) => element.style.setProperty(key, text));
    else if (PROPERTIES.includes(name)) { if (element[name] !== Boolean(value)) element[name] = Boolean(value); }
    else if (value === null || value === undefined || value === false) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

const equal = (some, others) => some?.length === others.length && some.every((value, place) => value === others[place]);

/** The node that shows a description: the one that is there, changed, or a new one. */
function shape(description, node) {
  if (description.make) {
    if (node && equal(node.values, description.values)) return node;
    const made = shape(description.make(), node);
    return Object.assign(made, { key: description.key, values: description.values });
  }
  if (description.tag === undefined) {
    if (node?.nodeType !== Node.TEXT_NODE) return document.createTextNode(String(description));
    if (node.data !== String(description)) node.data = String(description);
    return node;
  }
  const fits = node?.localName === description.tag && node.key === description.key;
  const made = fits ? node : document.createElementNS(description.svg ? SVG : "http://www.w3.org/1999/xhtml", description.tag);
  made.key = description.key;
  apply(made, description.attributes);
  patch(made, description.children);
  const { value } = description.attributes; // last, since that of a choice is one of its options
  const typing = made === document.activeElement && made.type === "number"; // a number counts once it is confirmed
  if (value !== undefined && value !== null && made.value !== String(value) && !typing) made.value = value;
  return made;
}

/** Makes the children of an element equal to what is described; what is there and fits stays, with focus and scroll. */
export function patch(parent, ...descriptions) {
  const shown = descriptions.flat(Infinity).filter((each) => each !== null && each !== undefined && each !== false && each !== "");
  const keys = new Set(shown.map((each) => each.key).filter((key) => key !== undefined));
  const keyed = new Map([...parent.childNodes].filter((node) => node.key !== undefined).map((node) => [node.key, node]));
  let next = parent.firstChild;
  const pass = (node) => { if (node === next) next = node.nextSibling; };
  for (const description of shown) {
    while (next && next.key !== undefined && !keys.has(next.key)) { const gone = next; pass(gone); gone.remove(); }
    const node = description.key !== undefined ? keyed.get(description.key) : next?.key === undefined ? next : null;
    const made = shape(description, node);
    if (made === node) {
      if (node === next) pass(node);
      else parent.insertBefore(made, next);
    } else {
      parent.insertBefore(made, next);
      if (node) { pass(node); node.remove(); }
    }
  }
  while (next) { const gone = next; pass(gone); gone.remove(); }
  return parent;
}

export const find = (selector, root = document) => root.querySelector(selector);
export const findAll = (selector, root = document) => [...root.querySelectorAll(selector)];

/** A link to another host; anything but https is shown as text. */
export function outward(address, label, title) {
  if (!/^https:\/\//.test(address || "")) return null;
  return h("a", { href: address, target: "_blank", rel: "noopener noreferrer", class: "outward", title }, label);
}

/** A link within the page; the router follows it without loading the page anew. */
export const inward = (address, attributes, ...children) => h("a", { href: address, "data-route": true, ...attributes }, ...children);

/** A text as the server sends it: strings, and [text, term] for the words of a query term. */
export function runs(parts, make = (text) => h("mark", {}, text)) {
  return (parts || []).map((part) => (Array.isArray(part) ? make(String(part[0]), part[1]) : String(part)));
}

/** The same without marks. */
export const plainText = (parts) => (parts || []).map((part) => (Array.isArray(part) ? part[0] : part)).join("");

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
export const withCode = (text) => text.split("`").map((part, place) => (place % 2 ? h("code", {}, part) : part));

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

/** The dates of a document, each named as what it is. */
const DATES = [["publication", "published"], ["filing", "filed"], ["priority", "priority"]];

export function namedDates(dates) {
  return DATES.filter(([kind]) => dates[kind]).map(([kind, name]) => `${name} ${dates[kind]}`);
}
