// A session, as a fold over its facts.

/** Swift writes a date inside a fact in seconds since 2001. */
const referenceDate = 978307200;

const parse = (text) => {
	try {
		return JSON.parse(text) ?? {};
	} catch {
		return {};
	}
};

function textOf(contents) {
	return (contents ?? [])
		.map((segment) => {
			if (segment.type === "text") return segment.text ?? "";
			if (segment.type === "structure") {
				return segment.structure?.json ?? JSON.stringify(segment.structure?.content ?? null);
			}
			const label = segment.attachment?.label;
			return label ? `[image: ${label}]` : "[image]";
		})
		.join("\n");
}

/** An exit as the journal has it: its kind, and the cap or the reason. */
function exitOf(value) {
	const [kind, fields] = Object.entries(value ?? {})[0] ?? ["failed", {}];
	return { kind, reason: fields?._0 ?? "" };
}

export function exitWords({ kind, reason }) {
	const words = {
		answered: "answered", modeChanged: "answered after the tool-calling mode changed",
		finalAnswer: "answered by a tool", cap: `cap on ${reason}`, cancelled: "cancelled",
		refused: `refused: ${reason}`, failed: `failed: ${reason}`,
	};
	return words[kind] ?? kind;
}

/** What is said of a fact that changes nothing else here. */
const notes = {
	abandonedRequest: ({ tokens }) => `A request was abandoned after ${tokens} tokens.`,
	resumed: () => "Another coordinator goes on with the turn.",
	leftOpen: () => "The coordinator was stopped; the next one goes on.",
	imported: () => "The turn was imported without an end.",
};

export class Session {
	constructor(name) {
		this.name = name;
		this.last = 0;
		this.version = 0;
		this.conversations = new Map();
		this.turns = new Map();
		this.runs = new Map();
		this.questions = new Map();
		/** What is being written at this moment, by entry. */
		this.live = new Map();
		this.recorded = new Set();
	}

	/** The conversation that a person sees. */
	get main() {
		for (const conversation of this.conversations.values()) if (conversation.name !== null) return conversation;
		return null;
	}

	get latestTurn() {
		return this.main?.turns.at(-1) ?? null;
	}

	get isBusy() {
		return this.latestTurn?.exit === null;
	}

	apply(row) {
		if (row.id <= this.last) return;
		this.last = row.id;
		this.version += 1;
		const value = parse(row.payload);
		const turn = this.turns.get(row.turn);
		const call = turn && lastCall(turn, value.callID ?? value.toolCallID);
		this[`on_${row.kind}`]?.(row, value, turn, call);
		touch(call);
		if (turn && row.kind in notes) this.add(turn, row, { kind: "note", text: notes[row.kind](value) });
		if (turn) turn.latest = Math.max(turn.latest, row.at);
	}

	on_began(row, value) {
		this.conversations.set(row.conversation, {
			id: row.conversation, name: value.name ?? null, holder: value.holder, turns: [],
			parentTurn: value.parent?.turn ?? null, parentCall: value.parent?.callID ?? null,
		});
		const turn = this.turns.get(value.parent?.turn);
		const call = turn && lastCall(turn, value.parent.callID);
		call?.friends.push(this.conversations.get(row.conversation));
		touch(call);
	}

	on_launched(row, value) {
		const started = (value.started ?? 0) + referenceDate;
		this.runs.set(row.run, {
			key: `run:${row.run}`, kind: "run", run: row.run, agent: row.agent ?? "", role: value.role, pid: value.pid,
			host: value.host, model: value.model ?? null, started,
			ended: null, outcome: null, cause: null, tokensIn: 0, tokensCached: 0, tokensOut: 0, requests: 0, version: 0,
		});
		const turn = this.conversations.get(row.conversation)?.turns.at(-1);
		if (turn && turn.exit === null) turn.launches.push({ from: started, to: row.at, agent: row.agent ?? "" });
	}

	on_exited(row, value) {
		const run = this.runs.get(row.run);
		if (run) Object.assign(run, { ended: row.at, outcome: value.outcome, cause: value.cause ?? null, version: run.version + 1 });
	}

