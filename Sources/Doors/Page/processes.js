// The processes that live, and those that a session had.

import { append, count, counted, el, fill, seconds, size, span, tint } from "./text.js";

const roles = { baton: "baton", waiting: "waits", friend: "friend", host: "host" };
const marks = { baton: "◆", waiting: "◇", friend: "☏", template: "▤", spare: "▢", coordinator: "●", host: "▣", dead: "✕" };

export class Processes {
	constructor(tree, app) {
		this.tree = tree;
		this.app = app;
		this.focused = null;
		tree.addEventListener("keydown", (event) => this.move(event));
		tree.addEventListener("click", (event) => this.activate(event.target.closest("[role=treeitem]")));
	}

	show(live, session, now) {
		const rows = live ? liveRows(live, now) : [];
		const known = new Set(rows.map(({ run }) => run));
		for (const run of [...(session?.runs.values() ?? [])].slice(-100)) if (!known.has(run.run)) rows.push(pastRow(run, now, Boolean(live)));
		for (const row of rows) row.key ??= row.run;
		this.rows = rows;
		const most = Math.max(1, ...rows.map(({ memory }) => memory ?? 0));
		const hadFocus = this.tree.contains(document.activeElement);
		if (!rows.some(({ key }) => key === this.focused)) this.focused = rows[0]?.key ?? null;
		fill(this.tree, rows.map((row) => this.element(row, most)));
		if (hadFocus) this.tree.querySelector('[tabindex="0"]')?.focus({ preventScroll: true });
	}

	element(row, most) {
		const level = row.level ?? 2;
		const element = el("div", {
			role: "treeitem", class: `process ${row.role} ${row.isDead ? "dead" : ""} ${row.isBusy ? "busy" : ""}`, "aria-level": level, "aria-selected": String(this.app.process === row.run),
			tabindex: row.key === this.focused ? "0" : "-1",
		});
		element.dataset.key = row.key;
		tint(element, row.name);
		element.style.setProperty("--depth", level - 1);
		append(element, [
			span("line", span("mark", row.isDead ? marks.dead : marks[row.role] ?? "○"), span("name", row.name), row.role in roles && span("tag", roles[row.role]), row.rate && span("rate", `${row.rate} tok/s`)),
			span("facts", span("state", row.state), [row.pid, row.host && `on ${row.host}`, row.age, row.session !== this.app.session?.name && row.session].filter(Boolean).map((words) => ` · ${words}`)),
			row.memory && meter("PSS", row.memory / most, size(row.memory)),
			row.context && meter("context", row.context[0] / row.context[1], `${count(row.context[0])} / ${count(row.context[1])}`),
		]);
		return element;
	}

	activate(element) {
		const row = this.rows.find(({ key }) => key === element?.dataset.key);
		if (!row) return;
		this.focused = row.key;
		this.app.selectProcess(row);
	}

	move(event) {
		const place = this.rows.findIndex(({ key }) => key === this.focused);
		const steps = { ArrowDown: 1, ArrowUp: -1, Home: -this.rows.length, End: this.rows.length };
		if (event.key in steps) {
			event.preventDefault();
			this.focused = this.rows[Math.min(this.rows.length - 1, Math.max(0, place + steps[event.key]))].key;
			for (const element of this.tree.children) element.tabIndex = element.dataset.key === this.focused ? 0 : -1;
			this.tree.querySelector('[tabindex="0"]')?.focus();
		} else if (event.key === "Enter" || event.key === " ") {
			event.preventDefault();
			this.activate(document.activeElement);
		}
	}
}

/** A bar that fills, with its words: colour alone says nothing. */
export function meter(label, part, words, isBad = false) {
	const bar = span("fill");
	bar.style.width = `${Math.min(100, Math.max(0, part * 100))}%`;
	return span(`meter ${isBad ? "bad" : ""}`, span("meter-label", label), span("gauge", bar), span("meter-words", words));
}

function liveRows(live, now) {
	const age = (date) => seconds(Math.max(0, Math.floor(now - Date.parse(date) / 1000))).replace(".00", "").replace(/ min .*/, " min");
	const waits = (place) => place && `waits for a core, place ${place}`;
	const { cores } = live;
	const rows = [{
		run: "coordinator", name: "coordinator", role: "coordinator", level: 1, pid: live.coordinator.pid, age: age(live.coordinator.started),
		state: cores ? `${cores.busy} of ${counted(cores.cores, "core")} busy${cores.waiting ? `, ${cores.waiting} wait` : ""}` : "",
	}];
	const addWorker = (worker, level) => {
		rows.push({
			run: worker.run, name: worker.agent, role: worker.role, level, pid: worker.pid, host: worker.host, memory: worker.memory, age: age(worker.launched), session: worker.session,
			state: waits(worker.corePlace) || doing(worker), isBusy: worker.state === "responding", rate: worker.state === "responding" && Math.round(worker.tokensPerSecond),
			context: worker.contextTokens && worker.contextSize && [worker.contextTokens, worker.contextSize],
		});
		for (const friend of worker.friends) addWorker(friend, level + 1);
	};
	for (const worker of live.workers) addWorker(worker, 2);
	for (const { run, wait, host } of live.launches) {
		rows.push({ run, name: run, role: "waiting", state: `waits for ${host?.host ?? `memory, place ${wait.place}: ${size(wait.needed)} needed, ${size(wait.free)} free`}` });
	}
	for (const host of live.hosts ?? []) {
		if (host.state === "off") continue;
		const run = `outpost-${host.name}`;
		rows.push({ run, name: host.name, role: "host", age: age(host.since), state: [host.state, host.reason?.slice(0, 80)].filter(Boolean).join(": ") });
	}
	for (const standby of live.standbys.toSorted((one, other) => one.launched.localeCompare(other.launched))) {
		rows.push({
			run: standby.run, name: standby.name, role: standby.role, pid: standby.pid, memory: standby.memory, age: age(standby.launched),
			state: waits(standby.corePlace) || (standby.isReady ? "ready" : standby.progress ? progressWords(standby.progress) : "loading"),
		});
	}
	for (const death of live.deaths.latest ?? []) {
		rows.push({ key: `dead:${death.run}`, run: death.run, name: death.agent, role: death.role, pid: death.pid, isDead: true, state: death.outcome, age: `${age(death.ended)} ago` });
	}
	return rows;
}

function doing(worker) {
	if (worker.serverWait) return `waits for a server: ${worker.serverWait.reason.slice(0, 40)}`;
	if (worker.progress) return progressWords(worker.progress);
	if (worker.state === "asking") return "asks you";
	if (worker.state !== "responding" || worker.tools.length === 0) return worker.state;
	return `calls ${worker.tools[0]}${worker.tools.length > 1 ? ` and ${worker.tools.length - 1} more` : ""}`;
}

/** How far a process has come with what takes long. */
function progressWords({ stage, done, total, first, seconds }) {
	const left = done > first ? `, ${Math.ceil(((total - done) * seconds) / (done - first))} s left` : "";
	return stage === "loading" ? `loads ${Math.floor((done * 100) / total)} %${left}` : `reads ${count(done)} of ${count(total)} tokens${left}`;
}

function pastRow(run, now, isLive) {
	const end = run.outcome ?? (isLive ? "gone" : "no end");
	return {
		key: `past:${run.run}`, run: run.run, name: run.agent, role: run.role, pid: run.pid, isDead: true, session: null,
		state: run.cause ? `${run.cause}: ${end}` : end, age: `${counted(run.requests, "request")}, ${count(run.tokensOut)} out`,
		context: run.contextSize && run.contextTokens && [run.contextTokens, run.contextSize],
	};
}
