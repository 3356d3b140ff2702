"""Checks what the generator makes, after proving on broken dialogues that the check fires.

    python check.py [N]        looks at N dialogues (default 3000) and says how many texts it saw

A learnt text is never empty; what a call hands over, and every name, line and part in an answer, stands in the
dialogue before it. (Whom the baton can go to is known by heart.)
"""

import json
import random
import re
import sys

import dialogues as D
from cast import AGENTS

EMPTY = re.compile(r"\W*")
COPIES = (  # in an answer, what has to stand in the dialogue before it
    re.compile(r"^Here is how to fold the (.+):\n"),
    re.compile(r"(?m)^\d+\. (.+)$"),
    re.compile(r"^Sorry, there is no (.+) in my database\. I know: (.+)\. Which"),
    re.compile(r"^I know: (.+)\. Which"),
    re.compile(r'^How about "(?!My )(.+)"\?'),
    re.compile(r"^Step \d+: (.+)$"),
    re.compile(r"^The directions for the (.+) are on"),
    re.compile(r"^The (.+) is a good choice"),
    re.compile(r"^Well done on the (.+?)!"),
)


class Broken(ValueError):
    pass


def plain(text):
    """Hyphens, case and articles may change on the way from a person's words to an answer."""
    return re.sub(r"\b(a|an|the)\b|\W", "", text.lower())


def look(segments):
    """Raises Broken at the first learnt text that is empty or is copied from nowhere. How many there are."""
    heard, seen = "", 0
    for text, learnt in segments:
        said = text.removesuffix(D.END)
        if learnt:
            seen += 1
            if EMPTY.fullmatch(said):
                raise Broken(f"empty after …{heard[-200:]}")
            for copy in copies(said):
                if plain(copy) not in plain(heard):
                    raise Broken(f"{copy!r} comes from nowhere, after …{heard[-300:]}")
        heard += text
    return seen


def copies(said):
    """The parts of a text that have to be copies."""
    called = re.fullmatch(r"<tool_call>\n(.*)\n</tool_call>", said)
    if called:
        arguments = json.loads(called[1])["arguments"]
        return [v for k, v in arguments.items() if k != "answer" and v not in AGENTS]
    return [group for pattern in COPIES for match in pattern.finditer(said) for group in match.groups()]


def prove():
    """The check fires: on an empty answer, on a step from nowhere, on a call about something else."""
    before = [(f"{D.START}user\nfold a boat{D.END}\n{D.START}assistant\n", False)]
    for broken in ("", " ", "Here is how to fold the boat:\n1. Fly away.", '<tool_call>\n{"name": "q", "arguments": {"name": "kite"}}\n</tool_call>'):
        try:
            look(before + [(broken + D.END, True)])
        except Broken:
            continue
        raise AssertionError(f"the check let this pass: {broken!r}")
    look(before + [('<tool_call>\n{"name": "q", "arguments": {"name": "boat"}}\n</tool_call>' + D.END, True)])


if __name__ == "__main__":
    prove()
    rng, seen = random.Random(), 0
    number = int(sys.argv[1]) if sys.argv[1:] else 3000
    for held_out in ("", "things", "all"):
        for _ in range(number // 3):
            seen += look(D.sample(rng, D.SYLLABLES, held_out=held_out))
    print(f"{seen} learnt texts in {number} dialogues: none is empty, and every copy has its source")