	on_prompted(row, value) {
		const conversation = this.conversations.get(row.conversation);
		const caller = this.turns.get(conversation?.parentTurn);
		const turn = {
			key: `turn:${row.turn}`, kind: "turn", id: row.turn, version: 0, place: (conversation?.turns.length ?? 0) + 1,
			conversation, caller, started: row.at, latest: row.at, ended: null, exit: null, revertedTo: null,
			caps: parse(row.caps ?? "{}"), items: [], calls: [], requests: [], launches: [], friendTokens: 0,
			tokensIn: 0, tokensCached: 0, tokensOut: 0, activity: row.at, depth: caller ? caller.depth + 1 : 0,
		};
		this.turns.set(row.turn, turn);
		conversation?.turns.push(turn);
		this.add(turn, row, { kind: "prompt", text: textOf(value.contents) });
	}

	on_recorded(row, value, turn, latest) {
		if (!turn) return;
		const request = row.usage ? this.request(turn, row, parse(row.usage)) : null;
		const text = textOf(value.contents);
		if (value.role === "instructions") this.add(turn, row, { kind: "instructions", text, tools: value.tools ?? [] });
		else if (value.role === "user") this.add(turn, row, { kind: "prompt", text });
		else if (value.role === "reasoning") this.add(turn, row, { kind: "reasoning", text: textOf(value.reasoning?.contents) });
		else if (value.role === "tool") {
			const call = turn.calls.find((call) => call.callID === value.toolCallID && call.output === null) ?? latest;
			if (call) Object.assign(call, { output: text, to: call.to ?? row.at });
			touch(call);
		} else if (value.toolCalls) {
			value.toolCalls.forEach((call, place) => this.called(turn, row, call, place, request));
		} else this.add(turn, row, { kind: "answer", text, request });
		this.live.delete(value.id);
		this.recorded.add(value.id);
		turn.activity = row.at;
	}

	request(turn, row, usage) {
		const run = this.runs.get(row.run);
		for (const sum of [turn, run].filter(Boolean)) {
			sum.tokensIn += usage.tokensIn;
			sum.tokensCached += usage.tokensCached;
			sum.tokensOut += usage.tokensOut;
		}
		if (run) {
			run.requests += 1;
			run.version += 1;
			run.contextSize = usage.contextSize ?? run.contextSize;
			run.contextTokens = usage.tokensIn + usage.tokensOut;
		}
		for (let caller = turn.caller; caller; caller = caller.caller) caller.friendTokens += usage.tokensOut;
		// The usage of an agent's own sessions has no time: they ran inside a call.
		if (!(usage.seconds > 0)) return null;
		const from = Math.max(turn.started, row.at - usage.seconds);
		// Other processes may have had the cores first.
		const begun = Math.min(row.at, from + (usage.secondsWaited ?? 0));
		const request = {
			key: `request:${row.id}`, kind: "request", fact: row.id, version: 0, turn, agent: row.agent ?? "", run: row.run,
			usage, waited: Math.min(turn.activity, from), from, begun, first: Math.min(row.at, begun + usage.secondsToFirstToken), to: row.at,
			number: turn.requests.length + 1, json: row.usage,
		};
		turn.requests.push(request);
		if (run) run.latest = request;
		return request;
	}

	called(turn, row, call, place, request) {
		const item = this.add(turn, row, {
			kind: "call", callID: call.id, tool: call.name, arguments: call.arguments, output: null, from: row.at, to: null,
			approval: null, friends: [], baton: null, request, json: JSON.stringify(call),
		}, place);
		turn.calls.push(item);
	}

	on_returnedEarly(row, _, turn, call) {
		if (call?.output === null) Object.assign(call, { to: row.at, isEarly: true });
	}

	on_changedState(row, value, turn) {
		if (!turn) return;
		const request = value.usage ? this.request(turn, row, value.usage) : null;
		if (value.context) this.add(turn, row, { kind: "context", report: value.context, request }, "c");
		else if (value.history) this.add(turn, row, { kind: "edit" }, "h");
		for (const [name, text] of Object.entries(value.properties ?? {})) {
			this.add(turn, row, { kind: "property", name, value: text }, name);
		}
	}

