"""Trains the model. The learning rate is planned for the tokens that it is given, so that a pause costs nothing;
or, on a machine that others use, for the minutes.

    python train.py OUT --tokens 30        writes OUT/model.pt (and resumes from it), OUT/weights.pt, OUT/log.csv, OUT/curve.png

Every batch is new: no dialogue is seen twice. Matrices learn with Muon, the rest with AdamW. On a GPU, where there
is one, with dialogues that other processes make:

    python train.py OUT --minutes 6 --batch 16384 --workers 15 --look 5000
"""

import argparse
import csv
import itertools
import multiprocessing
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


def encode(tokenizer, segments):
    """Token ids, and how much each is to be learnt: 0 for what others said, less in a long text than in a
    short one, or copying steps would drown out the few tokens that decide what to do."""
    ids, learnt = [], []
    parts = tokenizer.encode_batch([t for t, _ in segments], add_special_tokens=False)
    for part, (_, learn) in zip(parts, segments):
        ids += part.ids
        learnt += [learn * min(1.0, (10 / len(part.ids)) ** 0.5)] * len(part.ids)
    return ids, learnt


def batches(tokenizer, seed, easy, size):
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
        if len(rows) == size // length:
            tokens = torch.zeros(len(rows), length, dtype=torch.long)
            weight = torch.zeros(len(rows), length)
            for i, (a, b) in enumerate(rows):
                tokens[i, : len(a)] = torch.tensor(a)
                weight[i, : len(b)] = torch.tensor(b)
            yield tokens, weight
            waiting[length] = []


