package import Foundation

/// Models that see, made for tests; their weights are random, so what they say about an image means
/// nothing but depends on it.
package enum TinyVision {
  /// Returns a projector like LLaVA's for the pocket model: 16 patches, each a cell.
  package static func pocketProjector(width: Int = 256) -> Data {
    var file = GGUFFile()
    addVision(to: &file, projector: "mlp", width: width)
    file.addNoise("v.patch_embd.weight", 8, 8, 3, inner)
    file.addNoise("v.position_embd.weight", inner, 16)
    for name in ["mm.0", "mm.2"] {
      let outer = name == "mm.0" ? inner : width
      file.addNoise("\(name).weight", inner, outer)
      file.addNoise("\(name).bias", outer)
    }
    return file.data
  }

  /// Returns a projector like Qwen2-VL's for `mropeModel`: as many cells as the image needs.
  package static func mropeProjector() -> Data {
    var file = GGUFFile()
    addVision(to: &file, projector: "qwen2vl_merger", width: 64)
    for name in ["v.patch_embd.weight", "v.patch_embd.weight.1"] {
      file.addNoise(name, 8, 8, 3, inner)
    }
    file.add("v.post_ln.weight", inner, of: 1)
    file.add("v.post_ln.bias", inner, of: 0)
    file.addNoise("mm.0.weight", inner * 4, inner * 4)
    file.addNoise("mm.0.bias", inner * 4)
    file.addNoise("mm.2.weight", inner * 4, 64)
    file.addNoise("mm.2.bias", 64)
    return file.data
  }

  /// Returns a model whose images count fewer positions than cells.
  package static func mropeModel() -> Data {
    var file = GGUFFile()
    let (name, width, layers) = ("qwen2vl", 64, 2)
    file.set("general.architecture", .text(name))
    file.set("general.name", .text("tiny-qwen2vl"))
    file.set("\(name).context_length", .number(2048))
    file.set("\(name).embedding_length", .number(UInt32(width)))
    file.set("\(name).block_count", .number(UInt32(layers)))
    file.set("\(name).feed_forward_length", .number(128))
    file.set("\(name).attention.head_count", .number(2))
    file.set("\(name).attention.head_count_kv", .number(2))
    file.set("\(name).attention.layer_norm_rms_epsilon", .real(1e-6))
    file.set("\(name).rope.freq_base", .real(10000))
    file.set("\(name).rope.dimension_sections", .numbers([4, 6, 6, 0]))
    let vocabulary = file.addVocabulary()
    file.addNoise("token_embd.weight", width, vocabulary, scale: 1)
    file.add("output_norm.weight", width, of: 1)
    for layer in 0..<layers {
      let block = "blk.\(layer)"
      for norm in ["attn_norm", "ffn_norm"] { file.add("\(block).\(norm).weight", width, of: 1) }
      for part in ["attn_q", "attn_k", "attn_v"] {
        file.addNoise("\(block).\(part).weight", width, width)
        file.add("\(block).\(part).bias", width, of: 0)
      }
      file.addNoise("\(block).attn_output.weight", width, width)
      file.addNoise("\(block).ffn_gate.weight", width, 128)
      file.addNoise("\(block).ffn_up.weight", width, 128)
      file.addNoise("\(block).ffn_down.weight", 128, width)
    }
    return file.data
  }

  /// The width of the vision encoder.
  private static let inner = 16

  private static func addVision(to file: inout GGUFFile, projector: String, width: Int) {
    file.set("general.architecture", .text("clip"))
    file.set("clip.has_vision_encoder", .flag(true))
    file.set("clip.projector_type", .text(projector))
    file.set("clip.use_gelu", .flag(true))
    file.set("clip.vision.embedding_length", .number(UInt32(inner)))
    file.set("clip.vision.attention.head_count", .number(2))
    file.set("clip.vision.feed_forward_length", .number(32))
    file.set("clip.vision.block_count", .number(2))
    file.set("clip.vision.projection_dim", .number(UInt32(width)))
    file.set("clip.vision.attention.layer_norm_epsilon", .real(1e-5))
    file.set("clip.vision.image_size", .number(32))
    file.set("clip.vision.patch_size", .number(8))
    file.set("clip.vision.image_mean", .reals([0.5, 0.5, 0.5]))
    file.set("clip.vision.image_std", .reals([0.5, 0.5, 0.5]))
    for layer in 0..<2 {
      let block = "v.blk.\(layer)"
      for norm in ["ln1", "ln2"] {
        file.add("\(block).\(norm).weight", inner, of: 1)
        file.add("\(block).\(norm).bias", inner, of: 0)
      }
      for part in ["attn_q", "attn_k", "attn_v", "attn_out"] {
        file.addNoise("\(block).\(part).weight", inner, inner)
        file.add("\(block).\(part).bias", inner, of: 0)
      }
      file.addNoise("\(block).ffn_up.weight", inner, 32)
      file.addNoise("\(block).ffn_up.bias", 32)
      file.addNoise("\(block).ffn_down.weight", 32, inner)
      file.addNoise("\(block).ffn_down.bias", inner)
    }
  }
}
