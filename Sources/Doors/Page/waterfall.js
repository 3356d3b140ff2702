// The waterfall of a turn: requests and calls on one axis of time.

import { VirtualList } from "./list.js";
import { button, count, counted, el, fill, isPlain, seconds, span, tint } from "./text.js";

const kinds = {
	wait: "waiting", start: "process start", core: "waiting for a core", prefill: "prefill", decode: "decode", "tool-bar": "tool", "friend-bar": "friend", "ask-bar": "approval",
};

/** The rows of a turn, in their order, with the friends of a call below it. */
function rowsOf(turn, now) {
	const rows = [];
	const addTurn = (turn, depth) => {
		const begun = new Set();
		const requests = (item) => {
			for (const request of turn.requests) {
				if (request.fact > item.fact || begun.has(request)) continue;
				begun.add(request);
				rows.push(requestRow(request, depth));
			}
		};
		for (const item of turn.items) {
			requests(item);
			if (item.kind === "call") {
				rows.push(callRow(item, depth, now));
				for (const friend of item.friends) for (const answer of friend.turns) addTurn(answer, depth + 1);
			} else if (item.kind === "death" || item.kind === "baton" || item.kind === "context") {
				rows.push({ key: `w/${item.key}`, item, depth, label: markLabel(item), agent: item.agent ?? item.to, bars: [{ kind: `${item.kind}-bar`, from: item.at, to: item.at }] });
			}
		}
		if (turn.exit === null) rows.push(openRow(turn, depth, now));
	};
	addTurn(turn, 0);
	return rows;
}

const markLabel = (item) =>
	({ death: () => "died", baton: () => `baton → ${item.to}`, context: () => "context reduced" })[item.kind]();

function requestRow(request, depth) {
	const { usage, turn } = request;
	const bars = [];
	let at = request.waited;
	// A process that was started for the request.
	const launch = turn.launches.find(({ from, to }) => from >= request.waited - 0.001 && to <= request.from + 0.001);
	if (launch) {
		if (launch.from - at > 0.0005) bars.push({ kind: "wait", from: at, to: launch.from });
		bars.push({ kind: "start", from: launch.from, to: launch.to });
		at = launch.to;
	}
	if (request.from - at > 0.0005) bars.push({ kind: "wait", from: at, to: request.from });
	if (request.begun > request.from) bars.push({ kind: "core", from: request.from, to: request.begun });
	bars.push({ kind: "prefill", from: request.begun, to: request.first }, { kind: "decode", from: request.first, to: request.to });
	return {
		key: `w/${request.key}`, item: request, depth, agent: request.agent, label: `request ${request.number}`, bars,
		cached: usage.tokensCached, isBroken: Boolean(usage.cacheBreak),
		words: `${count(usage.tokensCached)} cached, ${count(usage.tokensIn - usage.tokensCached)} computed, ${count(usage.tokensOut)} out`,
	};
}

function callRow(call, depth, now) {
	const end = call.to ?? call.turn.ended ?? now;
	const bars = [];
	const { approval } = call;
	let from = call.from;
	if (approval) {
		const answered = approval.answered ?? end;
		if (approval.asked > from) bars.push({ kind: "tool-bar", from, to: approval.asked });
		bars.push({ kind: "ask-bar", from: approval.asked, to: answered });
		from = answered;
	}
	bars.push({ kind: call.friends.length ? "friend-bar" : "tool-bar", from, to: Math.max(from, end), isOpen: call.to === null && call.turn.ended === null });
	return { key: `w/${call.key}`, item: call, depth, agent: call.agent, label: call.tool, bars, isCall: true };
}

/** What goes on and has no fact yet. */
function openRow(turn, depth, now) {
	const isCalling = turn.calls.some((call) => call.to === null);
	return {
		key: `w/open:${turn.key}`, item: turn, depth, agent: turn.conversation?.holder ?? "", label: isCalling ? "calls run" : "under way",
		bars: [{ kind: "wait", from: turn.activity, to: Math.max(now, turn.activity), isOpen: true }],
	};
}

/** The regions in which a process's prefix held: a new one begins where its cache broke. */
function lanesOf(turn) {
	const lanes = new Map();
	const addTurn = (turn) => {
		for (const request of turn.requests) {
			const lane = lanes.get(request.run) ?? { agent: request.agent, regions: [] };
			lanes.set(request.run, lane);
			const open = lane.regions.at(-1);
			if (open && !request.usage.cacheBreak) {
				open.to = request.to;
				open.requests += 1;
			} else lane.regions.push({ from: request.from, to: request.to, request, requests: 1, isBroken: Boolean(request.usage.cacheBreak) });
		}
		for (const call of turn.calls) for (const friend of call.friends) friend.turns.forEach(addTurn);
	};
	addTurn(turn);
	return [...lanes.values()].sort((one, other) => one.regions[0].from - other.regions[0].from);
}

