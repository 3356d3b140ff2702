"""Trains the model, by the clock: the learning rate is planned for the minutes that it is given.

    python train.py OUT --minutes 50        writes OUT/model.pt (and resumes from it), OUT/log.csv, OUT/curve.png

Every batch is new: no dialogue is seen twice. Matrices learn with Muon, the rest with AdamW.
"""

import argparse
import csv
import os
import random
import re
import signal
import time
from collections import defaultdict
from pathlib import Path

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer

import dialogues as D
import phrases as P
from model import Pocket, Shape, parameters, wire
from tokenizer import pieces

LENGTHS = (96, 128, 192, 256, 320, 384, 448, 512, 640, 768, 896, 1024, 1280, 1536)
TOKENS = 4096  # in a batch, padding included


def encode(tokenizer, segments):
    """Token ids, and how much each is to be learnt: 0 for what others said, less in a long text than in a
    short one, or copying steps would drown out the few tokens that decide what to do."""
    ids, learnt = [], []
    parts = tokenizer.encode_batch([t for t, _ in segments], add_special_tokens=False)
    for part, (_, learn) in zip(parts, segments):
        ids += part.ids
        learnt += [learn * min(1.0, (10 / len(part.ids)) ** 0.5)] * len(part.ids)
    return ids, learnt


def batches(tokenizer, seed, easy):
    """Batches of dialogues of about one length, so that little is padding and shapes are few."""
    rng, known = random.Random(seed), pieces(tokenizer)
    waiting = defaultdict(list)
    while True:
        ids, learnt = encode(tokenizer, D.sample(rng, known, easy=easy()))
        length = next((n for n in LENGTHS if n >= len(ids)), None)
        if length is None:
            continue
        rows = waiting[length]
        rows.append((ids, learnt))
        if len(rows) == TOKENS // length:
            tokens = torch.zeros(len(rows), length, dtype=torch.long)
            weight = torch.zeros(len(rows), length)
            for i, (a, b) in enumerate(rows):
                tokens[i, : len(a)] = torch.tensor(a)
                weight[i, : len(b)] = torch.tensor(b)
            yield tokens, weight
            waiting[length] = []


def orthogonal(g):
    """The nearest orthogonal matrices, by four Newton-Schulz steps; a stack of matrices at once."""
    x = g.bfloat16()
    flip = x.shape[-2] > x.shape[-1]
    x = x.mT if flip else x
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(4):
        a = x @ x.mT
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
    return (x.mT if flip else x).float()


class Muon:
    def __init__(self, weights, lr=0.02, momentum=0.95, decay=0.02):
        self.lr, self.momentum, self.decay = lr, momentum, decay
        self.stacks = defaultdict(list)
        for w in weights:
            self.stacks[w.shape].append(w)
        self.moments = {shape: torch.zeros(len(ws), *shape) for shape, ws in self.stacks.items()}

    @torch.no_grad()
    def step(self, scale):
        for shape, weights in self.stacks.items():
            g = torch.stack([w.grad for w in weights])
            m = self.moments[shape].mul_(self.momentum).add_(g, alpha=1 - self.momentum)
            update = orthogonal(g.lerp(m, self.momentum)) * max(1, shape[0] / shape[1]) ** 0.5
            for w, u in zip(weights, update):
                w.mul_(1 - self.lr * scale * self.decay).add_(u, alpha=-self.lr * scale)


def kind(text):
    """What a learnt piece of text is, for the table of accuracies."""
    called = re.match(r'<tool_call>\n\{"name": "(\w+)"', text)
    if called:
        return next((f"call {k}" for k, (names, _) in P.TOOLS.items() if called[1] in names), "call ?")
    for name, pattern in (("steps", "Here is"), ("step", "Step "), ("feedback", "Well done"), ("ideas", "With |For |You could"), ("title", "How about"),
                          ("refusal", "Sorry, I only"), ("sorry", "Sorry"), ("pick", ".*good choice"), ("small", "Hello|I |You are|Goodbye|The dir|Which|With pl")):
        if re.match(pattern, text):
            return name
    return "other"


@torch.no_grad()
def accuracy(model, tokenizer, held_out, count, seed=77):
    """Share of learnt texts whose every token is the most likely one, given the ones before; by kind."""
    rng, known = random.Random(seed), pieces(tokenizer)
    right, total = defaultdict(int), defaultdict(int)
    for _ in range(count):
        segments = D.sample(rng, known, held_out=held_out)
        ids, _ = encode(tokenizer, segments)
        if len(ids) > 2048:
            continue
        best = model(torch.tensor([ids]))[0].argmax(-1).tolist()
        at = 0
        for text, learn in segments:
            n = len(tokenizer.encode(text, add_special_tokens=False).ids)
            if learn:
                good = best[at - 1 : at + n - 1] == ids[at : at + n]
                right[kind(text)] += good
                total[kind(text)] += 1
            at += n
    return right, total


def table(right, total):
    everything = f"{sum(right.values())}/{sum(total.values())}"
    return everything + " | " + " ".join(f"{k.replace(' ', '_')} {right[k]}/{total[k]}" for k in sorted(total))


