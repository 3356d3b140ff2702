"""Writes the model as GGUF, with its tokenizer and its chat template.

    python export.py OUT/model.pt POCKET.gguf [--type Q8_0|F16|Q4_0] [--context 1536] [--mix EARLIER.pt 0.3]
"""

import argparse
import json
import os
from pathlib import Path

import gguf
import numpy as np
import torch

from model import Pocket
from tokenizer import CONTROL, FIXED

TEMPLATE = Path(__file__).with_name("template.jinja")


def neighbours(x, heads):
    """llama.cpp turns pairs of neighbours; here the two halves of a head are the pairs."""
    return x.reshape(heads, 2, x.shape[0] // heads // 2, *x.shape[1:]).swapaxes(1, 2).reshape(x.shape)


@torch.no_grad()
def mixed(model, earlier, share):
    """Weights between those of two checkpoints of one training: what the later part unlearnt is partly kept."""
    theirs = dict(Pocket.load(earlier)[0].named_parameters())
    for name, weight in model.named_parameters():
        weight.copy_((1 - share) * weight + share * theirs[name])


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

    tensor("token_embd.weight", model.embedding)
    tensor("output_norm.weight", model.norm)
    for i, layer in enumerate(model.layers):
        tensor(f"blk.{i}.attn_norm.weight", layer.attn_norm)
        tensor(f"blk.{i}.ffn_norm.weight", layer.ffn_norm)
        for name, linear, heads in (("q", layer.q, s.heads), ("k", layer.k, s.kv_heads)):
            tensor(f"blk.{i}.attn_{name}.weight", neighbours(linear.weight, heads))
            tensor(f"blk.{i}.attn_{name}.bias", neighbours(linear.bias, heads))
        for name, linear in (("attn_v", layer.v), ("attn_output", layer.o), ("ffn_gate", layer.gate), ("ffn_up", layer.up), ("ffn_down", layer.down)):
            tensor(f"blk.{i}.{name}.weight", linear.weight)
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()
    return saved


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("checkpoint")
    options.add_argument("gguf", type=Path)
    options.add_argument("--type", default="Q8_0")
    options.add_argument("--context", type=int)
    options.add_argument("--mix", nargs=2, metavar=("CHECKPOINT", "SHARE"), help="take this share of an earlier checkpoint's weights, and the rest of this one's")
    o = options.parse_args()
    fresh = o.gguf.with_suffix(".new")
    saved = export(o.checkpoint, fresh, o.type, o.context, o.mix)
    os.replace(fresh, o.gguf)
    print(f"{o.gguf}: {o.gguf.stat().st_size} bytes, step {saved['step']}, {saved['tokens'] / 1e6:.2f} M tokens")
