// What waits for a person: calls to approve, and forms that the servers of calls want filled in.

import { button, el, exact, fill, isPlain, pretty, span } from "./text.js";

export class Approvals {
	shape = "";
	armed = 0;

	constructor(region, app) {
		Object.assign(this, { region, app });
	}

	show(waiting) {
		this.region.hidden = waiting.length === 0;
		const shape = waiting.map(({ id }) => id).join();
		if (this.shape === shape) return;
		this.shape = shape;
		// A click that was meant for something else must not press what appears under it.
		this.armed = performance.now() + 500;
		// The other cards stay, with what is being typed there.
		const known = new Map([...this.region.children].map((card) => [card.dataset.id, card]));
		for (const approval of waiting) if (!known.delete(String(approval.id))) this.region.append(this.card(approval));
		for (const card of known.values()) {
			// The keys go on in the conversation.
			if (card.contains(document.activeElement)) document.getElementById("rows").focus();
			card.remove();
		}
	}

	next() {
		const card = document.activeElement.closest(".card");
		(card?.nextSibling ?? this.region.firstChild)?.focus();
	}

	card(approval) {
		const { agent, tool, session, form } = approval;
		const { element, keys } = this.app.service.isReadOnly ? {} : form ? this.form(approval) : this.decision(approval);
		const title = form ? `The server of ${tool} asks you` : `${agent} asks to call ${tool}`;
		const card = el("div", {
			class: "card", tabindex: "0", role: "group", "aria-label": title,
			keydown: (event) => {
				if (!isPlain(event) || !keys?.[event.key]) return;
				keys[event.key]();
				event.preventDefault();
				event.stopPropagation();
			},
		},
			el("p", {}, el("strong", {}, title), session && span("hint", ` in ${session}`)),
			form && el("p", { class: "message", dir: "auto" }, exact(form.message)),
			el("pre", { tabindex: "0", "aria-label": "arguments" }, exact(pretty(approval.arguments))),
			element);
		card.dataset.id = approval.id;
		return card;
	}

	/** Whether a call may be made. */
	decision(approval) {
		const reason = el("input", { "aria-label": "Reason", placeholder: "Reason, for the model", autocomplete: "off" });
		const approve = () => this.answer(approval, { approve: true }, "Approved.");
		const deny = () => this.answer(approval, { denial: reason.value.trim() || "The person denied it." }, "Denied.");
		const element = el("form", { class: "actions", submit: (event) => { event.preventDefault(); deny(); } },
			button("Approve", approve, { class: "go" }), reason, el("button", { type: "submit", class: "danger" }, "Deny"));
		return { element, keys: { a: approve, d: () => reason.focus() } };
	}

	/** What a server wants to know. */
	form(approval) {
		const problem = el("p", { class: "refused", role: "alert" });
		let fields = [];
		try {
			const { properties = {}, required } = JSON.parse(approval.form.schema, withDigits);
			fields = Object.entries(properties).map(([name, schema], place) => new Field(name, schema, required?.includes(name), `field-${approval.id}-${place}`));
		} catch {
			fill(problem, `The form cannot be shown. In a terminal: orchestrator approve ${approval.id} --answer JSON`);
		}
		const send = () => {
			const values = fields.map(({ name, read }) => [name, read()]).filter(([, value]) => value !== undefined);
			this.answer(approval, { approve: true, content: Object.fromEntries(values) }, "Answered.", problem);
		};
		const decline = () => this.answer(approval, { denial: "The person declined to answer." }, "Declined.");
		const cancel = () => this.answer(approval, { cancel: true }, "Closed.");
		const element = el("form", { class: "fields", submit: (event) => { event.preventDefault(); send(); } },
			fields.map(({ element }) => element), problem,
			el("div", { class: "actions" }, el("button", { type: "submit", class: "go" }, "Answer"), button("Decline", decline, { class: "danger" }), button("Cancel", cancel)));
		return { element, keys: { a: () => element.elements[0].focus(), d: decline, c: cancel } };
	}

	/** Sends an answer; one that is refused says why beside the fields, where there are any. */
	async answer({ id }, answer, words, problem) {
		if (performance.now() < this.armed) return;
		const { app } = this;
		try {
			await app.service.post("/v1/approvals", { id, ...answer });
			app.settle(id);
			app.notify(words);
		} catch (error) {
			if (problem) fill(problem, error.message);
			else app.notify(error.message);
		}
	}
}

/** A field of a form, and what is read from it: `undefined` for nothing. */
class Field {
	constructor(name, schema, isRequired, id) {
		this.name = name;
		const { type, title, description, default: value } = schema;
		const choices = choicesOf(type === "array" ? schema.items ?? {} : schema);
		// What a field cannot show as it is.
		const filled = exact(value) !== `${value}` && `It is filled in with ${exact(value)}`;
		const hint = [description && exact(description), filled].filter(Boolean).join(" ");
		const common = { id, required: isRequired, "aria-describedby": hint && `${id}-hint` };
		const kind = choices ? "choice" : ["boolean", "number", "integer", "string"].find((plain) => plain === type);
		if (!kind) throw new TypeError(`'${name}' is no field of a form.`);
		this[kind](common, schema, value, choices);
		this.element = el("div", { class: "field" },
			el("label", { for: id }, exact(title ?? name), isRequired && span("hint", " (required)")), this.control,
			hint && el("p", { id: `${id}-hint`, class: "hint", dir: "auto" }, hint));
	}

	choice(common, { type }, value, choices) {
		const isMany = type === "array";
		const isChosen = (choice) => [value].flat().includes(choice);
		this.control = el("select", { ...common, multiple: isMany },
			!isMany && el("option", { value: "" }), choices.map(([choice, words], place) => el("option", { value: place, selected: isChosen(choice) }, exact(words))));
		const chosen = () => [...this.control.selectedOptions].filter(({ value }) => value !== "").map(({ value }) => choices[value][0]);
		this.read = () => (isMany ? chosen() : chosen()[0]);
	}

	boolean(common, schema, value) {
		// One that must be ticked could not be answered by no.
		this.control = el("input", { ...common, type: "checkbox", required: null, checked: value === true });
		this.read = () => this.control.checked;
	}

	number(common, { type, minimum, maximum }, value) {
		this.control = el("input", { ...common, type: "number", step: type === "integer" ? 1 : "any", min: minimum, max: maximum });
		this.control.value = value ?? "";
		this.read = () => (this.control.value === "" ? undefined : exactNumber(this.control.value));
	}

	integer(...given) {
		this.number(...given);
	}

	string(common, { format, minLength, maxLength }, value) {
		const kind = { email: "email", uri: "url", date: "date" }[format] ?? "text";
		this.control = el("input", { ...common, type: kind, placeholder: kind === "text" && format, minlength: minLength, maxlength: maxLength, autocomplete: "off" });
		this.control.value = value ?? "";
		this.read = () => this.control.value || undefined;
	}
}

/** The values to choose from, each with its words; `null` where there is no list of them. */
function choicesOf({ enum: values, enumNames, oneOf, anyOf }) {
	if (oneOf ?? anyOf) return (oneOf ?? anyOf).map(({ const: value, title }) => [value, title ?? value]);
	return values?.map((value, place) => [value, enumNames?.[place] ?? value]) ?? null;
}

/** What a field is filled in with, with all of its digits where the browser can tell them. */
const withDigits = (key, value, context) => (key === "default" && typeof value === "number" ? context?.source ?? value : value);

/** A number with all of the digits that were typed, where the browser can send them. */
function exactNumber(text) {
	try {
		return JSON.rawJSON(text);
	} catch {
		return Number(text);
	}
}
