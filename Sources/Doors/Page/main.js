// The inspector: what a coordinator says of its processes, and what a session's facts say.

import { Approvals } from "./approvals.js";
import { Conversation } from "./conversation.js";
import { Details, capMeters } from "./details.js";
import { Session, readExport } from "./model.js";
import { Processes } from "./processes.js";
import { Service, Watch } from "./service.js";
import { counted, el, fill, isPlain, shown } from "./text.js";
import { Waterfall } from "./waterfall.js";

const by = (id) => document.getElementById(id);
const keys = [
	["1 2 3 4", "processes, conversation, waterfall, details"], ["↑ ↓ Page Home End", "move in a list"], ["Enter", "open or fold"],
	["/", "filter"], ["n", "next call that waits for you"], ["a d c", "approve or deny it; fill in, decline or close a form"], ["p", "write a prompt"], ["[ ]", "earlier or later turn"],
	["w s, a d, f", "zoom, pan and fit the waterfall"], ["Esc", "show everything"],
];

class Inspector {
	service = new Service();
	session = null;
	selected = null;
	process = null;
	processes = null;
	isFile = false;
	/** What waits for a person, and what was answered: an answer is final, however late an older word comes. */
	approvals = new Map();
	answered = new Set();
	/** The prompts of this page whose turns are under way. */
	sending = 0;

	conversation = new Conversation(by("rows"), this);
	waterfall = new Waterfall(document.querySelector(".waterfall"), this);
	details = new Details(document.querySelector(".details"), this);
	tree = new Processes(by("tree"), this);
	questions = new Approvals(by("approvals"), this);
	watch = new Watch(this.service, { event: (event) => this.happened(event), state: (...given) => this.connected(...given), session: () => this.session });

	get now() {
		return this.isFile || this.state === "gone" ? (this.session?.latestTurn?.latest ?? 0) : Date.now() / 1000 + this.service.offset;
	}

	async begin() {
		this.wire();
		this.details.show(null);
		const fragment = new URLSearchParams(location.hash.slice(1));
		const wanted = fragment.get("s");
		// The ticket is used once, and stays neither in the address nor in the history.
		if (location.hash) history.replaceState(null, "", location.pathname);
		try {
			if (fragment.get("t")) await this.service.visit(fragment.get("t"));
			if (!this.service.token) return this.askForTicket("");
			await this.start(wanted);
		} catch (error) {
			this.askForTicket(error.message);
		}
	}

	async start(wanted) {
		by("token").close();
		await this.listSessions(wanted);
		if (!document.hidden) this.watch.start();
		this.poll();
	}

	askForTicket(reason) {
		fill(by("refused"), reason);
		if (!by("token").open && !this.isFile) by("token").showModal();
	}

	async listSessions(wanted) {
		const sessions = await this.service.get("/v1/sessions");
		const name = wanted ?? this.session?.name ?? sessions[0]?.name;
		this.sessions = sessions;
		if (name === undefined) return this.draw();
		const names = [...new Set([...sessions.map((session) => session.name), name])];
		// Not by attribute, which would show what is hidden in the name.
		fill(by("session"), names.map((name) => Object.assign(el("option", {}, name), { value: name })));
		by("session").value = name;
		if (name !== this.session?.name || this.isFile) await this.show(new Session(name));
	}

	async show(session, isFile = false) {
		Object.assign(this, { session, isFile, selected: null, process: null, turn: null });
		this.details.show(null);
		// A session that begins with its first prompt has no facts yet.
		if (!isFile && this.sessions.some(({ name }) => name === session.name)) await this.pull();
		this.draw();
		this.conversation.list.scrollToEnd();
		if (!isFile) this.follow();
	}

	/** Follows the session that is shown. */
	follow() {
		if (!this.watch.abort) return;
		this.watch.stop();
		this.watch.start();
	}

	/** Reads the facts of the session, a page at a time. */
	async pull() {
		const { session } = this;
		try {
			let rows;
			do {
				rows = await this.service.get("/v1/facts", { session: session.name, after: session.last });
				for (const row of rows) session.apply(row);
				this.schedule();
			} while (rows.length > 0 && this.session === session);
		} catch (error) {
			// A request that is refused was answered.
			if (error.status === undefined) this.connected("gone", error);
			else if (error.status !== 404) this.notify(error.message);
		}
	}

	/** Something happened or was recorded; `null` is a quiet second. */
	happened(line) {
		if (!line) return this.session?.isBusy && this.schedule();
		if (line.kind) return this.schedule();
		if (!this.sessions?.some(({ name }) => name === line.session)) {
			this.listing ??= this.listSessions().catch(() => {}).finally(() => { this.listing = null; });
		}
		const { event } = line;
		if (event.event === "approvalAsked") this.asked(event.approval);
		if (event.event === "approvalAnswered") this.settle(event.approval.id);
		if (line.session === this.session?.name && !this.isFile) {
			if (event.event === "text") this.session.grow(event);
			if (event.event === "trouble") this.notify(event.reason);
			if (event.event === "ended") this.notify(`Ended after ${event.seconds.toFixed(1)} s.`);
		}
		this.schedule();
	}

