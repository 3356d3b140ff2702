"""Whether an answer to a hand-written prompt is sensible: the rules that stand at the top of prompts.txt."""

import re

import phrases as P

TRADE = {"ideas": "brainstorm", "title": "brainstorm", "steps": "tutorial", "missing": "tutorial", "again": "tutorial", "line": "tutorial",
         "models": "tutorial", "show": "tutorial", "praise": "coach", "tip": "coach"}
PRAISE = re.compile(r"^(well done|nice|good|lovely|great)\b[^!.?]*[!.]", re.I)


def words(text):
    return re.findall(r"[a-z']+", text.lower())


def vocabulary():
    """Every word of the trade: what the agents can say where they copy nothing."""
    texts = [P.ANY, P.ANY_TIP, P.FOREIGN, *P.MORE, *P.PROBLEMS.values(), *P.STEMS.values(), *P.TIPS.values(), *P.TITLES]
    texts += [text for said in P.ROLES.values() for text in said.values()]
    texts += [ideas for group in (P.MATERIALS, P.OCCASIONS, P.PEOPLE) for ideas in group.values()]
    texts += [line for lines in P.DATABASE.values() for line in lines]
    texts.append("With for a an you could also make or which one do you like is good choice would title the steps how about here is to fold"
                 " well done on so far could not you your get keep keeps should be are there step directions screen with pleasure database know there no I my in sorry could not get")
    return {word for text in texts for word in words(text)}


KNOWN = vocabulary()


