import Libllama

/// What a model says about itself.
package struct LlamaModelFacts: Sendable, Equatable {
  /// The architecture, size class and quantization, in llama.cpp's words.
  package let description: String
  /// The name in the file's metadata.
  package let name: String?
  /// The languages that the file lists, as it spells them.
  package let languages: [String]
  /// The total bytes of all tensors.
  package let size: UInt64
  package let parameterCount: UInt64
  package let trainedContextSize: Int
  /// False for recurrent and hybrid models, which cannot partly forget what they have read.
  package let canRewind: Bool
  /// How many positions the layers with a sliding window look back; zero where there are none.
  let slidingWindow: Int

  init(_ model: OpaquePointer) {
    description = Self.text { llama_model_desc(model, $0, $1) } ?? ""
    name = Self.text { llama_model_meta_val_str(model, "general.name", $0, $1) }
    let languages = Self.text { llama_model_meta_val_str(model, "general.languages", $0, $1) }
    self.languages = languages.map(Self.elements) ?? []
    size = llama_model_size(model)
    parameterCount = llama_model_n_params(model)
    trainedContextSize = Int(llama_model_n_ctx_train(model))
    canRewind = !llama_model_is_recurrent(model) && !llama_model_is_hybrid(model)
    slidingWindow = Int(llama_model_n_swa(model))
  }

  /// Splits an array of names as llama.cpp prints it: `["en", "de"]`.
  private static func elements(_ text: String) -> [String] {
    text.split { !$0.isLetter && !$0.isNumber && $0 != "-" }.map(String.init)
  }

  /// Returns what llama.cpp writes into a buffer of a given size; `nil` where it writes nothing.
  static func text(
    _ size: Int = 256,
    _ fill: (UnsafeMutablePointer<CChar>?, Int) -> Int32
  ) -> String? {
    var buffer = [CChar](repeating: 0, count: size)
    let length = buffer.withUnsafeMutableBufferPointer { fill($0.baseAddress, $0.count) }
    guard length >= 0 else { return nil }
    let bytes = buffer.prefix(min(Int(length), buffer.count - 1)).map { UInt8(bitPattern: $0) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