	connected(state, error) {
		const words = {
			connecting: "connecting", live: this.service.isReadOnly ? "live, read only" : "live",
			gone: "the coordinator is gone", unauthorized: "the visit is over", hidden: "paused",
		};
		by("state").dataset.state = this.isFile ? "file" : state;
		fill(by("state"), this.isFile ? "exported file" : words[state]);
		by("state").title = error?.message ?? "";
		if (state === "gone") this.processes = null;
		if (state === "unauthorized") this.askForTicket(error.message);
		if (state === "live" && this.state !== "live") this.poll();
		if (state !== this.state) this.schedule();
		this.state = state;
	}

	/** Memory and rates have no events: they are measured while the page is in sight. */
	async poll() {
		clearTimeout(this.poller);
		if (document.hidden || this.isFile || !this.service.token) return;
		try {
			const before = [...this.approvals.keys()];
			this.processes = await this.service.get("/v1/processes");
			const waiting = this.processes.approvals;
			// What was asked meanwhile is newer.
			for (const id of before) if (!waiting.some((approval) => approval.id === id)) this.approvals.delete(id);
			for (const approval of waiting) this.asked(approval);
			this.schedule();
		} catch (error) {
			if (error.status !== 401) this.processes = null;
		}
		this.poller = setTimeout(() => this.poll(), this.session?.isBusy || this.sending ? 1000 : 3000);
	}

	asked(approval) {
		if (!this.answered.has(approval.id)) this.approvals.set(approval.id, approval);
	}

	settle(id) {
		this.answered.add(id);
		this.approvals.delete(id);
		this.drawApprovals();
	}

	schedule() {
		this.frame ??= requestAnimationFrame(() => {
			this.frame = null;
			this.draw();
		});
	}

	draw() {
		const { session } = this;
		this.conversation.show(session);
		const turn = this.shownTurn;
		this.drawTurns(turn);
		this.waterfall.show(turn, this.now);
		this.tree.show(this.processes, session, this.now);
		const latest = session?.latestTurn;
		fill(by("caps"), latest ? capMeters(latest, this.now) : null);
		this.drawApprovals();
		const mayAct = !this.isFile && !this.service.isReadOnly && this.state === "live";
		by("prompt").hidden = !mayAct;
		by("cancel").hidden = !session?.isBusy;
		const { selected } = this;
		if (selected && selected.version !== this.drawnVersion) {
			this.drawnVersion = selected.version;
			if (!by("detail").contains(document.activeElement)) this.details.show(selected);
		}
		const cores = this.processes?.cores;
		fill(by("machine"), cores ? `${cores.busy} of ${counted(cores.cores, "core")}${cores.waiting ? `, ${cores.waiting} in the queue` : ""}` : "");
		document.title = `${session?.name ? `${shown(session.name)} · ` : ""}orchestrator`;
	}

	/** The turn that was chosen, or the latest. */
	get shownTurn() {
		return this.turn ?? this.session?.latestTurn ?? null;
	}

	drawTurns(turn) {
		const turns = this.session?.main?.turns ?? [];
		const select = by("turn");
		if (select.options.length !== turns.length) fill(select, turns.map((turn) => el("option", { value: String(turn.place) }, `Turn ${turn.place}`)));
		if (turn) select.selectedIndex = turns.indexOf(turn);
	}

	drawApprovals() {
		const waiting = this.isFile ? [] : [...this.approvals.values()];
		by("waiting").hidden = waiting.length === 0;
		fill(by("waiting"), `${waiting.length} waiting for you`);
		this.questions.show(waiting);
	}

	failed = (error) => this.notify(error.message);

	notify(words) {
		fill(by("notice"), words);
		clearTimeout(this.noticed);
		this.noticed = setTimeout(() => fill(by("notice")), 6000);
	}

	isSelected(item) {
		return this.selected?.key === item.key;
	}

	select(item) {
		this.selected = item;
		this.drawnVersion = item?.version;
		if (item?.turn || item?.kind === "turn") {
			let turn = item.kind === "turn" ? item : item.turn;
			while (turn.caller) turn = turn.caller;
			this.turn = turn === this.session?.latestTurn ? null : turn;
		}
		this.details.show(item);
		this.draw();
		// Where it was not selected, it is to be seen.
		const said = item?.kind === "request" ? item.turn.items.find(({ request }) => request === item) : item;
		if (said) this.conversation.list.scrollTo(`${said.kind}/${said.key}`);
		if (item) this.waterfall.list.scrollTo(`w/${item.key}`);
	}

	selectProcess(row) {
		const run = this.session?.runs.get(row.run);
		const item = { ...row, agent: row.name, ...run, state: row.isDead ? undefined : row.state, memory: row.memory, pid: row.pid ?? run?.pid, key: `run:${row.run}`, kind: "run", version: 0 };
		this.process = run && this.process !== row.run ? row.run : null;
		this.conversation.process = this.process;
		by("unfilter").hidden = !this.process;
		fill(by("unfilter"), this.process ? `only ${row.name} ✕` : "");
		by("unfilter").setAttribute("aria-label", `Show all processes, not only ${row.name}`);
		this.select(item);
	}