class Turn:
    """What happened after one prompt. `events` are like the generator's; `before` is all that was said up to the prompt, with it."""

    def __init__(self, events, holder, before):
        self.calls = [(e[2], e[3]) for e in events if e[0] == "call"]
        self.outputs = [e[1] for e in events if e[0] == "output"]
        said = [e for e in events if e[0] == "say"]
        self.answer = "\n".join(e[2] for e in said).strip()
        self.speaker = said[-1][1] if said else None
        self.holder, self.before = holder, before

    def fault(self, rule, database):
        """What is wrong with the turn, or nothing."""
        faults = []
        for one in rule.split("|") if rule.startswith("small|") else [rule]:
            kind, _, wanted = re.sub(r"#(\d)", self.idea, one).partition(" ")
            faults.append(self.always(kind) or getattr(self, kind)(wanted, database))
        return next((None for f in faults if f is None), faults[0])

    def idea(self, number):
        """The first, second or third of the ideas that were named last, for #1, #2 or #3."""
        named = re.findall(r"could (?:also )?make (.+?)\. Which", self.before)
        return re.sub(r"^an? ", "", re.split(r", | or ", named[-1])[int(number[1]) - 1]) if named else number[0]

    def always(self, kind):
        if not self.answer:
            return "no answer"
        if "<tool_call" in self.answer or '"arguments"' in self.answer:
            return "a raw call"
        if self.answer[-1] not in '.!?"':
            return "cut off"
        heard = {form for word in words(" ".join([self.before, *self.outputs])) for form in (word, word.removesuffix("'s"))}
        strange = [w for w in words(self.answer) if w not in KNOWN and w not in heard]
        if strange:
            return f"no word: {', '.join(strange)}"
        agent = TRADE.get(kind, self.holder)
        passes = [a.get("to") for name, a in self.calls if name == "pass_baton"]
        if self.speaker != agent or passes != [agent] * (self.holder != agent):
            return f"answered by {self.speaker}, baton to {passes}"
        return None

    def own_calls(self, *expected):
        """The calls but for the baton are these: (tool, word in the argument)."""
        own = [(name, " ".join(map(str, a.values())).lower()) for name, a in self.calls if name != "pass_baton"]
        if len(own) != len(expected) or any(g[0] != w[0] or not re.search(w[1], g[1]) for g, w in zip(own, expected)):
            return f"called {own}"
        return None

    def has(self, wanted):
        return re.search(rf"\b({wanted.lower()})", self.answer.lower()) is not None

    def lines(self, database, wanted):
        model = next(m for m in database if m in wanted.lower())
        return "\n".join(f"{i}. {line}" for i, line in enumerate(database[model], 1))

    # The rules

    def ideas(self, wanted, _):
        three = re.search(r"make (.+?), (.+?) or (.+?)[.?!]", self.answer)
        if fault := self.own_calls():
            return fault
        if three and len({t.split(" ", 1)[-1] for t in three.groups()}) == 3:
            return None if not wanted or self.has(wanted) else "for what?"
        return None if not wanted and re.search(r"work with|would you like", self.answer) else "no three ideas"

    def title(self, wanted, _):
        if fault := self.own_calls(("generate_title", wanted)):
            return fault
        return None if self.outputs[-1].strip(" .").lower() in self.answer.lower() else "not the friend's title"

    def steps(self, wanted, database):
        if fault := self.own_calls(("query_origami_database", wanted)):
            return fault
        return None if self.answer.endswith("\n" + self.lines(database, wanted)) and self.has(wanted) else "not the steps"

    def again(self, wanted, database):
        if self.calls and (fault := self.own_calls(("query_origami_database", wanted))):
            return fault
        return None if self.answer.endswith("\n" + self.lines(database, wanted)) else "not the steps"

    def line(self, wanted, database):
        others = [line for lines in database.values() for line in lines if line != wanted and line in self.answer]
        return None if wanted in self.answer and not others else "not the step"

    def missing(self, wanted, database):
        if fault := self.own_calls(("query_origami_database", wanted)):
            return fault
        listed = re.search(r": ([^.]*)\.", self.answer)
        if not listed or sorted(listed[1].split(", ")) != sorted(database):
            return "not the models"
        return None if re.search(rf"no ({wanted})", self.answer.lower()) else "no what?"

    def models(self, _, database):
        listed = re.search(r": ([^.]*)\.", self.answer)
        if fault := self.own_calls():
            return fault
        return None if listed and sorted(listed[1].split(", ")) == sorted(database) else "not the models"

    def foreign(self, _, database):
        return f"called {self.calls}" if self.calls else None if self.has("only understand english") else "no word of English"

    def show(self, _, database):
        if fault := self.own_calls(("show_directions", "")):
            return fault
        return None if self.has("screen") else "no word of the screen"

    def praise(self, wanted, _):
        if fault := self.own_calls():
            return fault
        if not PRAISE.match(self.answer) or "?" in self.answer:
            return "no praise"
        if not any(self.answer.endswith(tip) for tip in P.TIPS.values()):
            return "no tip"
        return None if self.has(wanted) else "praise for what?"

    def tip(self, wanted, _):
        part, fault_word = wanted.split(" ")
        if fault := self.own_calls():
            return fault
        if not PRAISE.match(self.answer) or not self.has(part) or not self.has(fault_word):
            return "not what is wrong"
        parts = "|".join(re.escape(w) for w in words(self.before)) + "|" + part
        tips = [re.escape(t).replace(re.escape("the {p}"), rf"(?:it|them|the (?:[a-z']+ )?(?:{parts}))") for t in (*P.PROBLEMS.values(), *P.STEMS.values(), P.ANY_TIP)]
        return None if any(re.search(rf"[.?!] {t}$", self.answer) for t in tips) else "no whole tip"

    def pick(self, wanted, _):
        return self.own_calls() or (None if self.has(wanted) else "picked what?")

    def small(self, _, database):
        if self.calls:
            return f"called {self.calls}"
        return None if self.has("hello|welcome|pleasure|goodbye|i suggest|i explain|i look|i give") else "no small talk"

    def sorry(self, _, database):
        if self.calls:
            return f"called {self.calls}"
        return None if self.has("sorry") and self.has("only know|only give") else "no refusal"
