"""Plays held-out conversations through the product, and prints a table.

    python evaluate.py MODEL.gguf --orchestrator PATH --agents FOLDER [--cases 60] [--only things|all|required|prompts] [--verbose]
                        [--file PROMPTS.txt ...]

"things": things (half of them made-up words) never used in training, in a database of their own with steps of their own; known kinds of sentences.
"all": sentences and the agents' instructions are new as well.
"required": new things; the agents have to call, and end a turn with the answer in a call of give_final_answer.
"prompts": the hand-written ones in prompts.txt and prompts-2.txt to prompts-4.txt, with the agents as they are.
"--file": prompts of one's own, with rules like those, and the agents as they are. Counts by rule, and the numbers of the
blocks that went wrong; with --verbose what was said as well. A line whose rule is in plain words is played and not judged.
A conversation is scored turn by turn; the first turn that goes wrong is the last that counts.

    python evaluate.py OUT/model.pt        instead: teacher-forced, in PyTorch, no product
"""

import argparse
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from tokenizers import Tokenizer

import dialogues as D
import phrases as P
from sensible import Turn
from train import accuracy, kind, table
from tokenizer import pieces

HERE = Path(__file__).parent
PROMPTS = ("prompts.txt", "prompts-2.txt", "prompts-3.txt", "prompts-4.txt")
DATABASE = """enum OrigamiDatabase {
  private static let models: [String: [String]] = [
%s
  ]
  static var names: [String] { models.keys.sorted() }
  static func steps(of name: String) -> [String]? { models[name.lowercased()] }
}
"""
FINAL_ANSWER = """
struct GiveFinalAnswer: Tool {
  let name = "give_final_answer"
  let description = "Give the final answer to the user."

  @Generable
  struct Arguments {
    var answer: String
  }

  func call(arguments: Arguments) throws -> Never { throw FinalAnswer(arguments.answer) }
}
"""


class Product:
    def __init__(self, options, agents):
        self.options, self.agents, self.count = options, agents, 0
        self.home = Path(tempfile.mkdtemp(prefix="pocket."))
        self.environment = {**os.environ, "ORCHESTRATOR_HOME": str(self.home)}

    def run(self, *arguments, prompts=""):
        done = subprocess.run([str(self.options.orchestrator), *arguments], input=prompts, capture_output=True, text=True, timeout=300, env=self.environment)
        if done.returncode:
            print(done.stderr[-2000:], file=sys.stderr)
        return done.stdout

    def play(self, prompts, agent="brainstorm"):
        """The turns: what was called and said after each prompt, as events like the generator's."""
        self.count += 1
        session = f"case{self.count}"
        self.run("start", "--agents", str(self.agents), "--model", str(self.options.model.resolve()), "--session", session, "--agent", agent, prompts="\n".join(prompts) + "\n")
        turns = []
        for turn in json.loads(self.run("transcript", session, "--json"))["turns"]:
            events = []
            for item in turn["entries"]:
                entry, who = item["entry"], item.get("agent")
                text = "".join(c.get("text", "") for c in entry.get("contents", []))
                if entry.get("toolCalls"):
                    events += [("call", who, c["name"], json.loads(c["arguments"])) for c in entry["toolCalls"]]
                elif entry["role"] == "tool":
                    events.append(("output", text))
                elif entry["role"] == "response":
                    events.append(("say", who, text))
            turns.append(events)
        return turns

    def close(self):
        shutil.rmtree(self.home, ignore_errors=True)


def variant(source, rng, known, held_out):
    """A copy of the agents with another database; for "all" with other instructions, for "required" with that mode."""
    folder = Path(tempfile.mkdtemp(prefix="pocket-agents.")) / "Agents"
    shutil.copytree(source, folder)
    talk = D.Talk(rng, known, held_out, shipped=held_out != "all")
    talk.models, talk.told = sorted({talk.lower_noun() for _ in range(9)}), True
    database = {n: [talk.step() for _ in range(rng.randint(2, 6))] for n in talk.models}
    for path in folder.rglob("*.swift"):
        text = path.read_text()
        if "enum OrigamiDatabase" in text:
            text = DATABASE % "\n".join(f"    {json.dumps(n, ensure_ascii=False)}: {json.dumps(s, ensure_ascii=False)}," for n, s in database.items())
        agent = re.search(r'let name = "(\w+)"', text)
        if agent and agent[1] in P.SYSTEM:
            system = json.dumps(talk.system(agent[1]), ensure_ascii=False)
            text = re.sub(r'Instructions\(\s*("""(?:.|\n)*?"""|"[^"]*"(?:\s*\+\s*"[^"]*")*)\s*\)', lambda _: f"Instructions({system})", text)
        if held_out == "required" and "PassBaton(" in text:
            text = text.replace("    }\n    .samplingMode", "      GiveFinalAnswer()\n    }\n    .toolCallingMode(.required)\n    .samplingMode") + FINAL_ANSWER
        path.write_text(text)
    return folder, database


def ended_by_calls(events, score):
    """The answer that the last call of a turn holds, as if it had been said."""
    for i, e in enumerate(events):
        if e[0] == "call" and e[2] == "give_final_answer":
            score["turns ended by the tool"][0] += 1
            events = events[:i] + [("say", e[1], e[3].get("answer", ""))]
            break
    score["turns ended by the tool"][1] += 1
    return events


