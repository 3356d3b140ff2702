// What is known of the thing that is selected.

import { approvalWords } from "./conversation.js";
import { isAtEnd } from "./list.js";
import { exitWords } from "./model.js";
import { meter } from "./processes.js";
import { button, clock, count, el, exact, fill, pretty, seconds, size, span } from "./text.js";
import { breakWords } from "./waterfall.js";

export class Details {
	constructor(root, app) {
		this.app = app;
		this.title = root.querySelector("h2");
		this.tabs = root.querySelector("[role=tablist]");
		this.panel = root.querySelector("[role=tabpanel]");
		this.command = root.querySelector(".command");
		this.tabs.addEventListener("keydown", (event) => this.move(event));
	}

	show(item) {
		if (item !== this.item) this.stopLog();
		this.item = item;
		this.pages = item ? pagesOf(item, this.app) : {};
		const names = Object.keys(this.pages);
		if (!names.includes(this.tab)) this.tab = names[0];
		fill(this.title, item ? titleOf(item) : "Details");
		fill(this.tabs, names.map((name) => button(name, () => this.open(name), {
			role: "tab", id: `tab-${name}`, "aria-selected": String(name === this.tab), "aria-controls": "detail", tabindex: name === this.tab ? "0" : "-1",
		})));
		this.panel.setAttribute("aria-labelledby", names.length ? `tab-${this.tab}` : "details-title");
		this.draw();
		const command = item && commandOf(item, this.app);
		fill(this.command, command && [el("code", {}, command), copyButton(command)]);
	}

	open(name) {
		this.tab = name;
		this.show(this.item);
		this.tabs.querySelector('[aria-selected="true"]')?.focus();
	}

	draw() {
		if (this.tab === "Log" && this.item) return this.showLog(this.item.run);
		if (this.tab === "Prompt" && this.item) return this.showPrompt(this.item);
		this.stopLog();
		fill(this.panel, this.item ? this.pages[this.tab]?.() : hint("Select a row, a bar or a process."));
	}

	move(event) {
		const names = Object.keys(this.pages);
		const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
		if (step) this.open(names.at((names.indexOf(this.tab) + step + names.length) % names.length));
	}

	/** Follows the log of a process while it is in sight. */
	async showLog(run) {
		if (this.logOf === run) return;
		this.stopLog();
		this.logOf = run;
		this.abort = new AbortController();
		const { signal } = this.abort;
		const note = hint("Reading the log.");
		const text = el("pre", { class: "log", tabindex: "0", "aria-label": `log of ${run}` });
		fill(this.panel, note, text);
		let kept = "";
		try {
			for await (const part of this.app.service.lines("/v1/log", { query: { process: run, follow: "true" }, signal })) {
				const first = part.run?._0 ?? null;
				if (first) fill(note, part.run.note ?? `${first.agent || run} · pid ${first.pid}${first.outcome ? ` · ${first.outcome}` : ""}`);
				if (!part.text) continue;
				const wasAtEnd = isAtEnd(text);
				kept = (kept + part.text._0).slice(-200_000);
				fill(text, kept);
				if (wasAtEnd) text.scrollTop = text.scrollHeight;
			}
		} catch (error) {
			if (!signal.aborted) fill(note, this.app.isFile ? "An exported session has no logs." : error.message);
		}
	}

	/** Shows the prompt of a process's latest request, which it is asked for. */
	async showPrompt(item) {
		const version = `prompt ${item.run} ${this.app.session?.runs.get(item.run)?.requests}`;
		if (this.logOf === version) return;
		this.stopLog();
		this.logOf = version;
		fill(this.panel, hint("Asking the process."));
		const show = (...parts) => this.logOf === version && fill(this.panel, parts);
		try {
			const prompt = await this.app.service.get("/v1/log/prompt", { process: item.run });
			if (!prompt) return show(hint("It has no prompt to show: it has ended, runs on a host, or asked no local model."));
			const pre = el("pre", { class: "prompt", dir: "auto", tabindex: "0", "aria-label": "prompt" },
				[span("cached", exact(prompt.cachedText)), span("computed", exact(prompt.computedText))]);
			show(hint(`${count(prompt.tokens)} tokens as the model was given them; the shaded ${count(prompt.cached)} were cached.`), pre);
		} catch (error) {
			show(hint(error.message));
		}
	}

