"""Who takes part: the agents' instructions and tools, as they ship or with others in their place."""

import phrases as P

AGENTS = ("brainstorm", "tutorial", "coach")


class Cast:
    """The agents of one conversation. In the ones that do not ship, names, texts and tools are drawn anew."""

    def set_up(self):
        rng = self.rng
        if self.shipped:
            self.alias = {a: a for a in AGENTS}
            self.tool = {"baton": "pass_baton", "title": "generate_title", "query": "query_origami_database", "show": "show_directions", "final": "give_final_answer"}
            self.has = {"title", "query", "show", "baton"}
            self.key = {"title": "topic", "query": "name", "baton": "to", "final": "answer"}
        else:
            self.alias = {a: rng.choice(P.ALIAS[a]) for a in AGENTS}
            self.tool = {k: rng.choice(names) for k, (names, _) in P.TOOLS.items()}
            self.has = {k for k in ("title", "query", "show", "baton") if rng.random() > 0.07}
            self.key = {"title": rng.choice(("topic", "topic", "project")), "query": rng.choice(("name", "name", "model")),
                        "baton": rng.choice(("to", "to", "agent")), "final": "answer"}
        self.bare = rng.random() < 0.05  # no tools at all
        if self.bare:
            self.has = set()
        self.agent = rng.choices(AGENTS, (5, 3, 2))[0]

    def system(self, agent):
        names = ", ".join(self.models)
        if self.shipped and not self.reworded:
            return P.SYSTEM[agent].replace(" It has: {names}.", " It has: {names}." if self.told else "").replace("{names}", names)
        firsts, more = P.OTHER_SYSTEM[agent]
        manners = self.rng.sample(P.MANNERS, self.rng.randint(0, 2))
        parts = [self.pick(firsts)] + [self.pick(more)] * (self.rng.random() < 0.7) + manners
        if agent == "tutorial" and self.told:
            parts.insert(self.rng.randint(1, len(parts)), self.pick(P.NAMES).replace("{names}", names))
        return self.rng.choice((" ", " ", "\n")).join(p for p in parts if p)

    def schema(self, name, description, argument, choices=None):
        properties = {}
        if argument:
            properties[argument] = {"type": "string", **({"enum": choices} if choices else {})}
        return {"type": "function", "function": {"name": name, "description": description, "parameters": {
            "type": "object", "properties": properties, "required": [argument] if argument else []}}}

    def tools(self, agent, final=False):
        rng, found = self.rng, []
        others = {"brainstorm": ("tutorial", "coach"), "tutorial": ("brainstorm", "coach"), "coach": ("tutorial", "brainstorm")}[agent]
        if self.shipped:
            if agent == "brainstorm":
                found.append(self.schema("generate_title", "Ask a friend to write a creative project title.", "topic"))
            if agent == "tutorial":
                found.append(self.schema("query_origami_database", "Look up the folding steps of an origami model.", "name"))
                found.append(self.schema("show_directions", "Show the directions on the screen.", None))
            who = " or ".join(f"{o} ({P.WHAT[o]})" for o in others)
            found.append(self.schema("pass_baton", f"Give control to a different agent: {who}.", "to", list(others)))
            if final:
                found.append(self.schema("give_final_answer", "Give the final answer to the user.", "answer"))
            return found
        mine = {"brainstorm": ("title",), "tutorial": ("query", "show"), "coach": ()}[agent]
        for k in mine:
            if k in self.has:
                found.append(self.schema(self.tool[k], rng.choice(P.TOOLS[k][1]), self.key.get(k)))
        if "baton" in self.has:
            others = rng.sample(others, 2)
            who = " or ".join(self.alias[o] + (f" ({rng.choice(P.OTHER_WHAT[o])})" if rng.random() < 0.8 else "") for o in others)
            text = rng.choice(P.TOOLS["baton"][1]) + rng.choice((": ", ": ", ", ")) + who + "."
            found.append(self.schema(self.tool["baton"], text, self.key["baton"], [self.alias[o] for o in others]))
        if final:
            found.append(self.schema(self.tool["final"], rng.choice(P.TOOLS["final"][1]), "answer"))
        for name, description, argument in rng.sample(P.DISTRACTORS, rng.choice((0, 0, 1, 1, 2))):
            found.append(self.schema(name, description, argument))
        rng.shuffle(found)
        return found
