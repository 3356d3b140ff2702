// A list that holds any number of rows and has elements only for those in sight.

import { el, isPlain } from "./text.js";

export const isAtEnd = (view) => view.scrollTop + view.clientHeight >= view.scrollHeight - 24;

export class VirtualList {
	/** `guess` says how high a row is before it is measured, `make` makes its element. */
	constructor(view, { guess, make, activate }) {
		Object.assign(this, { view, guess, make, activate });
		this.rows = [];
		this.heights = new Map();
		this.elements = new Map();
		this.tops = new Float64Array(1);
		this.focused = null;
		this.before = el("div", { class: "space", "aria-hidden": "true" });
		this.after = el("div", { class: "space", "aria-hidden": "true" });
		view.append(this.before, this.after);
		view.addEventListener("scroll", () => this.schedule(), { passive: true });
		view.addEventListener("keydown", (event) => this.move(event));
		view.addEventListener("click", (event) => this.clicked(event));
		new ResizeObserver(() => {
			if (view.clientWidth !== this.width) this.heights.clear();
			this.width = view.clientWidth;
			this.measure();
			this.schedule();
		}).observe(view);
	}

	/** Shows rows: objects with a `key`, and a `version` that changes with their looks. */
	show(rows) {
		const wasAtEnd = isAtEnd(this.view);
		this.rows = rows;
		this.places = null;
		this.measure();
		this.render();
		if (wasAtEnd && this.follows) this.scrollToEnd();
	}

	scrollToEnd() {
		// The rows at the end have their true height only when they have been in sight.
		for (let round = 0; round < 3; round += 1) {
			this.view.scrollTop = this.view.scrollHeight;
			this.render();
		}
	}

	scrollTo(key) {
		const place = this.place(key);
		if (place < 0) return;
		const top = this.tops[place];
		const bottom = this.tops[place + 1];
		if (top < this.view.scrollTop) this.view.scrollTop = Math.max(0, top - 40);
		else if (bottom > this.view.scrollTop + this.view.clientHeight) {
			this.view.scrollTop = bottom - this.view.clientHeight + 40;
		}
		this.render();
	}

	place(key) {
		this.places ??= new Map(this.rows.map((row, place) => [row.key, place]));
		return this.places.get(key) ?? -1;
	}

	height(row) {
		return this.heights.get(row.key) ?? this.guess(row);
	}

	measure() {
		const tops = new Float64Array(this.rows.length + 1);
		for (let place = 0; place < this.rows.length; place += 1) {
			tops[place + 1] = tops[place] + this.height(this.rows[place]);
		}
		this.tops = tops;
	}

	schedule() {
		this.frame ??= requestAnimationFrame(() => {
			this.frame = undefined;
			this.render();
		});
	}

	/** The first row that ends below an offset. */
	find(offset) {
		let [low, high] = [0, this.rows.length];
		while (low < high) {
			const middle = (low + high) >> 1;
			if (this.tops[middle + 1] <= offset) low = middle + 1;
			else high = middle;
		}
		return low;
	}

	render() {
		const reach = this.view.clientHeight || 600;
		const first = Math.max(0, this.find(this.view.scrollTop - reach / 2));
		const last = Math.min(this.rows.length, this.find(this.view.scrollTop + reach * 1.5) + 1);
		const wanted = new Set();
		let next = this.before.nextSibling;
		for (let place = first; place < last; place += 1) {
			const row = this.rows[place];
			wanted.add(row.key);
			let known = this.elements.get(row.key);
			if (!known || known.version !== row.version) {
				const element = this.make(row);
				element.dataset.key = row.key;
				element.tabIndex = -1;
				if (known) {
					const hadFocus = known.element.contains(document.activeElement);
					if (known.element === next) next = element;
					known.element.replaceWith(element);
					if (hadFocus) element.focus({ preventScroll: true });
				}
				known = { element, version: row.version };
				this.elements.set(row.key, known);
			}
			known.element.setAttribute("aria-posinset", place + 1);
			known.element.setAttribute("aria-setsize", this.rows.length);
			known.element.tabIndex = row.key === this.focused || (!this.focused && place === first) ? 0 : -1;
			if (known.element === next) next = next.nextSibling;
			else this.view.insertBefore(known.element, next);
		}
		for (const [key, { element }] of this.elements) {
			if (wanted.has(key)) continue;
			if (element.contains(document.activeElement)) this.view.focus({ preventScroll: true });
			element.remove();
			this.elements.delete(key);
		}
		this.before.style.height = `${this.tops[first] ?? 0}px`;
		this.after.style.height = `${this.tops[this.rows.length] - (this.tops[last] ?? 0)}px`;
		this.remember(first);
	}

	/** Takes the true heights of what was shown, and keeps what is in sight where it is. */
	remember(first) {
		let shift = 0;
		let isChanged = false;
		for (const [key, { element }] of this.elements) {
			const height = element.offsetHeight;
			if (!height) continue;
			const place = this.place(key);
			const known = this.height(this.rows[place]);
			if (Math.abs(known - height) < 1) continue;
			this.heights.set(key, height);
			isChanged = true;
			if (this.tops[place + 1] <= this.view.scrollTop) shift += height - known;
		}
		if (!isChanged) return;
		this.measure();
		this.before.style.height = `${this.tops[first] ?? 0}px`;
		if (shift) this.view.scrollTop += shift;
		this.schedule();
	}

	rowOf(target) {
		const element = target.closest?.("[data-key]");
		return element && this.rows[this.place(element.dataset.key)];
	}

	clicked(event) {
		const row = this.rowOf(event.target);
		if (!row || event.target.closest("button, a, input, textarea, summary")) return;
		if (document.getSelection()?.toString()) return;
		this.focus(row.key);
		this.activate(row);
	}

	focus(key) {
		this.focused = key;
		this.scrollTo(key);
		this.render();
		this.elements.get(key)?.element.focus({ preventScroll: true });
	}

	move(event) {
		if (!isPlain(event)) return;
		const row = this.rowOf(event.target);
		const place = row ? this.place(row.key) : this.find(this.view.scrollTop) - 1;
		const page = Math.max(1, this.find(this.view.scrollTop + this.view.clientHeight) - this.find(this.view.scrollTop) - 1);
		const steps = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page, Home: -this.rows.length, End: this.rows.length };
		if (event.key in steps) {
			const next = this.rows[Math.min(this.rows.length - 1, Math.max(0, place + steps[event.key]))];
			event.preventDefault();
			if (!next) return;
			this.focus(next.key);
			this.activate(next);
		} else if ((event.key === "Enter" || event.key === " ") && row && event.target === this.elements.get(row.key)?.element) {
			event.preventDefault();
			this.activate(row, true);
		}
	}
}