	stopLog() {
		this.abort?.abort();
		this.logOf = null;
	}
}

function titleOf(item) {
	const place = { request: ` ${item.number}`, turn: ` ${item.place}`, call: `: ${item.tool}`, run: `: ${item.agent || item.run}` }[item.kind] ?? "";
	return `${item.kind === "run" ? "Process" : item.kind[0].toUpperCase() + item.kind.slice(1)}${place}`;
}

/** The command that prints the same in a terminal. */
function commandOf(item, { session, isFile }) {
	// A shell must take a name for nothing else, whatever it is.
	const quoted = (name) => (/^[\w.][\w.-]*$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`);
	if (isFile) return null;
	if (item.kind === "run") return `orchestrator logs ${quoted(item.run)}`;
	if (item.approval?.answered === null) return `orchestrator approve ${item.approval.id}`;
	return session && `orchestrator transcript ${quoted(session.name)} --usage`;
}

function pagesOf(item, app) {
	const pages = {};
	const figures = figuresOf[item.kind];
	if (figures) pages.Figures = () => figures(item, app);
	if (item.request) pages.Request = () => figuresOf.request(item.request, app);
	if (item.kind === "call") {
		pages.Arguments = () => whole(pretty(item.arguments));
		pages.Output = () => (item.output === null ? hint("It has not returned.") : whole(pretty(item.output)));
	} else if (item.text !== undefined) pages.Text = () => whole(item.text);
	if (item.tools?.length) pages.Tools = () => whole(JSON.stringify(item.tools, null, 2));
	if (item.run && !app.isFile && isLatest(item, app)) pages.Prompt = () => null;
	if (item.run && !app.isFile) pages.Log = () => null;
	if (item.json) pages.JSON = () => whole(pretty(item.json));
	return pages;
}

/** Whether a process is selected, or the latest of its requests: it shows no other prompt. */
function isLatest(item, { session }) {
	if (item.kind === "run") return item.requests > 0 && !item.ended;
	const run = session?.runs.get(item.run);
	return item.kind === "request" && run?.latest === item && !run.ended;
}

function whole(text) {
	const pre = el("pre", { dir: "auto", tabindex: "0", "aria-label": "content" }, text);
	return [el("div", { class: "actions" }, copyButton(text), span("hint", size(new Blob([text]).size))), pre];
}

const copyButton = (text) =>
	button("Copy", ({ target }) => navigator.clipboard.writeText(text).then(() => fill(target, "Copied"), () => fill(target, "Not allowed")));

const hint = (...words) => el("p", { class: "hint" }, words);

function table(rows) {
	return el("dl", {}, rows.filter(Boolean).map(([name, ...value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

const figuresOf = {
	request(request) {
		const { usage } = request;
		const computed = usage.tokensIn - usage.tokensCached;
		const decode = usage.seconds - usage.secondsToFirstToken - (usage.secondsWaited ?? 0);
		const broken = usage.cacheBreak;
		return [
			el("div", { class: "stack", role: "img", "aria-label": `${count(usage.tokensCached)} tokens cached, ${count(computed)} computed, ${count(usage.tokensOut)} written` },
				[["cached", usage.tokensCached], ["computed", computed], ["written", usage.tokensOut]].map(([kind, tokens]) => {
					const part = span(`of-${kind}`, tokens / (usage.tokensIn + usage.tokensOut) > 0.16 && `${count(tokens)} ${kind}`);
					part.style.flexGrow = tokens;
					return part;
				})),
			table([
				["agent", request.agent], ["process", request.run],
				["read", `${count(usage.tokensIn)}: ${count(usage.tokensCached)} cached, ${count(computed)} computed`],
				["written", count(usage.tokensOut)],
				usage.contextSize && ["window", meter("", (usage.tokensIn + usage.tokensOut) / usage.contextSize, `${count(usage.tokensIn + usage.tokensOut)} of ${count(usage.contextSize)}`)],
				["waited", seconds(request.from - request.waited)],
				usage.secondsWaited && ["for a core", seconds(usage.secondsWaited)],
				["first token", `${seconds(usage.secondsToFirstToken)}${computed > 0 && usage.secondsToFirstToken > 0 ? `, ${count(Math.round(computed / usage.secondsToFirstToken))} tokens/s` : ""}`],
				["decode", `${seconds(decode)}${decode > 0 && usage.tokensOut > 1 ? `, ${count(Math.round((usage.tokensOut - 1) / decode))} tokens/s` : ""}`],
			]),
			broken && el("section", { class: "fault" }, el("h3", {}, "The prefix broke"), el("p", {}, breakWords(broken)),
				hint("was"), el("pre", {}, exact(broken.was)), hint("is"), el("pre", {}, exact(broken.now))),
		];
	},
	call(call, app) {
		return [table([
			["agent", call.agent], ["process", call.run], ["began", clock(call.from)], ["took", call.to === null ? "under way" : seconds(call.to - call.from)],
			call.server && ["server", `${call.server.server}: ${call.server.tool}${call.server.request ? `, request ${call.server.request.id} in ${call.server.request.version}` : ""}`],
			call.baton && ["baton", `${call.baton.from} → ${call.baton.to}`],
			call.approval && ["approval", approvalWords(call.approval)],
			call.approval && ["waited", seconds((call.approval.answered ?? app.now) - call.approval.asked)],
			...call.friends.map((friend) => ["friend", `${friend.holder}: ${friend.turns.map((turn) => (turn.exit ? exitWords(turn.exit) : "under way")).join(", ")}`]),
		])];
	},
	turn: (turn, app) => [
		table([
			["began", clock(turn.started)], ["took", turn.ended ? seconds(turn.ended - turn.started) : "under way"], ["exit", turn.exit ? exitWords(turn.exit) : "under way"],
			["read", `${count(turn.tokensIn)}: ${count(turn.tokensCached)} cached`], ["written", `${count(turn.tokensOut)}${turn.friendTokens ? `, and ${count(turn.friendTokens)} by friends` : ""}`],
		]),
		el("h3", {}, "Caps"), el("div", { class: "caps" }, capMeters(turn, app.now)),
	],
	end: (item, app) => figuresOf.turn(item.turn, app),
	run: (run) => [table([
		["process", run.run], ["role", run.role], ["pid", String(run.pid)], run.host && ["host", run.host], run.model && ["model", run.model],
		run.started && ["started", clock(run.started)],
		run.ended && ["lived", seconds(run.ended - run.started)], run.state && ["state", run.state], run.outcome && ["end", run.cause ? `${run.cause}: ${run.outcome}` : run.outcome],
		run.memory && ["PSS", size(run.memory)],
		run.requests !== undefined && ["requests", count(run.requests)],
		run.tokensIn !== undefined && ["read", `${count(run.tokensIn)}: ${count(run.tokensCached)} cached`], run.tokensOut !== undefined && ["written", count(run.tokensOut)],
	])],
};

/** How far a turn is from each of its caps; the one that it met is red. */
export function capMeters(turn, now) {
	const used = {
		rounds: turn.requests.length, calls: turn.calls.length, tokens: turn.tokensOut + turn.friendTokens, seconds: (turn.ended ?? Math.max(now, turn.latest)) - turn.started,
	};
	return Object.entries(used).filter(([name]) => turn.caps[name] > 0).map(([name, value]) => {
		const cap = turn.caps[name];
		const isBitten = turn.exit?.kind === "cap" && turn.exit.reason === name;
		return meter(name, value / cap, `${name === "seconds" ? value.toFixed(value < 10 ? 1 : 0) : count(value)} / ${count(cap)}`, isBitten);
	});
}
