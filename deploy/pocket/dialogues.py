"""Makes the dialogues that the model learns from: conversations of a person with three agents.

A conversation is played once, by rules, and then rendered as one of its agents sees it: that agent's
instructions and tools at the top, the whole shared transcript below. What this agent said is learnt.
Every answer follows from what can be seen, so that greedy decoding has one right answer to find.

    python dialogues.py [N] [--held-out]      prints N of them

`held_out` is "" in training, "things" for things that are never used there, "all" for sentences and
instructions too.
"""

import json
import random
import re
import sys

import phrases as P
import voices
from cast import Cast
from words import Words, article, band, expand

START, END = "<|im_start|>", "<|im_end|>"
WINDOW = 16  # the agents that ship see so many entries of the transcript: Agents/*.swift, rollingWindow
HEAD = "\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with function signatures within <tools></tools> XML tags:\n<tools>"
FOOT = '\n</tools>\n\nFor each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>'


class Talk(Words, Cast):
    """One conversation, and what there is to know about it."""

    def __init__(self, rng, pieces, held_out="", shipped=None, database=None):
        self.rng, self.pieces = rng, pieces
        self.database = database  # what can be looked up; anything, where there is none
        self.new_things, self.new_sentences = held_out != "", held_out == "all"
        self.shipped = rng.random() < 0.85 if shipped is None else shipped
        self.reworded = self.shipped and (self.new_sentences or rng.random() < 0.25)  # the same tools, told to do the same in other words
        self.events = []  # ("user", text) | ("call", agent, tool, arguments) | ("output", text) | ("say", agent, text)
        self.thing = self.topic = self.steps = self.looked = None
        self.ideas, self.missed, self.asked_more, self.at = [], [], 0, 0
        self.offered = None  # what "yes" would say yes to
        self.models = sorted(database) if database else self.some_models()
        self.told = bool(database) or rng.random() < (0.75 if self.reworded or not self.shipped else 0.96)
        self.set_up()

    # What happens

    def user(self, text):
        self.events.append(("user", text))

    def say(self, text):
        if not re.search(r"\w", text):
            raise ValueError(f"{self.agent} answers with nothing: {self.events[-3:]}")
        self.events.append(("say", self.agent, article(text)))

    def call(self, tool, **arguments):
        self.events.append(("call", self.agent, self.tool[tool], {self.key[tool]: v for v in arguments.values()}))

    def output(self, text):
        if not re.search(r"\w", text):
            raise ValueError(f"a tool gives nothing: {self.events[-3:]}")
        self.events.append(("output", text))

    def baton(self, to):
        """Passes the baton where it has to go; false where that is not possible."""
        if self.agent == to:
            return True
        if "baton" not in self.has:
            self.say(f"Sorry, I cannot pass you to the {self.alias[to]}. " + P.ROLES[self.agent]["out"].split(". ")[1])
            return False
        self.call("baton", to=self.alias[to])
        self.agent = to
        self.output(f"The baton is now with {self.alias[to]}.")
        return True

    def fold(self, name):
        if not self.baton("tutorial"):
            return
        if "query" not in self.has:
            return self.say(f"Sorry, I cannot look up the {name} without the origami database.")
        self.call("query", name=name)
        if not self.has_steps(name):
            listed = ", ".join(self.models)
            self.output(f"There is no {name} in the database. There are: {listed}.")
            self.missed = self.models
            return self.say(f"Sorry, there is no {name} in my database. I know: {listed}. Which one would you like?")
        self.thing = self.topic = self.looked = name
        self.missed = []
        self.steps = self.database[name.lower()] if self.database else self.folds(name.lower())
        self.output(self.listed())
        self.say(f"Here is how to fold the {name}:\n{self.listed()}")

    def has_steps(self, name):
        """By the name, or where the database is not made for a test, by one of its words, as the shipped one does it."""
        name = name.lower()
        return name in self.models or (not self.database and any(word in self.models for word in name.split(" ")))

    def some_models(self):
        if self.shipped and not self.new_things and self.rng.random() < 0.4:
            return sorted(P.DATABASE)
        return sorted({self.lower_noun() for _ in range(self.rng.choice((1, 2, 3, 4, 5, 5, 6, 7, 8, 9, 9)))})

    def folds(self, name):
        """The steps of a model. Lines that look alike are what a copy has to keep apart, so half of the lists have few words."""
        rng = self.rng
        if self.shipped and not self.new_things and name in P.DATABASE and rng.random() < 0.8:
            return P.DATABASE[name]
        number = rng.randint(2, 7)
        if rng.random() < 0.5:
            return [self.step() for _ in range(number)]
        verbs, places, ends = (rng.sample(words, k) for words, k in ((P.VERBS_OF_FOLDING, 2), (P.PLACES, 4), (P.ENDS, 4)))
        verbs[0] = rng.choice((verbs[0], "Fold"))
        every = [f"{v} {p} {e}." for v in verbs for p in places for e in ends]
        return rng.sample(every, number)

    def listed(self):
        return "\n".join(f"{i}. {s}" for i, s in enumerate(self.steps, 1))

    def step(self):
        rng = self.rng
        dice = rng.random()
        if dice < 0.75:
            text = f"{rng.choice(P.VERBS_OF_FOLDING)} {rng.choice(P.PLACES)} {rng.choice(P.ENDS)}"
            if rng.random() < 0.2:
                words = text.split(" ")
                words[rng.randrange(1, len(words))] = self.made_up(2)
                text = " ".join(words)
        else:  # anything at all
            text = " ".join(rng.choice((self.made_up(1), self.made_up(2), rng.choice(P.PLACES), rng.choice(P.ENDS), "the")) for _ in range(rng.randint(2, 6)))
            text = text[0].upper() + text[1:]
        return text + ("." if rng.random() < 0.85 else "")

    def suggest(self, lead, three, topic):
        self.ideas = [re.sub(r"^an? ", "", i) for i in re.split(r", | or ", three)]
        self.topic, self.thing = topic, None
        self.say(f"{lead} you could make {three}. Which one do you like?")

    # Turns: what the person says, and what follows from it

    def for_whom(self, text):
        """Adds whom it is for, where the sentence leaves room for it."""
        return text if re.search(r"[.,?]", text) else text + self.rng.choice(P.FOR_WHOM)

    def material(self):
        rng = self.rng
        if rng.random() < 0.6:
            return rng.choice(list(P.MATERIALS) if rng.random() < 0.7 else P.WRITTEN["materials"])
        return self.noun() if rng.random() < 0.8 else f"{rng.choice(voices.WHICH_MATERIAL)} {self.noun()}s"

    def turn_ideas(self):
        rng, dice = self.rng, self.rng.random()
        again = self.agent == "brainstorm" and self.ideas and rng.random() < 0.35
        people = rng.choice(list(P.PEOPLE) if rng.random() < 0.7 else P.WRITTEN["people"]) if rng.random() < 0.8 else rng.choice(voices.PEOPLE).format(self.noun())
        if dice < 0.45:
            m = self.material()
            fits = P.MATERIALS.get(m) or P.ANY
            if rng.random() < 0.1:
                m = ", ".join([m] + [self.material()] * (rng.random() < 0.4)) + " and " + self.material()
            text = self.pick(P.IDEAS_M_AGAIN) if again else self.pick(P.IDEAS_M, "ideas_m")
            self.user(self.utter(self.for_whom(text) if rng.random() < 0.3 else text, m=m, a=people))
            if self.baton("brainstorm"):
                self.suggest(f"With {m}", fits, m)
        elif dice < 0.58:
            day = rng.choice(P.NAMED_DAYS) if rng.random() < 0.6 else self.made_up(3) + rng.choice(("", "", " day"))
            said = day.title().replace("'S", "'s") if rng.random() < 0.6 else day
            self.user(self.utter(self.for_whom(self.pick(P.IDEAS_DAY + P.IDEAS_A_DAY * (day in P.NAMED_DAYS), "ideas_d")), d=said, a=people))
            if self.baton("brainstorm"):
                self.suggest(f"For {said}", P.OCCASIONS.get(day) or P.ANY, said)
        elif dice < 0.75:
            known = rng.random() < 0.7
            names = [o for o in P.OCCASIONS if o not in P.NAMED_DAYS] if rng.random() < 0.6 else P.WRITTEN["occasions"]
            o = rng.choice(names) if known else self.noun() + ("" if not again and rng.random() < 0.3 else rng.choice(voices.OCCASIONS))
            text = self.for_whom(self.pick(P.IDEAS_O_AGAIN) if again else self.pick(P.IDEAS_O, "ideas_o"))
            said = o.replace(" ", "-") if " project" in text and rng.random() < 0.4 else o
            self.user(self.utter(text, o=said, a=people))
            if self.baton("brainstorm"):
                self.suggest(article(f"For a {o}"), P.OCCASIONS.get(o) or P.ANY, o)
        elif dice < 0.92:
            text = self.pick(P.IDEAS_A_AGAIN) if again else self.pick(P.IDEAS_NEWS if rng.random() < 0.3 else P.IDEAS_A, "ideas_a")
            self.user(self.utter(text, a=people, g=self.noun))
            if self.baton("brainstorm"):
                self.suggest(f"For {people}", P.PEOPLE.get(people) or P.ANY, re.sub(r"^(my|a) ", "", people))
        else:
            self.user(self.utter(self.pick(P.IDEAS, "ideas")))
            self.welcome()

    def turn_new_ideas(self):
        here = self.agent == "brainstorm" and self.events and "Which one do you like?" in self.events[-1][-1] and self.rng.random() < 0.4
        self.user(self.utter(self.pick(P.NEW_IDEAS_HERE) if here else self.pick(P.NEW_IDEAS, "new_ideas")))
        self.more_ideas()

    def welcome(self):
        if self.baton("brainstorm"):
            self.say(P.ROLES["brainstorm"]["hello"].replace("Hello! I suggest craft projects.", "With pleasure!"))

    def more_ideas(self):
        if self.baton("brainstorm"):
            three = P.MORE[self.asked_more % len(P.MORE)]
            self.asked_more += 1
            self.ideas, self.thing = [re.sub(r"^an? ", "", i) for i in re.split(r", | or ", three)], None
            self.topic = self.ideas[0]
            self.say(f"You could also make {three}. Which one do you like?")

    def turn_pick(self):
        k = self.rng.randrange(3)
        thing, dice = self.ideas[k], self.rng.random()
        if dice < 0.2:  # what nobody suggested is what was chosen all the same
            thing = self.noun() if dice < 0.12 else self.idea()
            self.user(self.utter(self.pick([s for s in P.PICK if " {x}" in s], "pick"), x=thing))
        elif dice < 0.7:
            self.user(self.utter(self.pick(P.PICK, "pick"), x=thing))
        else:
            self.user(self.utter(self.pick(P.PICK_NTH, "pick_nth"), n=self.nth(k, 3), k=self.count(k + 1)))
        self.thing = self.topic = thing
        self.say(f"The {thing} is a good choice! Would you like a title for it?")
        self.offered = "title"

    def turn_yes(self):
        """Yes to what was offered by the sentence before."""
        offered, self.offered = self.offered, None
        self.user(self.utter(self.pick(P.YES), plain=self.rng.random() < 0.6))
        if offered == "title":
            self.title(self.topic)
        else:
            self.more_ideas() if offered == "more" else self.welcome()

    def turn_no(self):
        self.offered = None
        self.user(self.utter(self.pick(P.NO), plain=self.rng.random() < 0.6))
        self.say(P.ROLES[self.agent]["no"])

    def idea(self):
        """One of all ideas that are ever given."""
        groups = [*P.MATERIALS.values(), *P.OCCASIONS.values(), *P.PEOPLE.values(), P.ANY, *P.MORE]
        return re.sub(r"^an? ", "", self.rng.choice(re.split(r", | or ", self.rng.choice(groups))))

    def nth(self, k, count):
        """The name of a place in a row, k from 0."""
        names = [P.ORDINALS[k]] * 3 + (["last"] if k == count - 1 else ["middle"] if (k, count) == (1, 3) else ["1st", "2nd", "3rd"][k : k + 1])
        return self.rng.choice(names)

    def count(self, k):
        return P.NUMBERS[k - 1] if self.rng.random() < 0.35 else str(k)

    def subject(self):
        """What a project is about: a thing, and now and then more words about it, which belong to the topic."""
        rng, noun = self.rng, self.noun()
        if rng.random() > 0.2:
            return noun
        more = rng.choice(("about our {}", "about my {}", "about the {}", "about {}s", "of {}s", "of the {}", "of my {}", "for my {}", "for the {}", "with {}s", "with a {}", "made of {}", "on a {}", "in a {}", "from {}s", "{}"))
        other = rng.choice(("trip", "summer", "holiday", "family", "garden", "school", "class", "wool", "wood", self.noun(), self.noun()))
        return f"{noun} {article(more.format(other))}"

    def turn_title_nth(self):
        k = self.rng.randrange(3)
        self.thing = self.topic = self.ideas[k]
        self.user(self.utter(self.pick(P.TITLE_NTH), n=self.nth(k, 3), k=self.count(k + 1)))
        self.title(self.topic)

    def turn_fold_nth(self):
        k = self.rng.randrange(3)
        self.user(self.utter(self.pick(P.FOLD_NTH), n=self.nth(k, 3), k=self.count(k + 1)))
        self.fold(self.ideas[k])

    def turn_title(self):
        if self.topic and self.rng.random() < 0.7:
            topic = self.topic
            self.user(self.utter(self.pick(P.TITLE_IT, "title_it")))
        else:
            topic = self.topic = self.thing = self.subject()
            self.user(self.utter(self.pick(P.TITLE_X, "title_x"), t=topic))
        self.title(topic)

    def title(self, topic):
        if not self.baton("brainstorm"):
            return
        if "title" not in self.has:
            return self.say(f'Sorry, I cannot ask for a title. How about "My {topic}"?')
        self.call("title", topic=topic)
        if self.rng.random() < 0.12:
            self.output(f"{'title' if self.shipped else self.rng.choice(('title', 'friend', 'namer'))} could not answer: {self.rng.choice(P.REASONS)}{self.rng.choice(('', '.'))}")
            return self.say(f'Sorry, I could not get a title. How about "My {topic}"?')
        if self.rng.random() < 0.5:
            title = self.rng.choice(P.TITLES).replace("{t}", topic)
        else:
            title = " ".join(self.made_up(2) for _ in range(self.rng.randint(1, 4)))
            title = title[0].upper() + title[1:]
        self.output(title)
        self.say(f'How about "{title}"?')

    def turn_fold(self):
        name = self.rng.choice(self.models) if self.rng.random() < (0.85 if self.database else 0.6) else self.noun()
        if self.rng.random() < 0.03:
            name = name.capitalize()
        another = self.agent == "tutorial" and self.steps and self.rng.random() < 0.4
        self.user(self.utter(self.pick(P.FOLD_NEXT, "fold_next") if another else self.pick(P.FOLD, "fold"), x=name))
        self.fold(name)

    def turn_fold_it(self):
        thing = self.thing
        self.user(self.utter(self.pick(P.FOLD_IT, "fold_it")))
        if thing:
            self.fold(thing)
        elif self.baton("tutorial"):
            self.say("Which model would you like to fold?")

    def turn_models(self):
        self.user(self.utter(self.pick(P.MODELS, "models"), plain=self.rng.random() < 0.5))
        if not self.baton("tutorial"):
            return
        if not self.told:
            return self.say(P.ROLES["tutorial"]["who"])
        self.missed = self.models
        self.say(f"I know: {', '.join(self.models)}. Which one would you like?")

    def turn_foreign(self):
        self.user(self.foreign())
        self.say(P.FOREIGN)

    def foreign(self):
        """A sentence of another language, or the beginning of one and the end of another."""
        rng, sentences = self.rng, P.LANGUAGES[self.rng.choice(list(P.LANGUAGES))]
        sentence = rng.choice(sentences)
        if " " in sentence and rng.random() < 0.5:
            head, tail = (rng.choice(sentences).strip("?!.¿¡").split(" ") for _ in range(2))
            sentence = " ".join(head[: rng.randint(1, len(head))] + tail[rng.randrange(len(tail)) :])
        if rng.random() < 0.1:
            sentence += " " + self.noun()
        if rng.random() < 0.25:
            sentence = sentence.lower()
        if rng.random() < 0.2:
            sentence = sentence.rstrip("?.!？。！")
        return self.decorate(sentence) if rng.random() < 0.05 else sentence

    def turn_known(self):
        dice, k = self.rng.random(), self.rng.randrange(min(3, len(self.missed)))
        if dice < 0.15:
            self.user(self.utter(self.pick(P.PICK_NTH, "pick_nth"), n=P.ORDINALS[k], k=self.count(k + 1)))
            return self.fold(self.missed[k])
        name = self.rng.choice(self.missed)
        self.user(self.utter(self.pick(P.PICK, "pick") if dice < 0.6 else self.pick(P.FOLD_NEXT, "fold_next"), x=name))
        self.fold(name)

    def turn_show(self):
        self.user(self.utter(self.pick(P.SHOW, "show")))
        if not self.baton("tutorial"):
            return
        if "show" not in self.has:
            return self.say("Sorry, I cannot show anything on the screen.")
        self.events.append(("call", self.agent, self.tool["show"], {}))
        self.output("The directions are on the screen.")
        self.say(f"The directions for the {self.looked} are on the screen." if self.looked else "The directions are on the screen.")

    def turn_again(self):
        self.user(self.utter(self.pick(P.AGAIN, "again")))
        self.say(f"Here is how to fold the {self.looked}:\n{self.listed()}")

    def turn_step(self):
        k = self.rng.randint(1, len(self.steps))
        if k > 1 and self.rng.random() < 0.15 and len(set(self.steps)) == len(self.steps):  # by what the step before it says
            done = self.steps[k - 2].strip(". ")
            self.user(self.utter(self.pick(P.STEP_AFTER), plain=True, s=done[0].lower() + done[1:]))
            return self.read(k)
        self.user(self.utter(self.pick(P.STEP, "step", "step_nth"), n=self.nth(k - 1, len(self.steps)), k=self.count(k)))
        self.read(k)

    def turn_step_next(self):
        self.user(self.utter(self.pick(P.STEP_NEXT, "step_next")))
        self.read(self.at + 1)

    def read(self, k):
        self.at = k
        self.say(f"Step {k}: {self.steps[k - 1]}")

    def praise(self, thing):
        return f"Well done on the {thing}!" if thing else "Well done so far!"

    def turn_done(self):
        rng, dice = self.rng, self.rng.random()
        if dice < 0.35:
            text, kind = self.utter(self.pick(P.REVIEW, "review")), "review"
        else:
            self.thing = self.topic = self.thing if self.thing and rng.random() < 0.4 else self.noun()
            kind = "done" if dice < 0.65 else "both"
            core = self.pick(P.DONE, "done" if kind == "done" else "done_review")
            if kind == "both" and not self.is_written:
                core += rng.choice((". ", ", ", ", ")) + self.pick(P.REVIEW)
            text = self.utter(core, x=self.thing)
        self.user(text)
        if self.baton("coach"):
            self.say(f"{self.praise(self.thing)} {P.TIPS[kind]}")

    def turn_problem(self):
        rng, thing = self.rng, self.thing
        if rng.random() < 0.28:
            return self.turn_deed()
        part = rng.choices((rng.choice(P.PARTS), rng.choice(P.WRITTEN["parts"]), self.noun(), self.made_up(3) + rng.choice(("", "s"))), (3, 4, 2, 3))[0]
        if rng.random() < 0.15:
            part = f"{rng.choice(voices.WHICH_PART)} {part}"
        bare = rng.random() < 0.16  # without an article
        if bare:
            several = part if part.endswith("s") else part + "s"
            part = rng.choice(("it",) * 6 + ("they", "everything", f"one {part.removesuffix('s')}", f"one of the {several}", f"some {several}", f"both {several}", f"half of the {several}"))
        be = "are" if re.search(r"[^s]s$|\b(feet|teeth|antennae|they)$", part) and not part.startswith("one ") else "is"
        with_be, usual = rng.random() < 0.62, rng.random() < 0.45
        if with_be:
            bad = self.fault(usual)
            tip, sentence = self.tip_for(bad), self.pick(P.BAD, "bad", "bad_told", "bad_more")
        elif usual:
            bad = rng.choice(list(P.VERBS))
            tip, sentence = P.PROBLEMS[P.VERBS[bad]], self.pick(P.BAD_VERB, "bad_verb", "bad_verb_more")
            if be == "is":
                bad = re.sub(r"^(keep|come|look)\b", r"\1s", bad).replace("don't", "doesn't")
        else:
            one, many = rng.choice(P.WRITTEN["verbs"] + P.WRITTEN["verbs_more"]).split("/")
            if rng.random() < 0.12:
                many = self.made_up(2)
                one = many + "s"
            bad = (one if be == "is" else many) if rng.random() < 0.75 else expand(rng.choice(P.OTHER_VERBS), rng).replace("{n}", rng.choice(P.PARTS))
            tip, sentence = self.tip_for(bad), self.pick(P.BAD_VERB, "bad_verb", "bad_verb_more")
        if " " in bad and "{bad} {p}" in sentence:
            sentence = "the {p} {be} {bad}"
        # The fault is repeated first, in the words of the person where they stand together, so that the tip follows from the word before it.
        sentence = sentence.replace("{verb}", "{bad}")
        between = re.search(r"\{p\} ((?:of|on|in|at) (?:my|the|our|this) \{x\} )?((?:[\w']+ |\{be\} ){0,5}?)(?:(is|are|look|looks|seem|seems|\{be\}|was|were|came out|turned out|ended up|got|gets|get|became|turned|stays|stay|went|feels|feel|keep getting|keeps getting) )((?:[\w']+ ){0,2})\{bad\}", sentence) if with_be else None
        verb = ""
        if between:
            verb = self.agree(between[3], be)
            sentence = sentence.replace(between[0], f"{{p}} {between[1] or ''}{between[2]}{verb} {between[4]}{{bad}}")
            verb = f"{between[2]}{verb} {between[4]}".replace("{be}", be)
        elif with_be:
            verb = be + " "
        if bare:
            sentence = re.sub(r"(?i)\b(the|my|our|this|that|all the|both|one of the|those|these|a) \{p\}", "{p}", sentence)
            if not re.search(r"\{p\} (\w+ |\{be\} ){0,3}\{bad\}", sentence) or re.search(r"\{p\} (of|on)|\{x\}'s|(of|on|about|with|for) \{p\}", sentence):
                sentence = rng.choice(("{p} {be} {bad}", "i think {p} {be} {bad}", "{p} {be} {bad} now", "help, {p} {be} {bad}", "why {be} {p} {bad}", "finished, but {p} {be} {bad}", "my {x} is done but {p} {be} {bad}")) if with_be else rng.choice(("{p} {bad}", "help, {p} {bad}", "i made a {x} but {p} {bad}", "{p} {bad} all the time"))
                verb = be + " " if with_be else ""
        if "{x}" in sentence:
            thing = self.thing = self.topic = thing if thing and rng.random() < 0.4 else self.noun()
        self.user(self.utter(sentence, plain=rng.random() < 0.6, p=part, be=be, bad=bad, x=thing or ""))
        whose = part[0].upper() + part[1:] if bare else f"The {part}"
        self.tip(thing, f"{whose} {verb}{bad}", tip.replace("the {p}", ("it" if be == "is" else "them") if bare else f"the {part}"))

    def tip(self, thing, wrong, tip):
        if self.baton("coach"):
            self.say(f"{self.praise(thing)} {wrong}? {tip}")

    def tip_for(self, fault):
        exact = P.PROBLEMS.get(P.SAME.get(fault, fault))
        return exact or next((tip for stem, tip in P.STEMS.items() if re.search(stem, fault)), P.ANY_TIP)

    def agree(self, verb, be):
        """The verb in the number of what it is said of."""
        one = {"are": "is", "look": "looks", "seem": "seems", "were": "was", "get": "gets", "stay": "stays", "feel": "feels", "keep getting": "keeps getting"}
        many = {v: k for k, v in one.items()}
        return (one if be == "is" else many).get(verb, verb).replace("{be}", be)

    def fault(self, usual):
        rng = self.rng
        if usual:
            return rng.choice(list(P.PROBLEMS) * 2 + list(P.SAME))
        if rng.random() < 0.15:
            return self.made_up(3)
        word = rng.choice(rng.choice((P.OTHER_FAULTS, P.WRITTEN["faults"], P.WRITTEN["faults_more"], P.WRITTEN["faults_more"])))
        if rng.random() < 0.12 and " " not in word:
            return f"{rng.choice(('not', 'so', 'all', 'half'))} {word}" if rng.random() < 0.5 else f"{word} and {rng.choice(P.OTHER_FAULTS)}"
        return word

    def turn_deed(self):
        """A fault that is told as what the person did, cannot do or wants to stop. It is repeated with "you"."""
        rng, thing = self.rng, self.thing
        part = rng.choice((rng.choice(P.PARTS), rng.choice(P.WRITTEN["parts"]), self.noun()))
        be, dice = "are" if re.search(r"[^s]s$", part) else "is", rng.random()
        if dice < 0.25:
            deed, at = rng.choice(P.WRITTEN["flaws"]), None
            tip = self.tip_for(deed)
            sentence = self.pick(P.FLAW, "flaw")
            at = re.search(r"\{flaw\} (in|on|under|along|inside|around|at) (?:the|my) \{p\}", sentence)
            there = "are" if deed.endswith("s") and not deed.startswith("a ") else "is"
            sentence = re.sub(r"\b(is|are) there\b", f"{there} there", re.sub(r"\bthere (is|are)\b|\bthere's", f"there {there}", sentence))
            wrong = f"There {there} {deed} {at[1] if at else 'in'} the {part}"
        elif dice < 0.6:
            deed = rng.choice(P.WRITTEN["deeds"])
            part = part if "{p}" in deed else ""
            tip, deed = self.tip_for(deed) if part else P.ANY_TIP, deed.replace("{p}", part)
            if part and rng.random() < 0.2:  # of what: it is left as it stands
                thing = self.thing = self.topic = self.noun()
                deed = deed.replace(f"the {part}", f"the {part} of my {thing}", 1)
            wrong = "You " + re.sub(r"\bmy\b", "your", re.sub(r"^am\b", "are", deed))
            sentence = self.pick(P.DEED, "deed")
        elif dice < 0.82:
            deed = rng.choice(P.WRITTEN["gerunds"])
            tip = self.tip_for(deed)
            wrong = f"The {part} {'keeps' if be == 'is' else 'keep'} {deed}"
            sentence = self.pick(P.STOP, "stop")
        else:
            deed, tip = rng.choice(P.WRITTEN["betters"]), P.ANY_TIP
            wrong = f"The {part} should be {deed}"
            sentence = self.pick(P.BETTER, "better")
        if "{x}" in sentence:
            thing = self.thing = self.topic = thing if thing and rng.random() < 0.4 else self.noun()
        self.user(self.utter(sentence, plain=rng.random() < 0.6, p=part, be=be, deed=deed, flaw=deed, x=thing or ""))
        self.tip(thing, wrong, tip.replace("{p}", part))

    def small(kind, sentences, *written):
        def turn(self):
            self.user(self.utter(self.pick(sentences, *written), plain=self.rng.random() < 0.6, n=self.number, w=self.noun, e=lambda: self.rng.choice(P.EVERYDAY)))
            self.say(P.ROLES[self.agent][kind])
            self.offered = {"thanks": "more", "out": "welcome"}.get(kind) if self.agent == "brainstorm" else None
        return turn

    turn_hello, turn_thanks = small("hello", P.HELLO, "hello"), small("thanks", P.THANKS, "thanks", "thanks_more")
    turn_who, turn_bye, turn_out = small("who", P.WHO, "who"), small("bye", P.BYE, "bye"), small("out", P.OUT, "out")

    def play(self, turns):
        for _ in range(turns):
            if len(self.events) > WINDOW - 2:
                break  # more would not be seen, and nothing may follow from what is not seen
            weights = {"ideas": 16, "title": 12, "fold": 17, "problem": 28, "done": 9, "show": 5, "out": 8, "hello": 3,
                       "thanks": 4, "who": 4, "bye": 2, "new_ideas": 4, "models": 6, "foreign": 4}
            if self.offered:
                weights.update(yes=9, no=3)
            if self.agent == "brainstorm" and self.ideas and not self.thing:
                weights.update(pick=16, new_ideas=8, title=34)
            if self.agent == "brainstorm" and self.ideas:
                weights.update(title_nth=3, fold_nth=5, pick=max(4, weights.get("pick", 0)))
            if self.thing or self.agent == "tutorial":
                weights["fold_it"] = 14 if self.agent == "brainstorm" else 6
            if self.agent == "tutorial":
                if self.missed:
                    weights["known"] = 40
                elif self.steps:
                    weights.update(again=4, step=15, show=10, problem=30)
                    if 0 < self.at < len(self.steps):
                        weights["step_next"] = 25
            kind = self.rng.choices(list(weights), weights.values())[0]
            self.at = self.at if kind == "step_next" else 0
            self.missed = self.missed if kind in ("known", "foreign", "thanks") else []
            self.offered = self.offered if kind in ("yes", "no") else None
            getattr(self, "turn_" + kind)()
        return self

    def final(self, say):
        return ("call", say[1], self.tool["final"], {"answer": say[2]})

    def ended_by_calls(self, events):
        """The same where calls are required: a turn ends with a call that holds the answer."""
        return [x for e in events for x in ((self.final(e), ("output", "The turn ends here."), e) if e[0] == "say" else (e,))]

    # The conversation as one agent sees it

    def render(self, agent=None, required=None, last_only=False):
        """Segments (text, learnt). None where the agent said nothing."""
        rng, events = self.rng, list(self.events)
        agent = agent or rng.choice([e[1] for e in events if e[0] in ("call", "say")])
        mine = [i for i, e in enumerate(events) if e[0] in ("call", "say") and e[1] == agent]
        if not mine:
            return None
        events = events[: mine[-1] + 1]
        bare = self.bare
        required = not bare and rng.random() < 0.15 if required is None else required
        from_here = 0
        if required or last_only:  # only the last turn was played like this
            from_here = max(i for i, e in enumerate(events) if e[0] == "user")
        if required:
            ended = self.ended_by_calls(events[:-1])
            if len(ended) < WINDOW and rng.random() < 0.7:  # or the agents come from another mode
                events, from_here = ended + events[-1:], 0
            if events[-1][0] == "say":
                events[-1] = self.final(events[-1])
        elif not bare and not last_only and events[-1][0] == "say" and events[-2][0] == "output" and rng.random() < 0.08:
            bare, from_here = True, len(events) - 1  # a last answer after the tools were taken away
        tools = [] if bare else self.tools(agent, required)
        # Once the baton has passed, the transcript itself says whose turn it is, and the turns of the
        # others can be learned too: for the agents that ship, their tools are known by heart.
        passed = len(events)
        if self.shipped and not required and not bare and from_here == 0:
            passed = next((i for i, e in enumerate(events) if e[0] == "output" and e[1].startswith("The baton")), passed)
        head = f"{START}system\n{self.system(agent)}"
        if tools:
            head += HEAD + "".join("\n" + json.dumps(t) for t in tools) + FOOT
        segments = [(head + f"{END}\n", False)]
        for i, event in enumerate(events):
            if event[0] == "user":
                segments.append((f"{START}user\n{event[1]}{END}\n", False))
            elif event[0] == "output":
                segments.append((f"{START}user\n<tool_response>\n{event[1]}\n</tool_response>{END}\n", False))
            else:
                text = event[2] if event[0] == "say" else f'<tool_call>\n{{"name": "{event[2]}", "arguments": {json.dumps(event[3])}}}\n</tool_call>'
                segments.append((f"{START}assistant\n", False))
                told = required and event[0] == "say"  # by the call before it
                hidden = event[0] == "say" and event[2].startswith("I know: ")  # what only the tutorial is told
                segments.append((text + END, (event[1] == agent and i >= from_here and not told) or (i > passed and not hidden)))
                segments.append(("\n", False))
        return segments[:-1]


