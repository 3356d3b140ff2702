package import Foundation

/// A model most of whose layers look back only a few positions, made for tests, with random
/// weights.
package enum TinySliding {
  /// How many positions those layers look back.
  package static let window = 16

  /// Returns a model like Command R7B: of four layers the last looks back at everything.
  package static func model() -> Data { file.data }

  /// Returns the same model split into several files.
  package static func parts(_ count: Int) -> [Data] { file.parts(count) }

  private static var file: GGUFFile {
    var file = GGUFFile()
    let (name, width, inner) = ("cohere2", 64, 128)
    file.set("general.architecture", .text(name))
    file.set("general.name", .text("tiny-sliding"))
    file.set("\(name).context_length", .number(2048))
    file.set("\(name).embedding_length", .number(UInt32(width)))
    file.set("\(name).block_count", .number(4))
    file.set("\(name).feed_forward_length", .number(UInt32(inner)))
    file.set("\(name).attention.head_count", .number(2))
    file.set("\(name).attention.head_count_kv", .number(2))
    file.set("\(name).attention.layer_norm_epsilon", .real(1e-5))
    file.set("\(name).attention.sliding_window", .number(UInt32(window)))
    file.set("\(name).rope.freq_base", .real(10000))
    file.set("\(name).logit_scale", .real(1))
    let vocabulary = file.addVocabulary()
    file.addNoise("token_embd.weight", width, vocabulary, scale: 1)
    file.add("output_norm.weight", width, of: 1)
    for layer in 0..<4 {
      let block = "blk.\(layer)"
      file.add("\(block).attn_norm.weight", width, of: 1)
      for part in ["attn_q", "attn_k", "attn_v", "attn_output"] {
        file.addNoise("\(block).\(part).weight", width, width)
      }
      file.addNoise("\(block).ffn_gate.weight", width, inner)
      file.addNoise("\(block).ffn_up.weight", width, inner)
      file.addNoise("\(block).ffn_down.weight", inner, width)
    }
    return file
  }
}
