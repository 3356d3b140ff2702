"""The wording: which sentence, which noun, and how a person types it."""

import random
import re
import zlib

import phrases
import voices


def kept_back(text):
    """One in eight sentences and one in five things is never used in training."""
    return zlib.crc32(text.encode()) % 8 == 0


def band(word, n):
    """Which of n answers a word gets: by its first letter, which its first piece shows."""
    letter = ord(word[0].lower()) - 97 if word[0].isalpha() else 0
    return max(0, min(n - 1, letter * n // 26))


def expand(sentence, rng):
    """Chooses one of every [a/b/c], and of what a <name> stands for."""
    sentence = re.sub(r"<(\w+)>", lambda m: rng.choice(phrases.PARTS_OF_SPEECH[m[1]].split("/")), sentence)
    return re.sub(r"\[([^\]]*)\]", lambda m: rng.choice(m[1].split("/")), sentence)


def article(text):
    return re.sub(r"\b([Aa]) (?=[aeiou])", r"\1n ", text)


class Words:
    """Draws words for one conversation; held-out ones only, where it is asked to."""

    rng: random.Random
    pieces: list
    new_things = new_sentences = is_written = False

    def pick(self, sentences, *kinds):
        """One of these sentences, made by rule, or one of these kinds that was written as it stands."""
        ruled = [s for s in sentences if "[" in s or "<" in s]
        written = [s for kind in kinds for s in phrases.WRITTEN[kind]]
        self.is_written = bool(written) and self.rng.random() < 0.45
        for _ in range(100):
            sentence = self.rng.choice(written if self.is_written else ruled if ruled and self.rng.random() < 0.6 else sentences)
            sentence = sentence if self.is_written else expand(sentence, self.rng)
            if kept_back(sentence) == self.new_sentences:
                break
        return sentence

    def made_up(self, most=3):
        while True:
            word = "".join(self.rng.choice(self.pieces) for _ in range(self.rng.randint(1, most)))
            if 2 < len(word) < 15:
                return word

    def real_noun(self):
        known = [t for t in phrases.THINGS if (zlib.crc32(t.encode()) % 5 == 0) == self.new_things]
        return self.rng.choice(known)

    def noun(self):
        rng, dice = self.rng, self.rng.random()
        if dice < 0.4:
            return self.real_noun()
        if dice < 0.52:  # of two words, real ones or one of them: both belong to the name
            words = [self.real_noun() if rng.random() < 0.7 else self.made_up(2) for _ in range(2)]
            return " ".join(words) if rng.random() < 0.7 else f"{rng.choice(voices.WHICH_MATERIAL)} {words[0]}"
        if rng.random() < 0.2:
            return f"{self.made_up(2)} {self.made_up(2)}"
        return self.made_up()

    def number(self):
        return str(self.rng.randint(2, 99))

    def fill(self, sentence, **slots):
        rng = self.rng
        words = sentence.split(" ")
        if rng.random() < 0.09:  # a slip of the finger, never in a slot
            plain = [i for i, w in enumerate(words) if len(w) > 3 and w.isalpha()]
            if plain:
                i = rng.choice(plain)
                k = rng.randrange(len(words[i]) - 1)
                w = words[i]
                words[i] = w[:k] + w[k + 1] + w[k] + w[k + 2:] if rng.random() < 0.5 else w[:k] + w[k + 1:]
        text = " ".join(words)
        for name, value in slots.items():
            while "{" + name + "}" in text:
                text = text.replace("{" + name + "}", value() if callable(value) else value, 1)
        return article(text)

    def utter(self, sentence, plain=False, **slots):
        """What a person types: opener, sentence, tail; upper case and full stops now and then."""
        rng = self.rng
        text = self.fill(sentence, **slots)
        if not plain and not (self.is_written and rng.random() < 0.8):
            opener = rng.choice(phrases.OPENERS) if rng.random() < 0.5 else ""
            before = expand(rng.choice(phrases.CHATTER), rng) if rng.random() < 0.07 else ""
            tail = rng.choice(phrases.TAILS) if rng.random() < 0.4 and "." not in text and "?" not in text else ""
            text = before + opener + text + tail
        if rng.random() < 0.25 and "'" in text:
            text = text.replace("'", "")
        if rng.random() < 0.7:
            text = re.sub(r"\bi\b", "I", re.sub(r"(^|[.?!] )([a-z])", lambda m: m[1] + m[2].upper(), text))
        if rng.random() < 0.65 and text[-1] not in ".?!)":
            asks = re.match(r"(\w+, |\w+ )?(how|what|can|could|who|where|why|do|does|is|which|when|should|any|are|will|have|would)\b", re.split(r"[.?!] ", text.lower())[-1])
            text += ("?" if asks else rng.choice("...!"))
        return text
