extension GGUFFile {
  /// Adds the bytes, as GPT-2 writes them, and a few names.
  ///
  /// - Parameter controls: More names.
  /// - Returns: The number of tokens.
  mutating func addVocabulary(controls: [String] = []) -> Int {
    let printable = [33...126, 161...172, 174...255].flatMap { Array($0) }
    let others = (0...255).filter { !printable.contains($0) }
    let scalars = printable + others.indices.map { 256 + $0 }
    let bytes = scalars.compactMap { Unicode.Scalar($0).map { String(Character($0)) } }
    let names = ["<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>"] + controls
    let tokens = bytes + names
    set("tokenizer.ggml.model", .text("gpt2"))
    set("tokenizer.ggml.pre", .text("gpt-2"))
    set("tokenizer.ggml.tokens", .texts(tokens))
    let kinds = bytes.map { _ in Int32(1) } + names.map { _ in Int32(3) }
    set("tokenizer.ggml.token_type", .numbers(kinds))
    set("tokenizer.ggml.merges", .texts(["Ġ t"]))
    set("tokenizer.ggml.eos_token_id", .number(UInt32(bytes.count + 1)))
    set("tokenizer.ggml.add_bos_token", .flag(false))
    set(
      "tokenizer.chat_template",
      .text(
        """
        {%- for message in messages %}{{- '<|im_start|>' + message.role + '\\n' + message.content \
        + '<|im_end|>\\n' }}{%- endfor %}{%- if add_generation_prompt %}\
        {{- '<|im_start|>assistant\\n' }}{%- endif %}
        """
      )
    )
    return tokens.count
  }
}
