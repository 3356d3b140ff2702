// The conversation: a list of rows, with the friends that a call asked below it.

import { VirtualList } from "./list.js";
import { exitWords } from "./model.js";
import { append, button, clock, count, counted, el, seconds, shortened, span, tint } from "./text.js";

export class Conversation {
	constructor(view, app) {
		this.app = app;
		this.folded = new Set();
		this.opened = new Set();
		this.filter = "";
		this.process = null;
		this.list = new VirtualList(view, {
			guess: (row) => guesses[row.kind] ?? 30,
			make: (row) => this.element(row),
			activate: (row, isTwice) => {
				if (isTwice) this.toggle(row);
				app.select(row.item, row);
			},
		});
		this.list.follows = true;
	}

	show(session) {
		this.session = session;
		this.list.show(session ? this.rows(session) : []);
	}

	toggle(row) {
		const set = row.kind === "call" ? this.folded : this.opened;
		if (!set.delete(row.item.key)) set.add(row.item.key);
		this.show(this.session);
	}

	rows(session) {
		const rows = [];
		const words = this.filter.toLowerCase();
		const wants = (item) =>
			(!this.process || item.run === this.process || item.kind === "prompt") &&
			(!words || searched(item).toLowerCase().includes(words));
		const add = (item, depth, kind = item.kind, extra = {}) => {
			if (kind !== "turn" && !wants(item)) return;
			const isOpen = this.opened.has(item.key);
			const version = `${item.version}.${depth}.${this.app.isSelected(item)}.${isOpen}.${this.folded.has(item.key)}.${extra.times?.times}`;
			rows.push({ key: `${kind}/${item.key}`, kind, item, depth, version, isOpen, ...extra });
		};
		const addTurns = (conversation, depth) => {
			for (const turn of conversation.turns) {
				if (depth === 0) add(turn, depth, "turn");
				const items = turn.items;
				for (let place = 0; place < items.length; place += 1) {
					const item = items[place];
					if (item.kind !== "call") {
						add(item, depth);
						continue;
					}
					const times = sameCalls(items, place);
					add(item, depth, "call", { times });
					if (!this.folded.has(item.key)) for (const friend of item.friends) addTurns(friend, depth + 1);
					place += times.skipped;
				}
			}
		};
		if (session.main) addTurns(session.main, 0);
		for (const live of session.live.values()) add(live, 0);
		return rows;
	}

	element(row) {
		const { item, depth, kind } = row;
		const element = el("article", { class: `row ${kind}`, "aria-current": this.app.isSelected(item) && "true" });
		element.style.setProperty("--depth", Math.min(depth, 12));
		if (item.agent) tint(element, item.agent);
		append(element, (makers[kind] ?? makers.note)(item, row, this));
		const words = [...element.children].map((part) => part.textContent).join(" ");
		element.setAttribute("aria-label", `${depth > 0 ? "friend: " : ""}${words.slice(0, 300)}`);
		return element;
	}
}

const guesses = { turn: 44, prompt: 46, answer: 46, call: 30, end: 30, death: 60 };

const searched = (item) =>
	[item.agent, item.text, item.tool, item.arguments, item.output, item.cause, item.name, item.to].filter(Boolean).join(" ");

/** How often a call follows itself with the same result. */
function sameCalls(items, place) {
	const first = items[place];
	let [times, next] = [1, place + 1];
	const isSame = (item) =>
		item?.kind === "call" && item.tool === first.tool && item.arguments === first.arguments &&
		item.output === first.output && !item.friends.length && !item.approval && item.agent === first.agent;
	while (first.output !== null && !first.friends.length && !first.approval && isSame(items[next])) {
		times += 1;
		next += 1;
	}
	return { times, skipped: next - place - 1 };
}

const who = (name) => el("span", { class: "who", dir: "auto" }, name);
const words = (text, row, limit) => (row.isOpen ? text.slice(0, 100_000) : shortened(text, limit));
const said = (text, row) => el("div", { class: "said", dir: "auto" }, words(text, row));
const output = (text, name = "") => el("div", { class: `output ${name}`, dir: "auto" }, text);
const cost = ({ tokensIn, tokensCached, tokensOut }, time, friends) =>
	span("cost", `${count(tokensIn)} in · ${count(tokensCached)} cached · ${count(tokensOut)} out${friends ? ` · ${count(friends)} by friends` : ""} · ${seconds(time)}`);
