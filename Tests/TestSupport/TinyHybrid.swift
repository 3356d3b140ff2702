package import Foundation

/// A model that cannot forget part of what it has read, made for tests, with random weights.
package enum TinyHybrid {
  /// Returns a model like LFM2: of two layers the first mixes each token with those just before it.
  package static func model() -> Data {
    var file = GGUFFile()
    let (name, width, inner, mixed) = ("lfm2", 64, 128, 3)
    file.set("general.architecture", .text(name))
    file.set("general.name", .text("tiny-hybrid"))
    file.set("\(name).context_length", .number(2048))
    file.set("\(name).embedding_length", .number(UInt32(width)))
    file.set("\(name).block_count", .number(2))
    file.set("\(name).feed_forward_length", .number(UInt32(inner)))
    file.set("\(name).attention.head_count", .number(2))
    file.set("\(name).attention.head_count_kv", .numbers([0, 2]))
    file.set("\(name).attention.layer_norm_rms_epsilon", .real(1e-5))
    file.set("\(name).rope.freq_base", .real(10000))
    file.set("\(name).shortconv.l_cache", .number(UInt32(mixed)))
    let vocabulary = file.addVocabulary()
    file.addNoise("token_embd.weight", width, vocabulary, scale: 1)
    file.add("token_embd_norm.weight", width, of: 1)
    for layer in 0..<2 {
      let block = "blk.\(layer)"
      for norm in ["attn_norm", "ffn_norm"] { file.add("\(block).\(norm).weight", width, of: 1) }
      file.addNoise("\(block).ffn_gate.weight", width, inner)
      file.addNoise("\(block).ffn_up.weight", width, inner)
      file.addNoise("\(block).ffn_down.weight", inner, width)
    }
    file.addNoise("blk.0.shortconv.conv.weight", mixed, width)
    file.addNoise("blk.0.shortconv.in_proj.weight", width, width * 3)
    file.addNoise("blk.0.shortconv.out_proj.weight", width, width)
    for part in ["attn_q", "attn_k", "attn_v", "attn_output"] {
      file.addNoise("blk.1.\(part).weight", width, width)
    }
    for norm in ["attn_q_norm", "attn_k_norm"] {
      file.add("blk.1.\(norm).weight", width / 2, of: 1)
    }
    return file.data
  }
}
