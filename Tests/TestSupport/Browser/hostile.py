"""Makes exported sessions: one with everything in it, written by an enemy, and one of any length."""

import json

EVIL = (
    "<img src=x onerror=alert(1)></script><script>alert(2)</script> "
    "\u202elive\u202c \x1b[31mred\x07 \u0000 \u200b end"
)
CAPS = {"rounds": 16, "calls": 32, "tokens": 8192, "seconds": 300, "depth": 3, "fanOut": 8}


class Session:
    def __init__(self, name):
        self.name = name
        self.rows = []
        self.at = 1795807000.0

    def add(self, kind, payload, conversation=1, turn=None, agent=None, run=None, after=0.01, **more):
        self.at += after
        row = {"id": len(self.rows) + 1, "conversation": conversation, "at": self.at, "kind": kind}
        row["payload"] = json.dumps(payload)
        given = {"turn": turn, "agent": agent, "run": run}
        row |= {key: value for key, value in given.items() if value is not None}
        row |= {key: json.dumps(value) for key, value in more.items() if value is not None}
        self.rows.append(row)
        return row["id"]

    def lines(self):
        header = {"format": "orchestrator session log", "version": 1, "session": self.name}
        footer = {"rows": len(self.rows), "checksum": "0"}
        return "\n".join(json.dumps(line) for line in [header, *self.rows, footer]) + "\n"


def text(content):
    return [{"id": "s", "type": "text", "text": content}]


def usage(read, cached, written, seconds, first, broken=None):
    value = {
        "tokensIn": read, "tokensCached": cached, "tokensOut": written, "seconds": seconds,
        "secondsToFirstToken": first, "contextSize": 4096,
    }
    return value | ({"cacheBreak": broken} if broken else {})


def calls(*given):
    listed = [{"id": id, "name": name, "arguments": json.dumps(arguments)} for id, name, arguments in given]
    return {"id": "c", "role": "response", "toolCalls": listed}


def output(id, tool, content):
    return {"id": id, "role": "tool", "toolCallID": id, "toolName": tool, "contents": text(content)}


