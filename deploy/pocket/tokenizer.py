"""Trains the vocabulary: 2048 pieces, byte-level BPE, readable by llama.cpp as "gpt2" with pre-tokenizer "gpt-2".

Two things are unusual. Spaces are merged last: the merges are learnt on words without their space, and the
space is then joined to frequent words only, so that `crane`, ` crane` and `"crane` have the same pieces and a
copy is the same tokens as its source. And the fixed text of the template is a handful of pieces of its own.

    python tokenizer.py OUT.json
"""

import json
import pydoc_data.topics
import random
import re
import sys
from collections import Counter

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

import dialogues as D
import phrases as P

SIZE, LATE = 2048, 520
CONTROL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
FIXED = ["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", D.HEAD, D.FOOT,
         '\n{"type": "function", "function": {"name": "', '", "description": "', '", "parameters": {"type": "object", "properties": {',
         '": {"type": "string', '}}, "required": ["', '"]}}}', '}, "required": []}}}', '\n{"name": "', '", "arguments": {"', '", "arguments": {}}\n', '"}}\n']
WORDS = re.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+")


def corpus(count, seed=3):
    """Dialogues whose made-up words are English words, so that pieces look like parts of English."""
    rng = random.Random(seed)
    english = sorted(set(re.findall(r"\b[a-z]{3,10}\b", " ".join(pydoc_data.topics.topics.values()))))
    for _ in range(count):
        text = "".join(t for t, _ in D.sample(rng, english))
        for fixed in CONTROL + sorted(FIXED, key=len, reverse=True):
            text = text.replace(fixed, "\0")
        yield from (part for part in text.split("\0") if part)
    for _ in range(2):
        for word in english + [w for t in P.THINGS + list(P.MATERIALS) for w in t.split(" ")]:
            yield word


def train(path):
    frequent, things, pieces = Counter(), {w for t in P.THINGS for w in t.split(" ")}, []
    for text in corpus(6000):
        for word in WORDS.findall(text):
            bare = word[1:] if word[0] == " " and len(word) > 1 else word
            # Things are learned from the word list alone; otherwise each would become its own piece.
            if bare in things and word != bare:
                continue
            pieces.append(bare)
            if word != bare:
                frequent[bare] += 1
    room = SIZE - len(CONTROL) - len(FIXED) - LATE
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    first = Tokenizer(models.BPE())
    first.pre_tokenizer = byte_level
    first.train_from_iterator(pieces, trainers.BpeTrainer(
        vocab_size=room, min_frequency=2, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    model = json.loads(first.to_str())["model"]
    vocab, merges = model["vocab"], [tuple(m) for m in model["merges"]]
    # Not to pieces that things begin with: " butterfly" would get other tokens than "butterfly", and
    # copying it would fail.
    begins = {p for p in (first.encode(w).tokens[0] for w in sorted(things)) if p not in things}
    late = [w for w, n in frequent.most_common() if w in vocab and w.isascii() and (w not in begins or n > 4000)][:LATE]
    for word in late:
        vocab["Ġ" + word] = len(vocab)
        merges.append(("Ġ", word))
    tokenizer = assemble(vocab, merges)
    tokenizer.save(path)
    print(f"{tokenizer.get_vocab_size()} pieces, {len(late)} words with their space")
    return tokenizer


def assemble(vocab, merges):
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(t, special=True, normalized=False) for t in CONTROL])
    tokenizer.add_tokens([AddedToken(t, normalized=False) for t in FIXED])
    return tokenizer


def pieces(tokenizer):
    """The pieces that made-up words are made of. A piece that has a twin with its space is rare among them,
    because a word that begins with it is not the same tokens after a space and after a quote."""
    vocab = tokenizer.get_vocab()
    plain = sorted(t for t in vocab if re.fullmatch(r"[a-z]{1,9}", t))
    return plain + [t for t in plain if "Ġ" + t not in vocab] * 6


if __name__ == "__main__":
    t = train(sys.argv[1])
    print(len(set(pieces(t))), "lower-case pieces;", t.encode("How do I fold a crane? I want a rainy-day project for kids. My butterfly wings are uneven").tokens)
