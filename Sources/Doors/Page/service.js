// The coordinator. Its token is exchanged for the ticket in the address, and kept for this tab alone:
// there is no cookie.

const storage = { token: "orchestrator.token", readOnly: "orchestrator.readOnly" };

const failure = (status, message) => Object.assign(new Error(message), { status });

export class Service {
	token = sessionStorage.getItem(storage.token);
	/** The coordinator's clock less this machine's, in seconds. */
	offset = 0;
	isReadOnly = sessionStorage.getItem(storage.readOnly) === "true";

	/** Exchanges a ticket for the token of this tab. */
	async visit(ticket) {
		const response = await fetch("/v1/page/visits", { method: "POST", headers: { Authorization: `Bearer ${ticket}` } });
		if (response.status === 401) throw failure(401, "This address was used already, or is older than a minute. Run 'orchestrator inspect' for a new one.");
		if (!response.ok) throw await refusal(response);
		const visit = await response.json();
		this.use(visit.token, visit.isReadOnly);
	}

	use(token, isReadOnly) {
		Object.assign(this, { token, isReadOnly });
		sessionStorage.setItem(storage.token, token);
		sessionStorage.setItem(storage.readOnly, String(isReadOnly));
	}

	async request(path, options = {}) {
		const headers = { Authorization: `Bearer ${this.token ?? ""}` };
		const response = await fetch(path, { ...options, headers, cache: "no-store" });
		if (!response.ok) throw await refusal(response);
		// The field has whole seconds: less than that is no difference.
		const difference = (Date.parse(response.headers.get("Date")) - Date.now()) / 1000;
		this.offset = Math.abs(difference) > 2 ? difference : 0;
		return response;
	}

	async get(path, query = {}) {
		return (await this.request(withQuery(path, query))).json();
	}

	async post(path, body) {
		const response = await this.request(path, { method: "POST", body: JSON.stringify(body) });
		const text = await response.text();
		return text ? JSON.parse(text) : null;
	}

	/** Reads lines of JSON until they end or the signal aborts. */
	async *lines(path, { query = {}, signal, body } = {}) {
		const options = body ? { method: "POST", body: JSON.stringify(body), signal } : { signal };
		const response = await this.request(withQuery(path, query), options);
		const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
		let rest = "";
		while (true) {
			const { done, value } = await reader.read();
			if (done) return;
			const pieces = (rest + value).split("\n");
			rest = pieces.pop();
			for (const piece of pieces) {
				if (piece === "") continue;
				const line = JSON.parse(piece);
				if (line.error) throw failure(0, line.error.message);
				yield line;
			}
		}
	}
}

async function refusal(response) {
	const body = await response.json().catch(() => null);
	return failure(response.status, body?.error?.message ?? `The coordinator answers ${response.status}.`);
}

function withQuery(path, query) {
	const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
	return given.length ? `${path}?${new URLSearchParams(given)}` : path;
}

/** The stream of all sessions' events and of one session's facts, begun anew when it ends. */
export class Watch {
	position = null;

	/** `session` says whose facts are read, after the last that it has. */
	constructor(service, { event, state, session }) {
		Object.assign(this, { service, event, state, session });
	}

	start() {
		if (this.abort) return;
		this.abort = new AbortController();
		this.run(this.abort.signal);
	}

	/** A tab out of sight reads nothing. */
	stop() {
		this.abort?.abort();
		this.abort = null;
	}

	async run(signal) {
		let pause = 250;
		while (!signal.aborted) {
			try {
				this.state("connecting");
				const session = this.session();
				const query = { since: this.position, entries: false, facts: session?.name, after: session?.last };
				for await (const line of this.service.lines("/v1/events", { query, signal })) {
					if (signal.aborted) return;
					pause = 250;
					this.state("live");
					this.position = line.position ?? this.position;
					if (line.kind) session.apply(line);
					this.event(line.event === "tick" ? null : line);
				}
			} catch (error) {
				if (signal.aborted) return;
				// Only a coordinator that was started again counts from the beginning.
				if (error.status !== 0) this.position = null;
				if (error.status === 401) {
					this.abort = null;
					return this.state("unauthorized", error);
				}
				this.state("gone", error);
			}
			await new Promise((resolve) => setTimeout(resolve, pause));
			pause = Math.min(pause * 2, 5000);
		}
	}
}