const folded = (kind, item, row, measure) =>
	[who(item.agent), span("tag", kind), span("cost", measure), output(row.isOpen ? words(item.text, row) : item.text.split("\n", 1)[0].slice(0, 160), "thought")];

const makers = {
	turn: (turn) => [
		el("h3", {}, `Turn ${turn.place}`),
		el("time", { datetime: new Date(turn.started * 1000).toISOString() }, clock(turn.started)),
		turn.exit === null && span("tag now", "under way"),
		turn.revertedTo && span("tag bad", `taken back, the baton returns to ${turn.revertedTo}`),
	],
	prompt: (item, row) => [who(row.depth > 0 ? "asked" : "person"), said(item.text, row)],
	answer: (item, row) => [who(item.agent), said(item.text, row), item.request && cost(item.request.usage, item.request.usage.seconds)],
	live: (item, row) => [who(item.agent), span("tag now", item.isReasoning ? "reasoning" : "writing"), said(item.text.slice(-4000), row)],
	reasoning: (item, row) => folded("reasoning", item, row, counted(item.text.length, "character")),
	instructions: (item, row) => folded("instructions", item, row, counted(item.tools.length, "tool")),
	call(item, row, view) {
		const { approval } = item;
		const tone = !approval ? "" : approval.answered === null ? "ask" : approval.denial !== null ? "bad" : "";
		return [
			who(item.agent),
			span("tool", item.tool),
			el("code", { class: "arguments", dir: "ltr" }, shortened(item.arguments, 300)),
			row.times.times > 1 && span("tag loud", `× ${row.times.times}`),
			span("cost", item.to === null ? "…" : seconds(item.to - item.from)),
			item.friends.length > 0 && button(item.friends.map((friend) => friend.holder).join(", "), () => view.toggle(row), {
				class: "fold", "aria-expanded": String(!view.folded.has(item.key)), tabindex: "-1",
			}),
			approval && span(`tag ${tone}`, approvalWords(approval)),
			item.output !== null ? output(words(item.output, row, 600)) : item.isEarly && output("returned, and waits for earlier calls"),
		];
	},
	baton: (item) => [span("tag", "baton"), span("", `${item.from} → ${item.to}`), item.isSubstitution && span("cost", "its holder was not available")],
	context({ report, agent }) {
		const parts = [
			report.exchanges && `${counted(report.exchanges, "exchange")} ${report.isSummarized ? "summarized" : "left out"}`,
			report.cutOutputs && `${counted(report.cutOutputs, "tool output")} cut`,
		];
		return [span("tag", "context"), who(agent), span("", `${parts.filter(Boolean).join(", ")}: ${count(report.tokensBefore)} tokens became ${count(report.tokensAfter)} of ${count(report.window)}`)];
	},
	edit: (item) => [span("tag", "history"), who(item.agent), span("", "edits what the models see")],
	property: (item) => [span("tag", "state"), who(item.agent), span("tool", item.name), el("code", { class: "arguments" }, shortened(item.value, 300))],
	death: (item) => [
		span("tag bad", "died"), who(item.agent), span("", `${item.cause}, after ${counted(item.tokens, "token")}`),
		item.lines.length > 0 && output(item.lines.slice(-3).join("\n")),
		item.partial && output(`unfinished: ${shortened(item.partial, 300)}`),
	],
	end: ({ exit, turn }) => [
		span(`tag ${["cap", "failed", "refused"].includes(exit.kind) ? "bad" : ""}`, exitWords(exit)),
		cost(turn, turn.ended - turn.started, turn.friendTokens),
	],
	note: (item) => [span("tag", "note"), span("", item.text)],
};

export function approvalWords(question) {
	if (question.answered === null) return "waits for you";
	if (question.by === "unanswered") return "not answered";
	if (question.denial !== null) return `denied: ${question.denial}`;
	return `${question.isForm ? "answered" : "approved"} (${question.by})`;
}
