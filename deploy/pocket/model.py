"""A llama in PyTorch, small enough for two CPU cores, and the circuit that it is born with.

Copying a name from the prompt is what these agents do most, and a network of this size needs millions
of tokens to find the circuit for it. So it starts with one (`wire`): heads that look one and two tokens
back, and heads that find the same token (or pair of tokens) earlier and copy what followed it.
All weights are then trained.
"""

import math
from dataclasses import asdict, dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class Shape:
    vocab: int = 2048
    layers: int = 4
    width: int = 256
    heads: int = 8
    kv_heads: int = 4
    ffn: int = 672
    base: float = 1e6  # a high base leaves half of the dimensions of a head nearly free of position
    context: int = 1536  # the longest dialogue in training
    eps: float = 1e-5

    @property
    def head(self):
        return self.width // self.heads


def attention(q, k, v):
    """Causal attention of groups of heads that share keys, (batch, heads, time, head) each. In training, for the
    lengths that occur there, plain products of bf16 matrices take a third of the time of PyTorch's fused kernel."""
    (b, heads, t, size), shared = q.shape, k.shape[1]
    if q.is_cuda:
        return F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    if q.dtype != torch.bfloat16 or t > 512:
        k, v = (x.repeat_interleave(heads // shared, 1) for x in (k, v))
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)
    with torch.autocast("cpu", enabled=False):
        q = q.reshape(b * shared, -1, size) * size**-0.5
        k, v = k.reshape(b * shared, t, size), v.reshape(b * shared, t, size)
        later = torch.full((t, t), -1e9, dtype=q.dtype).triu(1)
        weights = torch.softmax((q @ k.mT).view(b * shared, -1, t, t) + later, -1)
        return (weights.view(b * shared, -1, t) @ v).view(b, heads, t, size)


def rotate(x, cos, sin):
    a, b = x.chunk(2, dim=-1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)


class Layer(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.shape = s
        kv = s.kv_heads * s.head
        self.attn_norm = nn.Parameter(torch.ones(s.width))
        self.q = nn.Linear(s.width, s.width)
        self.k = nn.Linear(s.width, kv)
        self.v = nn.Linear(s.width, kv, bias=False)
        self.o = nn.Linear(s.width, s.width, bias=False)
        self.ffn_norm = nn.Parameter(torch.ones(s.width))
        self.gate = nn.Linear(s.width, s.ffn, bias=False)
        self.up = nn.Linear(s.width, s.ffn, bias=False)
        self.down = nn.Linear(s.ffn, s.width, bias=False)

    def forward(self, x, cos, sin):
        s, (b, t, _) = self.shape, x.shape
        h = F.rms_norm(x, (s.width,), self.attn_norm, s.eps)
        q = rotate(self.q(h).view(b, t, s.heads, s.head).transpose(1, 2), cos, sin)
        k = rotate(self.k(h).view(b, t, s.kv_heads, s.head).transpose(1, 2), cos, sin)
        v = self.v(h).view(b, t, s.kv_heads, s.head).transpose(1, 2)
        a = attention(q, k, v)
        x = x + self.o(a.transpose(1, 2).reshape(b, t, s.width))
        h = F.rms_norm(x, (s.width,), self.ffn_norm, s.eps)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


class Pocket(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.embedding = nn.Parameter(torch.zeros(shape.vocab, shape.width))
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.norm = nn.Parameter(torch.full((shape.width,), 0.1))
        half = torch.arange(shape.head // 2, dtype=torch.float64) / (shape.head // 2)
        angles = torch.outer(torch.arange(4096, dtype=torch.float64), shape.base ** -half)
        self.register_buffer("cos", angles.cos().float(), persistent=False)
        self.register_buffer("sin", angles.sin().float(), persistent=False)

    def hidden(self, tokens):
        """What the last norm gives. The logits are this times the embedding, where they are wanted."""
        t = tokens.shape[1]
        x = F.embedding(tokens, self.embedding)
        dtype = torch.bfloat16 if torch.is_autocast_enabled(x.device.type) else x.dtype
        cos, sin = self.cos[:t].to(dtype), self.sin[:t].to(dtype)
        for layer in self.layers:
            x = layer(x, cos, sin)
        return F.rms_norm(x, (self.shape.width,), self.norm, self.shape.eps)

    def forward(self, tokens):
        return self.hidden(tokens) @ self.embedding.T

    def save(self, path, **more):
        torch.save({"shape": asdict(self.shape), "weights": self.state_dict(), **more}, path)

    @staticmethod
    def load(path):
        saved = torch.load(path, weights_only=False, map_location="cpu")
        model = Pocket(Shape(**saved["shape"]))
        model.load_state_dict(saved["weights"])
        return model, saved


@torch.no_grad()
def wire(model, seed=1):
    """Random weights, and the copying circuit on top of them."""
    torch.manual_seed(seed)
    s = model.shape
    d, hd, half = s.width, s.head, s.head // 2
    # The stream has three parts: this token, the token before it, and the one before that.
    own, one, two = slice(0, d // 2), slice(d // 2, 3 * d // 4), slice(3 * d // 4, d)
    model.embedding.normal_(0, 0.02)
    model.embedding[:, own].normal_(0, 0.5)
    for layer in model.layers:
        for linear, std in (
            (layer.q, 0.06), (layer.k, 0.06), (layer.v, 0.06), (layer.o, 0.01),
            (layer.gate, 0.06), (layer.up, 0.06), (layer.down, 0.01),
        ):
            linear.weight.normal_(0, std)
            if linear.bias is not None:
                linear.bias.zero_()

    def directions(n, inside):
        """n orthonormal rows that read one part of the stream."""
        rows = torch.zeros(n, d)
        rows[:, inside] = torch.linalg.qr(torch.randn(d // 4 if inside != own else d // 2, n))[0].T
        return rows

    # Layer 0: a query bias and a key bias whose phases differ by one or two positions, so that the
    # score depends on distance alone and is highest there. Two key heads carry 32 directions each.
    theta = s.base ** -(torch.arange(half).double() / half)
    strength = torch.where(theta > 0.05, 9.0, 0.0).float()
    names = directions(2 * hd, own)
    first = model.layers[0]
    for group in range(2):
        rows = slice(group * hd, (group + 1) * hd)
        first.k.weight[rows] *= 0.1
        first.k.bias[rows] = torch.cat((strength, torch.zeros(half)))
        first.v.weight[rows] = names[rows]
        for back, part in ((1, one), (2, two)):
            head = slice((2 * group + back - 1) * hd, (2 * group + back) * hd)
            first.q.weight[head] *= 0.1
            phase = (-theta * back).float()
            first.q.bias[head] = torch.cat((strength * phase.cos(), strength * phase.sin()))
            first.o.weight[:, head] = 0
            start = part.start + group * hd
            first.o.weight[start : start + hd, head] = torch.eye(hd)

    # Layers 1 and 2: this token's name against the name before each position; layer 2 compares pairs.
    # Only slowly rotating dimensions take part, so that distance does not matter.
    slow = [i for i in range(half) if theta[i] < 1e-3]
    slots = slow + [half + i for i in slow]
    for index in (1, 2):
        layer = model.layers[index]
        for group in range(2):
            mix = torch.linalg.qr(torch.randn(2 * hd, len(slots)))[0].T  # names -> slots
            keys, queries = torch.zeros(len(slots), d), torch.zeros(len(slots), d)
            n = len(slots) if index == 1 else len(slots) // 2
            keys[:n, one] = mix[:n]
            queries[:n] = mix[:n] @ names
            keys[n:, two] = mix[n:]
            queries[n:, one] = mix[n:]
            rows = slice(group * hd, (group + 1) * hd)
            head = slice(2 * group * hd, (2 * group + 1) * hd)
            layer.k.weight[rows], layer.q.weight[head] = 0, 0
            layer.k.weight[[group * hd + i for i in slots]] = 3.5 * keys
            layer.q.weight[[2 * group * hd + i for i in slots]] = 3.5 * queries
            copied = directions(hd, own)
            layer.v.weight[rows] = copied
            layer.o.weight[:, head] = 2.0 * copied.T
    return model


def parameters(model):
    return sum(p.numel() for p in model.parameters())