def hostile():
    """A turn with a friend's friend, an approval, a death, a baton, a loop, a broken prefix and a cap."""
    s = Session("hostile " + EVIL)
    s.add("began", {"holder": "clerk", "name": s.name})
    s.add("prompted", {"id": "p", "role": "user", "contents": text("Do it " + EVIL)}, turn=1, caps=CAPS)

    def launched(agent, run, conversation, role):
        start = {"launcher": "local", "pid": 1000 + len(s.rows), "role": role, "model": EVIL, "log": ""}
        start["started"] = s.at - 978307200 + 0.005
        s.add("launched", start, conversation, None, agent, run, after=0.03)

    clerk = {"turn": 1, "agent": "clerk", "run": "clerk-1"}
    launched("clerk", "clerk-1", 1, "baton")
    tools = [{"name": "send", "description": EVIL}]
    s.add("recorded", {"id": "i", "role": "instructions", "contents": text(EVIL), "tools": tools}, **clerk)
    s.add("recorded", {"id": "r", "role": "reasoning", "reasoning": {"contents": text(EVIL)}}, **clerk, after=0.4)
    both = calls(("c1", "send", {"to": EVIL}), ("c2", "ask_title", {"topic": "x"}))
    s.add("recorded", both, **clerk, usage=usage(1072, 1000, 39, 0.5, 0.12))
    asked = s.add("askedApproval", {"callID": "c1", "tool": "send", "arguments": json.dumps({"to": EVIL})}, **clerk)
    s.add("began", {"holder": "title", "parent": {"callID": "c2", "turn": 1}}, 2)
    s.add("prompted", {"id": "p", "role": "user", "contents": text("a title")}, 2, 2, caps=CAPS)
    s.add("phoned", {"callID": "c2", "conversation": 2, "friend": "title", "prompt": "a title"}, **clerk)
    launched("title", "title-1", 2, "friend")
    s.add("recorded", calls(("d1", "ask_poet", {})), 2, 2, "title", "title-1", after=0.2, usage=usage(72, 0, 9, 0.2, 0.12))
    s.add("began", {"holder": "poet", "parent": {"callID": "d1", "turn": 2}}, 3)
    s.add("prompted", {"id": "p", "role": "user", "contents": text("a rhyme")}, 3, 3, caps=CAPS)
    launched("poet", "poet-1", 3, "friend")
    rhyme = {"id": "a", "role": "response", "contents": text("Rhyme")}
    s.add("recorded", rhyme, 3, 3, "poet", "poet-1", after=0.34, usage=usage(72, 60, 9, 0.3, 0.05))
    s.add("ended", {"exit": {"answered": {}}}, 3, 3)
    s.add("recorded", output("d1", "ask_poet", "Rhyme"), 2, 2, "title", "title-1")
    death = {"cause": "killed by signal 9", "lastLines": [EVIL, "fatal"], "tokensOut": 12, "partialText": EVIL}
    s.add("died", death, 2, 2, "title", "title-1", after=0.2)
    s.add("exited", {"outcome": "killed by signal 9", "cause": "signal"}, 2, None, "title", "title-1")
    s.add("ended", {"exit": {"failed": {"_0": "its process died"}}}, 2, 2)
    request = {"id": 7, "version": EVIL}
    s.add("calledServer", {"callID": "c1", "server": EVIL, "tool": EVIL, "request": request}, turn=1)
    decision = {"denial": EVIL, "by": "control"}
    s.add("answeredApproval", {"question": asked, "decision": decision}, turn=1, after=0.6)
    s.add("recorded", output("c1", "send", EVIL), **clerk)
    s.add("recorded", output("c2", "ask_title", "The friend died."), **clerk)
    report = {"exchanges": 2, "cutOutputs": 1, "tokensBefore": 4000, "tokensAfter": 2100, "window": 4096}
    s.add("changedState", {"properties": {EVIL: EVIL}, "context": report}, **clerk)
    s.add("passedBaton", {"from": "clerk", "to": "poet"}, turn=1)
    launched("poet", "poet-2", 1, "baton")
    poet = {"turn": 1, "agent": "poet", "run": "poet-2"}
    for place in range(5):
        broken = {"token": 1012, "lost": 488, "cause": EVIL, "was": "calm", "now": EVIL} if place == 2 else None
        request = usage(1500, 1012 if broken else 1400, 12, 0.2, 0.06, broken)
        s.add("recorded", calls((f"l{place}", "look_up", {"q": 1})), **poet, after=0.22, usage=request)
        s.add("recorded", output(f"l{place}", "look_up", "nothing"), **poet, after=0.08)
    answer = {"id": "a", "role": "response", "contents": text("\U0001f468\u200d\U0001f469\u200d\U0001f467 שלום " + EVIL)}
    s.add("recorded", answer, **poet, after=1.25, usage=usage(1700, 1690, 200, 1.2, 0.02))
    s.add("ended", {"exit": {"cap": {"_0": "rounds"}}}, turn=1)
    return s


def long(entries):
    """Turns of forty calls each, until there are so many facts."""
    s = Session("long")
    s.add("began", {"holder": "poet", "name": "long"})
    poet = {"agent": "poet", "run": "poet-1"}
    turn = 0
    while len(s.rows) < entries:
        turn += 1
        s.add("prompted", {"id": "p", "role": "user", "contents": text(f"Prompt {turn}")}, turn=turn, caps=CAPS)
        for place in range(40):
            call = calls((f"l{place}", "look_up", {"q": place}))
            s.add("recorded", call, **poet, turn=turn, after=0.22, usage=usage(1500, 1400, 12, 0.2, 0.06))
            s.add("recorded", output(f"l{place}", "look_up", "found " * 60), **poet, turn=turn)
        answer = {"id": "a", "role": "response", "contents": text(f"Done {turn}." + " more" * 60)}
        s.add("recorded", answer, **poet, turn=turn, after=1.3, usage=usage(1700, 1690, 200, 1.2, 0.02))
        s.add("ended", {"exit": {"answered": {}}}, turn=turn)
    return s
