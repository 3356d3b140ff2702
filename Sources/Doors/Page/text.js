// Text and elements. What is shown was written by models, tools or pages of the web: it becomes text,
// and never markup, as the page's policy enforces.

const number = (character) => `\\u{${character.codePointAt(0).toString(16).toUpperCase()}}`;

// Controls, and what reorders or hides the characters around it. Joiners and variation selectors stay:
// scripts and emoji need them.
const hidden =
	/[\p{Cc}\p{Zl}\p{Zp}\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const isLayout = (character) => character === "\n" || character === "\t";

/** The text with controls and what reorders others shown as numbers, such as \u{202E}. */
export const shown = (text) =>
	String(text).replace(hidden, (character) => (isLayout(character) ? character : number(character)));

/** The text with every invisible character shown as a number, for a person who decides on it. */
export const exact = (text) =>
	String(text).replace(invisible, (character) => (character === "\n" ? character : number(character)));

/** The beginning of a text, and how much was left out. */
export function shortened(text, limit = 2000) {
	if (text.length <= limit) return text;
	return `${text.slice(0, limit)}… (${size(text.length - limit)} more, whole in the details)`;
}

/** Makes an element: strings become text, functions listeners; `null` and `false` are left out. */
export function el(tag, attributes, ...children) {
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes ?? {})) {
		if (value === null || value === undefined || value === false) continue;
		if (typeof value === "function") element.addEventListener(name, value);
		else element.setAttribute(name, value === true ? "" : shown(value));
	}
	append(element, children);
	return element;
}

/** Whether a key was pressed for the page, and neither for the browser nor into a field. */
export const isPlain = (event) =>
	!(event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.target.closest("input, select, textarea"));

export const button = (words, click, attributes) => el("button", { type: "button", click, ...attributes }, words);
export const span = (name, ...children) => el("span", { class: name || null }, ...children);

export function append(element, children) {
	for (const child of children.flat(Infinity)) {
		if (child === null || child === undefined || child === false) continue;
		element.append(child instanceof Node ? child : shown(child));
	}
}

export function fill(element, ...children) {
	element.replaceChildren();
	append(element, children);
	return element;
}

const thousands = new Intl.NumberFormat("en", { useGrouping: true });
export const count = (value) => thousands.format(value ?? 0).replaceAll(",", "\u202F");
export const counted = (value, one, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;

export function seconds(value) {
	if (!(value >= 0)) return "–";
	if (value < 1) return `${(value * 1000).toFixed(value < 0.01 ? 1 : 0)} ms`;
	if (value < 100) return `${value.toFixed(2)} s`;
	if (value < 6000) return `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
	return `${Math.floor(value / 3600)} h ${Math.round((value % 3600) / 60)} min`;
}

export function size(bytes) {
	if (bytes < 1000) return `${bytes} B`;
	if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`;
	return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`;
}

export const clock = (at) =>
	new Date(at * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** Gives an element the hue that an agent always has. */
export function tint(element, agent) {
	let hash = 2166136261;
	for (const character of agent) hash = Math.imul(hash ^ character.codePointAt(0), 16777619);
	element.style.setProperty("--hue", ((hash >>> 0) % 24) * 15);
	return element;
}

/** JSON on lines, every number as it is written; other text as it is. */
export function pretty(json) {
	try {
		JSON.parse(json);
	} catch {
		return json;
	}
	let depth = 0;
	const line = (deeper) => `\n${"  ".repeat(Math.min((depth += deeper), 32))}`;
	return json.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|\{\s*\}|\[\s*\]|[{}[\],:]|\s+/g, (token) => {
		if (token === "{" || token === "[") return token + line(1);
		if (token === "}" || token === "]") return line(-1) + token;
		if (token === ",") return token + line(0);
		if (token === ":") return ": ";
		return token[0] === '"' ? token : token.replace(/\s/g, "");
	});
}