	on_passedBaton(row, value, turn, call) {
		if (turn?.conversation) turn.conversation.holder = value.to;
		if (call) call.baton = value;
		if (turn) this.add(turn, row, { kind: "baton", from: value.from, to: value.to, isSubstitution: !value.callID });
	}

	on_phoned(row, value, turn, call) {
		const friend = this.conversations.get(value.conversation);
		if (call && friend && !call.friends.includes(friend)) call.friends.push(friend);
	}

	on_friendEnded(row, value, turn) {
		const friend = this.conversations.get(value.conversation);
		if (turn) touch(lastCall(turn, friend?.parentCall));
	}

	on_askedApproval(row, value, turn, call) {
		if (!call) return;
		const question = { id: row.id, asked: row.at, answered: null, isForm: Boolean(value.form), denial: null, by: null };
		// Its code may also ask about a request of its own.
		if (value.tool === call.tool) call.approval = question;
		this.questions.set(row.id, { question, call });
	}

	on_answeredApproval(row, value) {
		const { question, call } = this.questions.get(value.question) ?? {};
		if (!question || question.answered !== null) return;
		Object.assign(question, { answered: row.at, denial: value.decision.denial ?? null, by: value.decision.by });
		touch(call);
	}

	on_calledServer(row, value, turn, call) {
		if (call) call.server = value;
	}

	on_died(row, value, turn) {
		if (!turn) return;
		this.add(turn, row, { kind: "death", cause: value.cause, lines: value.lastLines ?? [], partial: value.partialText ?? null, tokens: value.tokensOut });
		this.live.clear();
	}

	on_resumed(row, _, turn) {
		if (turn) turn.activity = row.at;
	}

	on_ended(row, value, turn) {
		if (!turn) return;
		turn.ended = row.at;
		turn.exit = exitOf(value.exit);
		turn.revertedTo = value.revertingTo ?? null;
		for (const call of turn.calls) {
			if (call.approval && call.approval.answered === null) {
				Object.assign(call.approval, { answered: row.at, denial: "The turn ended before it was answered.", by: "unanswered" });
			}
			touch(call);
		}
		this.add(turn, row, { kind: "end", exit: turn.exit });
		touch(turn);
		if (turn.depth === 0) this.live.clear();
	}

	add(turn, row, item, suffix = "") {
		const whole = {
			key: `${item.kind}:${row.id}${suffix}`, fact: row.id, at: row.at, agent: row.agent ?? null, run: row.run ?? null,
			turn, version: 0, json: row.payload, ...item,
		};
		turn.items.push(whole);
		touch(turn);
		return whole;
	}

	/** Applies a change of an unfinished text, whose kept part is counted in bytes. */
	grow({ agent, entryID, isReasoning, keptBytes, added }) {
		// Facts may overtake the text of their entry.
		if (this.recorded.has(entryID)) return;
		const live = this.live.get(entryID) ?? { key: `live:${entryID}`, kind: "live", agent, isReasoning, text: "", bytes: 0, version: 0 };
		if (keptBytes < live.bytes) {
			live.text = new TextDecoder().decode(new TextEncoder().encode(live.text).subarray(0, keptBytes));
		}
		live.text += added;
		live.bytes = Math.min(keptBytes, live.bytes) + new TextEncoder().encode(added).length;
		live.version += 1;
		live.turn = this.latestTurn;
		this.live.set(entryID, live);
	}
}

/** A model may choose the identity of a call, and choose one twice: the latest counts. */
const lastCall = (turn, id) => turn.calls.findLast((call) => call.callID === id);
const touch = (item) => {
	if (item) item.version += 1;
};

export function readExport(text) {
	const lines = text.split("\n").filter((line) => line.trim() !== "");
	const header = JSON.parse(lines[0] ?? "{}");
	if (header.format !== "orchestrator session log") {
		throw new Error("This is not a session that 'orchestrator sessions export' wrote.");
	}
	const session = new Session(header.session);
	let footer = null;
	for (const line of lines.slice(1)) {
		const row = JSON.parse(line);
		if (row.checksum) footer = row;
		else session.apply(row);
	}
	if (!footer) throw new Error("The file is not complete: its last line is missing.");
	return session;
}
