package import Foundation

/// A model file's metadata without weights: enough to load its vocabulary.
package enum BareModel {
  /// - Parameter controls: Names of control tokens, besides those of every such vocabulary.
  package static func model(of architecture: String, controls: [String] = []) -> Data {
    var file = GGUFFile()
    file.set("general.architecture", .text(architecture))
    for (key, value) in [
      ("context_length", 256), ("embedding_length", 64), ("block_count", 1),
      ("feed_forward_length", 64), ("attention.head_count", 2),
    ] {
      file.set("\(architecture).\(key)", .number(UInt32(value)))
    }
    file.set("\(architecture).attention.layer_norm_rms_epsilon", .real(1e-5))
    _ = file.addVocabulary(controls: controls)
    return file.data
  }
}