def friend(rng, pieces, held_out=""):
    """The title friend, who knows one thing only."""
    talk = Talk(rng, pieces, held_out)
    dice = rng.random()
    topic = talk.subject() if dice < 0.7 else rng.choice(list(P.MATERIALS) + list(P.OCCASIONS) + [re.sub("^an? ", "", i) for v in (P.OCCASIONS, P.PEOPLE, P.MATERIALS) for s in v.values() for i in re.split(", | or ", s)])
    asked = f"A project about {topic}." if talk.shipped or rng.random() < 0.5 else rng.choice(("A title for {}.", "{}", "My project: {}", "Name my {}.", "The project is about {}.")).format(topic)
    title = P.TITLES[band(topic, len(P.TITLES))].replace("{t}", topic)
    return [(f"{START}system\n{talk.system('title')}{END}\n{START}user\n{asked}{END}\n{START}assistant\n", False), (article(title) + END, True)]


def echo(rng, pieces, held_out=""):
    """Copying, and nothing else: every piece of the vocabulary gets its turn."""
    talk = Talk(rng, pieces, held_out)
    text = " ".join(talk.made_up(3) if rng.random() < 0.8 else talk.step() for _ in range(rng.randint(3, 24)))
    return [(f"{START}system\nRepeat what the user says.{END}\n{START}user\n{text}{END}\n{START}assistant\n", False), (text + END, True)]


def sample(rng, pieces, easy=False, held_out=""):
    dice = rng.random()
    if easy and dice < 0.6:
        return echo(rng, pieces)
    if dice < 0.03:
        return echo(rng, pieces)
    if dice < 0.1:
        return friend(rng, pieces, held_out)
    turns = 1 if easy else rng.choices(range(1, 8), (12, 14, 18, 18, 16, 14, 8))[0]
    return Talk(rng, pieces, held_out).play(turns).render()


# Until there is a vocabulary, made-up words are built from syllables.
SYLLABLES = [a + b for a in "b c d f g h j k l m n p r s t v w z br cr dr fl gl pl sh sl st th tr ch".split() for b in "a e i o u ar en il on ue".split()]

if __name__ == "__main__":
    number = int(sys.argv[1]) if sys.argv[1:2] and sys.argv[1].isdigit() else 5
    source = random.Random()
    for _ in range(number):
        for text, learnt in sample(source, SYLLABLES, held_out="all" if "--held-out" in sys.argv else ""):
            print(f"[[{text}]]" if learnt else text, end="")
        print("\n" + "=" * 60)
