"""Writes the stand-in model: the shape of Qwen2.5-0.5B, its real vocabulary and chat template, random weights.

A benchmark needs a model that costs what a real one costs, and no network to fetch it by. What it says means nothing.
The same seed and the same versions give the same bytes.
"""

import argparse

import gguf
import numpy

SEED = 20260101
LAYERS, WIDTH, HEADS, SHARED_HEADS, FORWARD = 24, 896, 14, 2, 4864

# The vocabulary that comes with llama.cpp is Qwen2's, where these places are empty. Those of Qwen2.5 stand from here on.
FIRST_ADDED = 151646
CONTROL, USER_DEFINED = gguf.TokenType.CONTROL, gguf.TokenType.USER_DEFINED
ADDED = [
    ("<|object_ref_start|>", CONTROL),
    ("<|object_ref_end|>", CONTROL),
    ("<|box_start|>", CONTROL),
    ("<|box_end|>", CONTROL),
    ("<|quad_start|>", CONTROL),
    ("<|quad_end|>", CONTROL),
    ("<|vision_start|>", CONTROL),
    ("<|vision_end|>", CONTROL),
    ("<|vision_pad|>", CONTROL),
    ("<|image_pad|>", CONTROL),
    ("<|video_pad|>", CONTROL),
    ("<tool_call>", USER_DEFINED),
    ("</tool_call>", USER_DEFINED),
    ("<|fim_prefix|>", CONTROL),
    ("<|fim_middle|>", CONTROL),
    ("<|fim_suffix|>", CONTROL),
    ("<|fim_pad|>", CONTROL),
    ("<|repo_name|>", CONTROL),
    ("<|file_sep|>", CONTROL),
]
END_OF_TURN = 151645


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("vocabulary")
    arguments.add_argument("template")
    arguments.add_argument("output")
    options = arguments.parse_args()

    writer = gguf.GGUFWriter(options.output, "qwen2")
    add_shape(writer)
    size = add_vocabulary(writer, gguf.GGUFReader(options.vocabulary))
    with open(options.template, encoding="utf-8") as template:
        writer.add_chat_template(template.read())
    add_weights(writer, size)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def add_shape(writer: gguf.GGUFWriter) -> None:
    writer.add_name("stand-in 0.5B")
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
    writer.add_block_count(LAYERS)
    writer.add_context_length(32768)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(SHARED_HEADS)
    writer.add_rope_freq_base(1e6)
    writer.add_layer_norm_rms_eps(1e-6)


def add_vocabulary(writer: gguf.GGUFWriter, reader: gguf.GGUFReader) -> int:
    def field(name: str):
        return reader.fields[f"tokenizer.ggml.{name}"].contents()

    tokens, types = field("tokens"), field("token_type")
    for place, (text, kind) in enumerate(ADDED, FIRST_ADDED):
        tokens[place], types[place] = text, kind
    writer.add_tokenizer_model(field("model"))
    writer.add_tokenizer_pre(field("pre"))
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    writer.add_token_merges(field("merges"))
    writer.add_bos_token_id(field("bos_token_id"))
    writer.add_eos_token_id(END_OF_TURN)
    writer.add_add_bos_token(False)
    return len(tokens)


def add_weights(writer: gguf.GGUFWriter, vocabulary: int) -> None:
    generator = numpy.random.default_rng(SEED)

    def add(name: str, *shape: int) -> None:
        values = generator.standard_normal(shape, dtype=numpy.float32)
        writer.add_tensor(f"{name}.weight", (values * 0.02).astype(numpy.float16))

    def add_constant(name: str, value: float, size: int) -> None:
        writer.add_tensor(name, numpy.full(size, value, dtype=numpy.float32))

    add("token_embd", vocabulary, WIDTH)
    add_constant("output_norm.weight", 1, WIDTH)
    narrow = WIDTH // HEADS * SHARED_HEADS
    for layer in range(LAYERS):
        block = f"blk.{layer}"
        add_constant(f"{block}.attn_norm.weight", 1, WIDTH)
        add_constant(f"{block}.ffn_norm.weight", 1, WIDTH)
        for name, width in (("q", WIDTH), ("k", narrow), ("v", narrow)):
            add(f"{block}.attn_{name}", width, WIDTH)
            add_constant(f"{block}.attn_{name}.bias", 0, width)
        add(f"{block}.attn_output", WIDTH, WIDTH)
        add(f"{block}.ffn_gate", FORWARD, WIDTH)
        add(f"{block}.ffn_up", FORWARD, WIDTH)
        add(f"{block}.ffn_down", WIDTH, FORWARD)


if __name__ == "__main__":
    main()
