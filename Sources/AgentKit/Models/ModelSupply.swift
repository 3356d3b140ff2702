import Synchronization

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Makes the models that agents only name, and reads the images: AgentKit has no files and no sockets.
package protocol LanguageModelSupplier: Sendable {
  /// The bytes of a file; `nil` when this process cannot read it.
  func contents(of file: URL) -> Data?

  /// The model in a GGUF file, opened where that has not been done yet.
  /// - Throws: `LlamaLanguageModel.Error` when the file may not be opened, or cannot be.
  nonisolated(nonsending) func model(
    for name: LlamaLanguageModel
  ) async throws -> any LocalLanguageModel

  /// The model in a GGUF file, if it is open.
  func openModel(for name: LlamaLanguageModel) -> (any LocalLanguageModel)?

  /// The model of the server that the environment names; `nil` where it names none.
  var serverOfEnvironment: ChatCompletionsLanguageModel? { get }

  /// The model behind a server.
  func model(for name: ChatCompletionsLanguageModel) -> any LanguageModel
}

/// What supplies the models of this process.
package enum ModelSupply {
  // One per process, set before any session exists.
  private static let current = Mutex<(any LanguageModelSupplier)?>(nil)

  /// Says what supplies the models of this process.
  package static func use(_ supplier: (any LanguageModelSupplier)?) {
    current.withLock { $0 = supplier }
  }

  static var supplier: (any LanguageModelSupplier)? { current.withLock { $0 } }
}
