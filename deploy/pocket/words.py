"""The wording: which sentence, which noun, and how a person types it."""

import random
import re
import zlib

import phrases
import voices

EMOJI = [chr(c) for low, high in ((0x1F300, 0x1F650), (0x1F680, 0x1F6D0), (0x1F900, 0x1FA00), (0x1FA70, 0x1FAB0), (0x2600, 0x2700), (0x2702, 0x27B0)) for c in range(low, high)]
SIGNS = list("♥★→•°©™€£§✓…–—«»“”„¡¿´`^~*#@&%|<>+=_") + ["...", "!!", "?!", "<3", ":D", ";-)", "^^", "xD", "--", "//", "\u200d", "\ufe0f"]
ACCENTS = {"a": "áàâäãå", "e": "éèêë", "i": "íîï", "o": "óôöõø", "u": "úûü", "n": "ñ", "c": "ç", "s": "šß", "z": "ž"}


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
        self.is_written = bool(written) and self.rng.random() < 0.5
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
                return self.accented(word) if self.rng.random() < 0.02 else word

    def accented(self, word):
        i = self.rng.randrange(len(word))
        return word[:i] + self.rng.choice(ACCENTS.get(word[i], word[i])) + word[i + 1 :]

    def decorate(self, sentence):
        """Symbols that say nothing, anywhere between the words, most of them at the end or after a slot."""
        rng = self.rng
        words = sentence.split(" ")
        for _ in range(rng.choice((1, 1, 1, 2))):
            sign = "".join(rng.choice(EMOJI if rng.random() < 0.8 else SIGNS) for _ in range(1))
            sign = rng.choice((sign, sign, sign, sign * 2, sign * 3, sign + "\ufe0f", sign + rng.choice(EMOJI), sign + "\U0001f3fd", sign + "\u200d" + rng.choice(EMOJI)))
            slots = [i for i, w in enumerate(words) if "}" in w]
            dice = rng.random()
            i = len(words) - 1 if dice < 0.4 else rng.choice(slots) if slots and dice < 0.75 else rng.randrange(len(words))
            if rng.random() < 0.08:
                words[0] = sign + " " + words[0]
            elif not words[i].endswith(("'s", "-")):
                words[i] += rng.choice((" ", " ", " ", "")) + sign
        return " ".join(words)

    def real_noun(self):
        known = [t for t in phrases.THINGS if (zlib.crc32(t.encode()) % 5 == 0) == self.new_things]
        return self.rng.choice(known)

    def noun(self):
        noun = self.lower_noun()
        return noun.capitalize() if self.rng.random() < 0.02 else noun

    def lower_noun(self):
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
        if rng.random() < 0.13:  # a slip of the finger, never in a slot
            plain = [i for i, w in enumerate(words) if len(w) > 3 and w.isalpha()]
            if plain:
                i = rng.choice(plain)
                k = rng.randrange(len(words[i]) - 1)
                w = words[i]
                words[i] = rng.choice((w[:k] + w[k + 1] + w[k] + w[k + 2:], w[:k] + w[k + 1:], w[:k] + w[k] + w[k:], w[:k] + rng.choice("abcdefghijklmnoprstuvwy") + w[k + 1:]))
        if rng.random() < 0.06:  # who speaks another language at home leaves out the small words
            words = [w for w in words if w not in ("a", "an", "the", "my", "of") or rng.random() < 0.3] or words
        text = " ".join(words)
        for name, value in slots.items():
            while "{" + name + "}" in text:
                text = text.replace("{" + name + "}", value() if callable(value) else value, 1)
        return article(text)

    def utter(self, sentence, plain=False, **slots):
        """What a person types: opener, sentence, tail; upper case and full stops now and then."""
        rng = self.rng
        symbols = rng.random() < 0.07
        text = self.fill(self.decorate(sentence) if symbols else sentence, **slots)
        if not plain and not (self.is_written and rng.random() < 0.8):
            opener = rng.choice(phrases.OPENERS) if rng.random() < 0.5 else ""
            before = expand(rng.choice(phrases.CHATTER), rng) if rng.random() < 0.12 else ""
            tail = rng.choice(phrases.TAILS) if rng.random() < 0.4 and "." not in text and "?" not in text else ""
            text = before + opener + text + tail
            if rng.random() < 0.05:
                text += rng.choice((". ", ", ", " - ", "! ", " ")) + expand(rng.choice(phrases.CHATTER), rng).strip(". ")
        if "'" in text:
            text = text.replace("'", rng.choice(("", "", "", "’", "’", "'", "'", "'", "'", "'", "'")))
        if rng.random() < 0.7:
            text = re.sub(r"\bi\b", "I", re.sub(r"(^|[.?!] )([a-z])", lambda m: m[1] + m[2].upper(), text))
        if rng.random() < (0.2 if symbols else 0.65) and text[-1] not in ".?!)":
            asks = re.match(r"(\w+, |\w+ )?(how|what|can|could|who|where|why|do|does|is|which|when|should|any|are|will|have|would)\b", re.split(r"[.?!] ", text.lower())[-1])
            text += ("?" if asks else rng.choice("...!"))
        return text