def plot(folder):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    with open(folder / "log.csv") as f:
        rows = [[float(x) for x in row] for row in csv.reader(f)]
    millions, loss, right = [r[1] / 1e6 for r in rows], [r[2] for r in rows], [r[3] for r in rows]
    figure, (top, bottom) = pyplot.subplots(2, 1, sharex=True, figsize=(7, 6))
    top.semilogy(millions, loss)
    top.set_ylabel("loss")
    bottom.plot(millions, right)
    bottom.set_ylabel("tokens right")
    bottom.set_xlabel("million tokens")
    figure.tight_layout()
    figure.savefig(folder / "curve.png", dpi=80)
    pyplot.close(figure)


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("out", type=Path)
    options.add_argument("--minutes", type=float, default=75)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--easy", type=int, default=60, help="first batches, of copying and short dialogues")
    options.add_argument("--seed", type=int, default=1)
    o = options.parse_args()
    torch.set_num_threads(o.threads)
    tokenizer = Tokenizer.from_file(str(o.out / "tokenizer.json"))
    checkpoint = o.out / "model.pt"
    if checkpoint.exists():
        model, saved = Pocket.load(checkpoint)
    else:
        model, saved = wire(Pocket(Shape(vocab=tokenizer.get_vocab_size()))), None
        print(f"{parameters(model)} parameters, born with a copying circuit", flush=True)
    matrices = [p for n, p in model.named_parameters() if p.dim() == 2 and n != "embedding"]
    vectors = [p for p in model.parameters() if p.dim() == 1]
    muon = Muon(matrices)
    adam = torch.optim.AdamW([{"params": vectors, "lr": 0.004, "top": 0.004}, {"params": [model.embedding], "lr": 0.012, "top": 0.012}], betas=(0.9, 0.95), weight_decay=0.0)
    step = tokens_seen = spent = 0
    if saved:
        step, tokens_seen, spent = saved["step"], saved["tokens"], saved["spent"]
        muon.moments = saved["muon"]
        tops = [g["top"] for g in adam.param_groups]
        adam.load_state_dict(saved["adam"])
        for group, top in zip(adam.param_groups, tops):
            group["top"] = top
        print(f"goes on at step {step}, after {spent / 60:.1f} minutes", flush=True)
    start, total = time.time() - spent, o.minutes * 60
    saved_at = looked_at = logged_at = time.time()
    loss_mean = right_mean = None
    stop = []
    signal.signal(signal.SIGTERM, lambda *_: stop.append(True))  # a checkpoint first
    for tokens, weight in batches(tokenizer, o.seed * 100003 + step, easy=lambda: step < o.easy):
        done = (time.time() - start) / total
        if done >= 1 or stop:
            break
        scale = min(1, (step + 1) / 50) * min(1, max(0.02, 0.02 + 0.98 * (1 - done) / 0.5))
        where = weight.flatten().nonzero().squeeze(1)  # a flat index: a boolean one is slow to differentiate
        with torch.autocast("cpu", torch.bfloat16):
            logits = model.hidden(tokens).flatten(0, 1).index_select(0, where - 1) @ model.embedding.T
        target = tokens.flatten()[where]
        each, weight = F.cross_entropy(logits.float(), target, reduction="none"), weight.flatten()[where]
        loss = (each * weight).sum() / weight.sum()
        loss.backward()
        muon.step(scale)
        torch.nn.utils.clip_grad_norm_(vectors + [model.embedding], 1.0)
        for group in adam.param_groups:
            group["lr"] = group["top"] * scale
        adam.step()
        model.zero_grad(set_to_none=True)
        step, tokens_seen = step + 1, tokens_seen + tokens.numel()
        right = (logits.argmax(-1) == target).float().mean().item()
        loss_mean = loss.item() if loss_mean is None else 0.97 * loss_mean + 0.03 * loss.item()
        right_mean = right if right_mean is None else 0.97 * right_mean + 0.03 * right
        now = time.time()
        if step % 20 == 0:
            with open(o.out / "log.csv", "a") as f:
                csv.writer(f).writerow([step, tokens_seen, round(loss_mean, 5), round(right_mean, 5), round(now - start)])
            rate = 20 * TOKENS / (now - logged_at)
            logged_at = now
            print(f"{done:6.1%}  step {step}  {tokens_seen / 1e6:.2f} M tokens  loss {loss_mean:.4f}  right {right_mean:.4f}  {rate:.0f} tokens/s  lr x{scale:.2f}", flush=True)
        if now - saved_at > 120:
            saved_at = now
            save(model, checkpoint, step, tokens_seen, now - start, muon, adam, tokenizer)
            plot(o.out)
        if now - looked_at > 300:
            looked_at = now
            model.eval()
            for held_out in ("things", "all"):
                print(f"        new {held_out}: " + table(*accuracy(model, tokenizer, held_out, 60)), flush=True)
            logged_at = time.time()
    save(model, checkpoint, step, tokens_seen, time.time() - start, muon, adam, tokenizer)
    plot(o.out)
    print("done", flush=True)


def save(model, path, step, tokens, spent, muon, adam, tokenizer):
    fresh = path.with_suffix(".new")
    model.save(fresh, step=step, tokens=tokens, spent=spent, muon=muon.moments, adam=adam.state_dict(), tokenizer=tokenizer.to_str())
    os.replace(fresh, path)


if __name__ == "__main__":
    main()