export const breakWords = ({ token, lost, cause }) => `broke at token ${count(token)}, ${count(lost)} lost: ${cause}`;

export class Waterfall {
	constructor(root, app) {
		this.app = app;
		this.view = root.querySelector(".bars");
		this.lanes = root.querySelector(".lanes");
		this.axis = root.querySelector(".axis");
		this.map = root.querySelector(".map");
		this.sums = root.querySelector(".sums");
		this.list = new VirtualList(this.view, { guess: () => 24, make: (row) => this.element(row), activate: (row) => app.select(row.item, row) });
		root.addEventListener("keydown", (event) => this.key(event));
		this.map.addEventListener("pointerdown", (event) => this.drag(event));
	}

	show(turn, now) {
		// Text that grows changes no bar; bars that are open grow four times a second.
		const stamp = [this.app.session?.version, this.app.selected?.key, turn?.exit === null && Math.floor(now * 4)].join();
		if (turn === this.turn && stamp === this.stamp) return;
		this.stamp = stamp;
		if (turn !== this.turn) {
			this.range = null;
			this.view.scrollTop = 0;
		}
		this.turn = turn;
		this.list.follows = turn?.exit === null;
		if (!turn) {
			this.list.show([]);
			return [this.lanes, this.axis, this.sums].forEach((part) => fill(part));
		}
		this.whole = [turn.started, Math.max(turn.ended ?? Math.max(now, turn.latest), turn.started + 0.001)];
		this.rows = rowsOf(turn, now);
		this.draw();
	}

	get shown() {
		return this.range ?? this.whole;
	}

	draw() {
		if (!this.turn) return;
		const [from, to] = this.shown;
		const stamp = `${from}.${to}.${this.app.selected?.key}`;
		this.list.show(this.rows.map((row) => ({ ...row, version: `${stamp}.${row.item.version}.${row.bars.at(-1).to}` })));
		this.drawAxis(from, to);
		this.drawLanes();
		this.drawMap();
		this.drawSums(from, to);
	}

	place(element, from, to) {
		const [start, end] = this.shown;
		element.style.left = `${((from - start) / (end - start)) * 100}%`;
		element.style.width = `${Math.max(0, (to - from) / (end - start)) * 100}%`;
		return element;
	}

	element(row) {
		const [start, end] = this.shown;
		const total = row.bars.at(-1).to - row.bars[0].from;
		const parts = row.bars.filter(({ from, to }) => to - from > 0).map(({ kind, from, to }) => `${kinds[kind] ?? kind} ${seconds(to - from)}`);
		const element = el("div", {
			class: `bar-row ${row.isCall ? "call" : ""}`, role: "option", "aria-selected": String(this.app.isSelected(row.item)),
			"aria-label": `${row.agent} ${row.label}: ${[...parts, row.words, row.isBroken && "the cache broke"].filter(Boolean).join(", ")}`,
		});
		tint(element, row.agent);
		const label = span("label", span("who", row.agent), " ", span("what", row.label));
		label.style.setProperty("--depth", Math.min(row.depth, 8));
		const track = span("track");
		for (const bar of row.bars) {
			if (bar.to < start || bar.from > end) continue;
			track.append(this.place(el("span", { class: `bar ${bar.kind} ${bar.isOpen ? "open" : ""}`, title: `${kinds[bar.kind] ?? bar.kind}: ${seconds(bar.to - bar.from)}` }), bar.from, bar.to));
		}
		if (row.cached > 0 && row.item.from >= start) track.append(this.place(el("span", { class: `cached ${row.isBroken ? "broken" : ""}`, title: row.words }), row.item.from, row.item.from));
		if (total > 0) {
			const words = span("time", seconds(total), row.cached > 0 && ` · ${count(row.cached)} cached`);
			const last = (row.bars.at(-1).to - start) / (end - start);
			// Behind the bar where there is room, in front of it otherwise.
			if (last < 0.8) words.style.left = `calc(${Math.max(0, last) * 100}% + 6px)`;
			else words.style.right = `calc(${Math.min(1, 1 - (row.bars[0].from - start) / (end - start)) * 100}% + 6px)`;
			track.append(words);
		}
		element.append(label, track);
		return element;
	}

	drawAxis(from, to) {
		const steps = [1, 2, 5, 10].map((step) => step * 10 ** Math.floor(Math.log10((to - from) / 5)));
		const step = steps.find((step) => (to - from) / step <= 7) ?? steps.at(-1);
		const ticks = [];
		for (let at = Math.ceil((from - this.turn.started) / step) * step; at <= to - this.turn.started + step / 1e6; at += step) {
			ticks.push(this.place(span("tick", seconds(at).replace(/\.0+ /, " ")), at + this.turn.started, at + this.turn.started));
		}
		fill(this.axis, span("label", `Turn ${this.turn.place}`), span("track", ticks));
	}

