"""Writes the model as GGUF, with its tokenizer and its chat template; and reads one back, to go on with it.

    python export.py OUT/model.pt POCKET.gguf [--type Q8_0|F16|Q4_0] [--context 1536] [--mix EARLIER.pt 0.3]
    python export.py --back POCKET.gguf OUT/begin.pt      and OUT/tokenizer.json beside it: train.py --from OUT/begin.pt
"""

import argparse
import json
import os
from pathlib import Path

import gguf
import numpy as np
import torch

from model import Pocket, Shape
from tokenizer import CONTROL, FIXED, assemble

TEMPLATE = Path(__file__).with_name("template.jinja")


def neighbours(x, heads):
    """llama.cpp turns pairs of neighbours; here the two halves of a head are the pairs."""
    return x.reshape(heads, 2, x.shape[0] // heads // 2, *x.shape[1:]).swapaxes(1, 2).reshape(x.shape)


def halves(x, heads):
    """What `neighbours` was given."""
    return x.reshape(heads, x.shape[0] // heads // 2, 2, *x.shape[1:]).swapaxes(1, 2).reshape(x.shape)


@torch.no_grad()
def mixed(model, earlier, share):
    """Weights between those of two checkpoints of one training: what the later part unlearnt is partly kept."""
    theirs = dict(Pocket.load(earlier)[0].named_parameters())
    for name, weight in model.named_parameters():
        weight.copy_((1 - share) * weight + share * theirs[name])


def tensors(model):
    """Every weight: what GGUF calls it, and how many heads it is to be turned in, if it is."""
    s = model.shape
    yield "token_embd.weight", model.embedding, None
    yield "output_norm.weight", model.norm, None
    for i, layer in enumerate(model.layers):
        yield f"blk.{i}.attn_norm.weight", layer.attn_norm, None
        yield f"blk.{i}.ffn_norm.weight", layer.ffn_norm, None
        for name, linear, heads in (("q", layer.q, s.heads), ("k", layer.k, s.kv_heads)):
            yield f"blk.{i}.attn_{name}.weight", linear.weight, heads
            yield f"blk.{i}.attn_{name}.bias", linear.bias, heads
        for name, linear in (("attn_v", layer.v), ("attn_output", layer.o), ("ffn_gate", layer.gate), ("ffn_up", layer.up), ("ffn_down", layer.down)):
            yield f"blk.{i}.{name}.weight", linear.weight, None


@torch.no_grad()
def read_back(path, checkpoint):
    """A checkpoint that training can begin with, out of a file that `export` wrote; what was quantised stays rounded."""
    reader = gguf.GGUFReader(path)
    value = {key: field.contents() for key, field in reader.fields.items()}
    of = lambda name: value[f"llama.{name}"]
    model = Pocket(Shape(vocab=of("vocab_size"), layers=of("block_count"), width=of("embedding_length"), heads=of("attention.head_count"),
        kv_heads=of("attention.head_count_kv"), ffn=of("feed_forward_length"), base=of("rope.freq_base"), context=of("context_length"),
        eps=of("attention.layer_norm_rms_epsilon")))
    stored = {t.name: gguf.quants.dequantize(t.data, t.tensor_type) for t in reader.tensors}
    for name, weight, heads in tensors(model):
        data = torch.from_numpy(stored[name].astype(np.float32)).reshape(weight.shape)
        weight.copy_(halves(data, heads) if heads else data)
    added = set(CONTROL) | set(FIXED)
    tokens = value["tokenizer.ggml.tokens"]
    tokenizer = assemble({t: i for i, t in enumerate(tokens) if t not in added}, [tuple(m.split(" ")) for m in value["tokenizer.ggml.merges"]])
    assert [tokenizer.id_to_token(i) for i in range(len(tokens))] == tokens
    tokenizer.save(str(checkpoint.with_name("tokenizer.json")))
    model.save(checkpoint, tokenizer=tokenizer.to_str(), step=0, tokens=0)


def export(checkpoint, path, kind, context, mix=None):
    model, saved = Pocket.load(checkpoint)
    if mix:
        mixed(model, mix[0], float(mix[1]))
    s = model.shape
    out = gguf.GGUFWriter(path, "llama")
    out.add_name("pocket")
    out.add_description("A tiny model for the craft agents that ship with orchestrator; made by deploy/pocket")
    out.add_file_type({"Q8_0": 7, "F16": 1, "Q4_0": 2}[kind])
    out.add_context_length(context or s.context)
    out.add_embedding_length(s.width)
    out.add_block_count(s.layers)
    out.add_feed_forward_length(s.ffn)
    out.add_head_count(s.heads)
    out.add_head_count_kv(s.kv_heads)
    out.add_rope_dimension_count(s.head)
    out.add_rope_freq_base(s.base)
    out.add_layer_norm_rms_eps(s.eps)
    out.add_vocab_size(s.vocab)

    tokenizer = json.loads(saved["tokenizer"])
    vocab = dict(tokenizer["model"]["vocab"])
    for token in tokenizer["added_tokens"]:
        vocab[token["content"]] = token["id"]
    tokens = sorted(vocab, key=vocab.get)
    assert len(tokens) == s.vocab and [vocab[t] for t in tokens] == list(range(s.vocab))
    types = [gguf.TokenType.CONTROL if t in CONTROL else gguf.TokenType.USER_DEFINED if t in FIXED else gguf.TokenType.NORMAL for t in tokens]
    merges = [m if isinstance(m, str) else " ".join(m) for m in tokenizer["model"]["merges"]]
    out.add_tokenizer_model("gpt2")
    out.add_tokenizer_pre("gpt-2")
    out.add_token_list(tokens)
    out.add_token_types(types)
    out.add_token_merges(merges)
    out.add_eos_token_id(vocab["<|im_end|>"])
    out.add_pad_token_id(vocab["<|endoftext|>"])
    out.add_bos_token_id(vocab["<|endoftext|>"])
    out.add_add_bos_token(False)
    out.add_chat_template(TEMPLATE.read_text())

    quantised = {"Q8_0": gguf.GGMLQuantizationType.Q8_0, "F16": gguf.GGMLQuantizationType.F16, "Q4_0": gguf.GGMLQuantizationType.Q4_0}[kind]

    def tensor(name, weight):
        data = weight.detach().float().numpy()
        if data.ndim == 1:
            return out.add_tensor(name, np.ascontiguousarray(data))
        out.add_tensor(name, gguf.quants.quantize(np.ascontiguousarray(data), quantised), raw_dtype=quantised)

    for name, weight, heads in tensors(model):
        tensor(name, neighbours(weight, heads) if heads else weight)
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()
    return saved


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("checkpoint", type=Path)
    options.add_argument("gguf", type=Path)
    options.add_argument("--back", action="store_true", help="the other way round: the first is a GGUF, the second the checkpoint to be made of it")
    options.add_argument("--type", default="Q8_0")
    options.add_argument("--context", type=int)
    options.add_argument("--mix", nargs=2, metavar=("CHECKPOINT", "SHARE"), help="take this share of an earlier checkpoint's weights, and the rest of this one's")
    o = options.parse_args()
    if o.back:
        raise SystemExit(read_back(o.checkpoint, o.gguf))
    fresh = o.gguf.with_suffix(".new")
    saved = export(o.checkpoint, fresh, o.type, o.context, o.mix)
    os.replace(fresh, o.gguf)
    print(f"{o.gguf}: {o.gguf.stat().st_size} bytes, step {saved['step']}, {saved['tokens'] / 1e6:.2f} M tokens")