def held_out(options, which, known):
    score = defaultdict(lambda: [0, 0])
    rng = random.Random(2027)
    for batch in range(4):
        folder, database = variant(options.agents, rng, known, which)
        product = Product(options, folder)
        for _ in range(options.cases // 4):
            while True:
                talk = D.Talk(rng, known, which, shipped=True, database=database)
                talk.bare = False
                talk.has = {"title", "query", "show", "baton"}
                first = talk.agent
                talk.play(rng.randint(1, 2 if which == "required" else 4))  # the calls take room in the window
                if not any(e[0] == "output" and "could not answer" in e[1] for e in talk.events):
                    break  # friends do not fail on demand
            prompts = [e[1] for e in talk.events if e[0] == "user"]
            expected = []
            for e in talk.events:
                expected.append([]) if e[0] == "user" else expected[-1].append(e)
            for prompt, want, got in zip(prompts, expected, product.play(prompts, first)):
                got = ended_by_calls(got, score) if which == "required" else got
                if not compare(want, got, score):
                    if options.verbose:
                        print(f"  {which}: {prompt}\n    wanted {trace(want)}\n    got    {trace(got)}")
                    break
        product.close()
        shutil.rmtree(folder.parent)
    return score


def compare(want, got, score):
    """Counts tools, arguments and answers of one turn; False where the conversations part."""
    got, fresh = list(got), None
    for e in want:
        if e[0] == "output":
            if got and got[0][0] == "output":
                fresh = got.pop(0)[1]
            continue
        g = got.pop(0) if got else ("nothing",)
        if e[0] == "call":
            name = g[0] == "call" and g[2] == e[2]
            score["tool"][0] += name
            score["tool"][1] += 1
            good = name and g[3] == e[3]
            score["tool and arguments"][0] += good
            score["tool and arguments"][1] += 1
        else:
            text = D.article(f'How about "{fresh}"?') if e[2].startswith('How about "') else e[2]
            good = g[0] == "say" and g[2].strip() == text
            what = "ideas" if kind(text) == "ideas" else "closed answers"
            score[what][0] += good
            score[what][1] += 1
            score["  " + kind(text)][0] += good
            score["  " + kind(text)][1] += 1
        if not good:
            return False
    return True


def trace(events):
    parts = []
    for e in events:
        if e[0] == "call":
            parts.append(f"{e[2]}({', '.join(map(str, e[3].values()))})")
        elif e[0] == "say":
            parts.append(e[2])
    return " ".join(parts).replace("\n", " ")


def blocks(name):
    """The conversations of a file of prompts: who begins, and pairs of a prompt and its rule."""
    for block in re.split(r"\n\s*\n", (HERE / name).read_text()):
        lines = [line for line in block.split("\n") if line and not line.startswith("#")]
        agent = lines.pop(0).split(" ")[1] if lines and lines[0].startswith("agent ") else "brainstorm"
        if lines:
            yield agent, [(prompt, rule) for prompt, _, rule in (line.partition(" => ") for line in lines)]


def by_hand(options, name):
    score = defaultdict(lambda: [0, 0])
    product = Product(options, options.agents)
    for number, (agent, cases) in enumerate(blocks(name), 1):
        turns = product.play([prompt for prompt, _ in cases], agent)
        what = "single prompts" if len(cases) == 1 else "turns of conversations"
        holder, said, all_good = agent, "", len(turns) == len(cases)
        for (prompt, rule), events in itertools.zip_longest(cases, turns, fillvalue=[]):
            said += f" {prompt}"
            turn = Turn(events, holder, said)
            judged = callable(getattr(Turn, re.split(r"[ |]", rule)[0], None))
            fault = turn.fault(rule, P.DATABASE) if judged else None
            all_good &= fault is None
            if judged:
                kinds = (what,) if name in PROMPTS else (what, "  " + rule.split(" ")[0])
                for counted in kinds:
                    score[counted][0] += fault is None
                    score[counted][1] += 1
            if fault and name not in PROMPTS:
                print(f"  wrong: block {number}", flush=True)
            if options.verbose:
                print(f"  {'BAD' if fault else 'ok ' if judged else '   '} {number} {holder}> {prompt}\n        {trace(events)}" + (f"\n        -- {rule}: {fault}" if fault or not judged else ""), flush=True)
            holder = turn.speaker or holder
            said += " ".join([" ", *turn.outputs, turn.answer])
        if len(cases) > 1:
            score["whole conversations"][0] += all_good
            score["whole conversations"][1] += 1
            if options.verbose:
                print(f"  {'ok' if all_good else 'BAD'}: the conversation\n")
    product.close()
    return score


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("model", type=Path)
    options.add_argument("--orchestrator", type=Path, default=Path("orchestrator"))
    options.add_argument("--agents", type=Path, default=HERE.parent.parent / "Agents")
    options.add_argument("--cases", type=int, default=60)
    options.add_argument("--only")
    options.add_argument("--file", type=Path, nargs="+", default=[])
    options.add_argument("--tokenizer", type=Path, help="default: tokenizer.json beside the model")
    options.add_argument("--verbose", action="store_true")
    o = options.parse_args()
    tokenizer = None if o.file else Tokenizer.from_file(str(o.tokenizer or o.model.with_name("tokenizer.json")))
    if o.model.suffix == ".pt":
        from model import Pocket

        for which in ("", "things", "all"):
            print(f"new {which or 'nothing'}: {table(*accuracy(Pocket.load(o.model)[0], tokenizer, which, o.cases))}")
        return
    wanted = (o.only,) if o.only else ("things", "all", "required", "prompts")
    for which in o.file and [p.resolve() for p in o.file] or [name for w in wanted for name in (PROMPTS if w == "prompts" else (w,))]:
        score = by_hand(o, which) if which in PROMPTS or o.file else held_out(o, which, pieces(tokenizer))
        print(f"\n{which}")
        for name, (right, total) in score.items():
            print(f"  {name:24} {right:4}/{total:<4} {right / total:6.1%}")


if __name__ == "__main__":
    main()