	drawLanes() {
		fill(this.lanes, lanesOf(this.turn).slice(0, 6).map((lane) => {
			const regions = lane.regions.map((region) => {
				const words = region.isBroken ? `prefix ${breakWords(region.request.usage.cacheBreak)}` : `prefix of ${lane.agent}: ${counted(region.requests, "request")}`;
				const element = button("", () => this.app.select(region.request), { class: `region ${region.isBroken ? "broken" : ""}`, title: words });
				return this.place(element, region.from, region.to);
			});
			const element = el("div", { class: "lane" }, span("label", span("who", lane.agent), " ", span("what", "prefix")), span("track", regions));
			tint(element, lane.agent);
			return element;
		}));
	}

	/** The whole turn in little. */
	drawMap() {
		const canvas = this.map;
		const [width, height] = [canvas.clientWidth, canvas.clientHeight];
		if (!width) return;
		canvas.width = width * devicePixelRatio;
		canvas.height = height * devicePixelRatio;
		const context = canvas.getContext("2d");
		context.scale(devicePixelRatio, devicePixelRatio);
		const probe = this.axis.appendChild(span(""));
		const colors = {};
		const color = (name) => {
			probe.className = name;
			return (colors[name] ??= getComputedStyle(probe).color);
		};
		const [start, end] = this.whole;
		const x = (at) => ((at - start) / (end - start)) * width;
		const line = Math.max(1, Math.min(3, height / Math.max(1, this.rows.length)));
		this.rows.forEach((row, place) => {
			for (const bar of row.bars) {
				context.fillStyle = color(bar.kind);
				context.fillRect(x(bar.from), (place / this.rows.length) * height, Math.max(1, x(bar.to) - x(bar.from)), line);
			}
		});
		context.fillStyle = color("shade");
		probe.remove();
		if (!this.range) return;
		context.fillRect(0, 0, x(this.range[0]), height);
		context.fillRect(x(this.range[1]), 0, width, height);
	}

	drawSums(from, to) {
		const sums = {};
		for (const row of this.rows) {
			for (const bar of row.bars) {
				const part = Math.min(bar.to, to) - Math.max(bar.from, from);
				if (part > 0 && bar.kind in kinds) sums[bar.kind] = (sums[bar.kind] ?? 0) + part;
			}
		}
		const requests = this.rows.filter((row) => row.item.kind === "request" && row.item.to >= from && row.item.from <= to).map((row) => row.item.usage);
		const total = (key) => requests.reduce((sum, usage) => sum + usage[key], 0);
		const read = total("tokensIn");
		fill(this.sums,
			Object.entries(kinds).filter(([kind]) => kind in sums).map(([kind, words]) => span("sum", el("i", { class: `swatch ${kind}` }), `${words} ${seconds(sums[kind])}`)),
			span("sum", el("i", { class: "swatch cachedmark" }), `${read ? Math.round((total("tokensCached") / read) * 100) : 0} % of ${count(read)} tokens cached`),
			span("sum strong", `${seconds(to - from)}${this.range ? " in sight" : ""}`));
	}

	zoom(factor, anchor = 0.5) {
		const [from, to] = this.shown;
		const center = from + (to - from) * anchor;
		this.setRange(center - (center - from) * factor, center + (to - center) * factor);
	}

	pan(part) {
		const [from, to] = this.shown;
		const [start, end] = this.whole;
		const shift = Math.min(Math.max((to - from) * part, start - from), end - to);
		this.setRange(from + shift, to + shift);
	}

	setRange(from, to) {
		const [start, end] = this.whole;
		if (to - from < 1e-5) return;
		const range = [Math.max(start, from), Math.min(end, to)];
		this.range = range[0] <= start && range[1] >= end ? null : range;
		this.draw();
	}

	key(event) {
		if (!this.turn || !isPlain(event)) return;
		const actions = {
			w: () => this.zoom(0.6), s: () => this.zoom(1 / 0.6), a: () => this.pan(-0.25), d: () => this.pan(0.25), f: () => this.setRange(-Infinity, Infinity),
		};
		const action = actions[event.key.toLowerCase()];
		if (!action) return;
		event.preventDefault();
		event.stopPropagation();
		action();
	}

	drag(event) {
		if (!this.turn) return;
		const box = this.map.getBoundingClientRect();
		const [start, end] = this.whole;
		const at = (x) => start + Math.min(1, Math.max(0, (x - box.left) / box.width)) * (end - start);
		const first = at(event.clientX);
		const move = (event) => this.setRange(Math.min(first, at(event.clientX)), Math.max(first, at(event.clientX)));
		this.map.setPointerCapture(event.pointerId);
		this.map.addEventListener("pointermove", move);
		this.map.addEventListener("pointerup", () => this.map.removeEventListener("pointermove", move), { once: true });
		this.setRange(-Infinity, Infinity);
	}
}