def work(queue, tokenizer, seed, easy, size):
    """A process that makes batches until it is ended. The first ones are easy."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    torch.set_num_threads(1)
    made = 0
    for tokens, weight in batches(Tokenizer.from_str(tokenizer), seed, lambda: made < easy, size):
        queue.put((tokens.short().numpy(), weight.numpy()))
        made += 1


def made_elsewhere(tokenizer, seed, easy, size, workers):
    """The same batches as `batches`, by several processes, which end with this one."""
    context = multiprocessing.get_context("fork")
    queue = context.Queue(8 * workers)
    for i in range(workers):
        context.Process(target=work, args=(queue, tokenizer.to_str(), seed + 7919 * i, easy / workers, size), daemon=True).start()
    while True:
        tokens, weight = queue.get()
        yield torch.from_numpy(tokens).long(), torch.from_numpy(weight)


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
        self.moments = {shape: torch.zeros(len(ws), *shape, device=ws[0].device) for shape, ws in self.stacks.items()}

    @torch.no_grad()
    def step(self, scale):
        for shape, weights in self.stacks.items():
            g = torch.stack([w.grad for w in weights])
            m = self.moments[shape].mul_(self.momentum).add_(g, alpha=1 - self.momentum)
            update = orthogonal(g.lerp(m, self.momentum)) * max(1, shape[0] / shape[1]) ** 0.5
            torch._foreach_mul_(weights, 1 - self.lr * scale * self.decay)
            torch._foreach_add_(weights, list(update.unbind()), alpha=-self.lr * scale)


def kind(text):
    """What a learnt piece of text is, for the table of accuracies."""
    called = re.match(r'<tool_call>\n\{"name": "(\w+)"', text)
    if called:
        return next((f"call {k}" for k, (names, _) in P.TOOLS.items() if called[1] in names), "call ?")
    for name, pattern in (("steps", "Here is"), ("step", "Step "), ("feedback", "Well done"), ("ideas", "With |For |You could"), ("title", "How about"),
                          ("foreign", "Sorry, I only under"), ("refusal", "Sorry, I only"), ("models", "I know: "), ("sorry", "Sorry"), ("pick", ".*good choice"), ("small", "Hello|I |You are|All right|Goodbye|The dir|Which|With pl")):
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
        best = model(torch.tensor([ids], device=model.embedding.device))[0].argmax(-1).tolist()
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

    def rows(name):
        path = folder / name
        return list(csv.reader(path.read_text().splitlines())) if path.exists() else []

    log, looks = [[float(x) for x in row] for row in rows("log.csv")], rows("looks.csv")
    figure, (top, bottom) = pyplot.subplots(2, 1, sharex=True, figsize=(7, 6))
    top.semilogy([r[1] / 1e6 for r in log], [r[2] for r in log])
    top.set_ylabel("loss")
    bottom.plot([r[1] / 1e6 for r in log], [r[3] for r in log], label="tokens, in training")
    for held_out, label in (("things", "whole texts, new things"), ("all", "whole texts, new things and sentences")):
        mine = [r for r in looks if r[1] == held_out]
        bottom.plot([float(r[0]) / 1e6 for r in mine], [int(r[2]) / int(r[3]) for r in mine], marker="o", label=label)
    bottom.set_ylabel("share right")
    bottom.set_xlabel("million tokens")
    bottom.legend()
    figure.tight_layout()
    figure.savefig(folder / "curve.png", dpi=80)
    pyplot.close(figure)


def loss_of(model, tokens, weight):
    """The loss of what is to be learnt, and the share of its tokens that are guessed right."""
    where = weight.flatten().nonzero().squeeze(1)  # a flat index: a boolean one is slow to differentiate
    target, weight = tokens.flatten()[where], weight.flatten()[where]
    tokens, where, target, weight = (x.to(model.embedding.device, non_blocking=True) for x in (tokens, where, target, weight))
    with torch.autocast(tokens.device.type, torch.bfloat16):
        logits = model.hidden(tokens).flatten(0, 1).index_select(0, where - 1) @ model.embedding.T
    loss = (F.cross_entropy(logits.float(), target, reduction="none") * weight).sum() / weight.sum()
    return loss, (logits.argmax(-1) == target).float().mean()


class Optimiser:
    """Muon for the matrices, AdamW for the rest."""

    def __init__(self, model, saved):
        self.model = model
        self.muon = Muon([p for n, p in model.named_parameters() if p.dim() == 2 and n != "embedding"])
        vectors = [p for p in model.parameters() if p.dim() == 1]
        self.clipped, self.tops = vectors + [model.embedding], (0.004, 0.012)
        self.adam = torch.optim.AdamW([{"params": vectors}, {"params": [model.embedding]}], betas=(0.9, 0.95), weight_decay=0.0, fused=True)
        if saved and "muon" in saved:  # a checkpoint made of a GGUF has weights only
            self.muon.moments = {shape: m.to(model.embedding.device) for shape, m in saved["muon"].items()}
            self.adam.load_state_dict(saved["adam"])

    def step(self, scale):
        self.muon.step(scale)
        torch.nn.utils.clip_grad_norm_(self.clipped, 1.0)
        for group, top in zip(self.adam.param_groups, self.tops):
            group["lr"] = top * scale
        self.adam.step()
        self.model.zero_grad(set_to_none=True)

    def state(self):
        return {"muon": self.muon.moments, "adam": self.adam.state_dict()}


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("out", type=Path)
    options.add_argument("--tokens", type=float, default=30, help="millions, padding included; the learning rate is planned for them")
    options.add_argument("--minutes", type=float, help="in place of --tokens: for so long, however many tokens that is")
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--batch", type=int, default=4096, help="tokens in a batch, padding included")
    options.add_argument("--workers", type=int, default=0, help="processes that make the dialogues; 0: this one makes them itself")
    options.add_argument("--easy", type=int, default=60, help="first batches, of copying and short dialogues")
    options.add_argument("--peak", type=float, default=1, help="factor on all learning rates")
    options.add_argument("--look", type=int, default=500, help="batches between two looks at held-out dialogues")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--from", type=Path, dest="begin", help="a checkpoint to begin with, in place of nothing")
    o = options.parse_args()
    torch.set_num_threads(o.threads)
    tokenizer = Tokenizer.from_file(str(o.out / "tokenizer.json"))
    checkpoint = o.out / "model.pt"
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if checkpoint.exists():
        model, saved = Pocket.load(checkpoint)
    elif o.begin:
        model, saved = Pocket.load(o.begin)
        saved.update(before=saved["tokens"] + saved.get("before", 0), step=0, tokens=0, spent=0)
    else:
        model, saved = wire(Pocket(Shape(vocab=tokenizer.get_vocab_size()))), None
        print(f"{parameters(model)} parameters, born with a copying circuit", flush=True)
    seed, easy = o.seed * 100003 + (saved or {}).get("step", 0), 0 if saved else o.easy
    if o.workers:
        source = made_elsewhere(tokenizer, seed, easy, o.batch, o.workers)
    else:
        source = batches(tokenizer, seed, lambda: step < easy, o.batch)
    ahead = next(source)  # the processes have to begin before the GPU is touched
    model.to(device)
    optimiser = Optimiser(model, saved)
    step, seen, spent, before = (saved.get(k, 0) for k in ("step", "tokens", "spent", "before")) if saved else (0, 0, 0, 0)
    if saved:
        print(f"goes on at batch {step}, after {seen / 1e6:.2f} M tokens" + (f" and {before / 1e6:.2f} M before" if before else ""), flush=True)
    started, logged_at, kept_at = time.time() - spent, time.time(), time.time()
    losses, rights, stop = [], [], []
    signal.signal(signal.SIGTERM, lambda *_: stop.append(True))  # a checkpoint first

    def keep():
        save(model, checkpoint, tokenizer, step=step, tokens=seen, before=before, spent=time.time() - started, **optimiser.state())
        plot(o.out)

    for tokens, weight in itertools.chain([ahead], source):
        done = (time.time() - started) / 60 / o.minutes if o.minutes else seen / (o.tokens * 1e6)
        if done >= 1 or stop:
            break
        scale = o.peak * min(1, (step + 1) / 50) * min(1, max(0.02, 0.02 + 0.98 * (1 - done) / 0.7))
        loss, right = loss_of(model, tokens, weight)
        loss.backward()
        optimiser.step(scale)
        step, seen = step + 1, seen + tokens.numel()
        losses.append(loss.detach())
        rights.append(right)
        if step % (20 if device.type == "cpu" else 200) == 0:
            now = time.time()
            mean_loss, mean_right = torch.stack(losses).mean().item(), torch.stack(rights).mean().item()
            with open(o.out / "log.csv", "a") as f:
                csv.writer(f).writerow([step, before + seen, round(mean_loss, 5), round(mean_right, 5), round(now - started)])
            print(f"{done:6.1%}  batch {step}  {seen / 1e6:.2f} M tokens  loss {mean_loss:.4f}  right {mean_right:.4f}  {len(losses) * o.batch / (now - logged_at):.0f} tokens/s  lr x{scale:.2f}", flush=True)
            losses, rights, logged_at = [], [], now
        if time.time() - kept_at > 60:
            keep()
            kept_at = time.time()
        if step % o.look == 0:
            for held_out in ("things", "all"):
                right, total = accuracy(model, tokenizer, held_out, 50)
                with open(o.out / "looks.csv", "a") as f:
                    csv.writer(f).writerow([before + seen, held_out, sum(right.values()), sum(total.values())])
                print(f"        new {held_out}: " + table(right, total), flush=True)
            logged_at = time.time()
    keep()
    save(model, o.out / "weights.pt", tokenizer, step=step, tokens=seen, before=before)  # without the optimizer's memory, a third of the size
    print("done" if not stop else "stopped", flush=True)
    if stop:
        raise SystemExit(128 + signal.SIGTERM)  # so that this is not taken for the finished model


def save(model, path, tokenizer, **more):
    fresh = path.with_suffix(".new")
    model.save(fresh, tokenizer=tokenizer.to_str(), **more)
    os.replace(fresh, path)


if __name__ == "__main__":
    main()