	clear() {
		this.process = this.conversation.process = null;
		this.conversation.filter = by("filter").value = "";
		by("unfilter").hidden = true;
		this.turn = null;
		this.schedule();
	}

	async send() {
		const words = by("words").value;
		if (!words.trim()) return;
		// The coordinator answers the prompts of a session in turn.
		this.sending += 1;
		by("words").value = "";
		const name = this.session?.name ?? "default";
		if (!this.session) {
			this.session = new Session(name);
			this.follow();
		}
		try {
			// Read to the end: closing the connection cancels the turn.
			for await (const _ of this.service.lines("/v1/prompts", { body: { session: name, prompt: words, isAttended: true } }));
		} catch (error) {
			this.notify(error.message);
			if (!by("words").value) by("words").value = words;
		}
		this.sending -= 1;
	}

	async cancel() {
		await this.service.post("/v1/sessions/cancel", { session: this.session.name }).catch(this.failed);
	}

	async openFile(file) {
		if (!file) return;
		try {
			const session = readExport(await file.text());
			by("token").close();
			this.watch.stop();
			this.processes = null;
			this.isFile = true;
			fill(by("session"), el("option", {}, `${session.name} (file)`));
			this.connected("file");
			await this.show(session, true);
		} catch (error) {
			this.notify(`${file.name}: ${error.message}`);
			fill(by("refused"), error.message);
		}
	}

	wire() {
		const on = (target, type, listener) => (typeof target === "string" ? by(target) : target).addEventListener(type, listener);
		on("session", "change", ({ target }) => this.show(new Session(target.value)).catch(this.failed));
		on("turn", "change", ({ target }) => this.select(this.session.main.turns[target.selectedIndex]));
		on("filter", "input", ({ target }) => {
			this.conversation.filter = target.value;
			this.schedule();
		});
		on("unfilter", "click", () => this.clear());
		on("prompt", "submit", (event) => {
			event.preventDefault();
			this.send();
		});
		on("words", "keydown", (event) => {
			if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
			event.preventDefault();
			this.send();
		});
		on("cancel", "click", () => this.cancel());
		on("waiting", "click", () => this.nextApproval());
		for (const id of ["file", "open-file"]) on(id, "click", () => by("chosen").click());
		on("chosen", "change", ({ target }) => this.openFile(target.files[0]));
		on("help", "click", () => by("keys").showModal());
		fill(by("keys").querySelector("dl"), keys.map(([key, words]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, words)]));
		on(by("token").querySelector("form"), "submit", (event) => {
			event.preventDefault();
			this.enter(by("ticket").value.trim());
		});
		on(document.querySelector("nav"), "click", ({ target }) => target.dataset.pane && this.open(target.dataset.pane));
		this.open("conversation", false);
		on(document, "keydown", (event) => this.key(event));
		on(document, "visibilitychange", () => {
			if (this.isFile || !this.service.token) return;
			if (document.hidden) {
				this.watch.stop();
				this.connected("hidden");
			} else {
				this.watch.start();
				this.poll();
			}
		});
		on(window, "beforeunload", (event) => {
			// Leaving cancels a turn that was asked here.
			if (this.sending) event.preventDefault();
		});
		new ResizeObserver(() => this.waterfall.draw()).observe(document.querySelector(".map"));
	}

	async enter(text) {
		const ticket = text.includes("#") ? new URLSearchParams(text.slice(text.indexOf("#") + 1)).get("t") : null;
		try {
			if (ticket) await this.service.visit(ticket);
			else this.service.use(text, false);
			by("ticket").value = "";
			await this.start();
		} catch (error) {
			this.askForTicket(error.message);
		}
	}

	open(pane, takesFocus = true) {
		document.body.dataset.pane = pane;
		for (const button of document.querySelectorAll("nav button")) button.setAttribute("aria-pressed", String(button.dataset.pane === pane));
		if (!takesFocus) return;
		const targets = { processes: '#tree [tabindex="0"]', conversation: "#rows", waterfall: ".bars", details: "#detail" };
		document.querySelector(targets[pane])?.focus();
		this.schedule();
	}

	nextApproval() {
		this.open("conversation", false);
		this.questions.next();
	}

	key(event) {
		if (document.querySelector("dialog[open]")) return;
		if (event.key === "Escape") {
			event.target.closest("input, textarea")?.blur();
			return this.clear();
		}
		if (!isPlain(event)) return;
		const turns = this.session?.main?.turns ?? [];
		const step = (by) => {
			const turn = turns[turns.indexOf(this.shownTurn) + by];
			if (turn) this.select(turn);
		};
		const actions = {
			1: () => this.open("processes"), 2: () => this.open("conversation"), 3: () => this.open("waterfall"), 4: () => this.open("details"),
			"/": () => by("filter").focus(), n: () => this.nextApproval(), p: () => by("words").focus(), "[": () => step(-1), "]": () => step(1), "?": () => by("keys").showModal(),
		};
		const action = actions[event.key];
		if (!action) return;
		event.preventDefault();
		action();
	}
}

// For the console and tests.
globalThis.inspector = new Inspector();
inspector.begin();
