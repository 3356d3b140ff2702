package import PlatformLibraries
import Synchronization

/// A supplier of the models that agents only name, and of the bytes of images.
///
/// It exists because AgentKit uses neither files nor sockets.
package protocol LanguageModelSupplier: Sendable {
  /// Returns the bytes of a file, or `nil` if this process cannot read it.
  func contents(of file: URL) -> Data?

  /// Returns the model in a GGUF file, opening it if necessary.
  ///
  /// - Throws: ``LlamaLanguageModel/Error`` if the file may not or cannot be opened.
  nonisolated(nonsending) func model(
    for name: LlamaLanguageModel
  ) async throws -> any LocalLanguageModel

  /// Returns the model in a GGUF file if it is open.
  func openModel(for name: LlamaLanguageModel) -> (any LocalLanguageModel)?

  /// The model of the server named in the environment, or `nil` if none is named.
  var serverOfEnvironment: ChatCompletionsLanguageModel? { get }

  /// Returns the model behind a server.
  func model(for name: ChatCompletionsLanguageModel) -> any LanguageModel
}

/// The supplier of this process's models.
package enum ModelSupply {
  // There is one supplier per process, set before any session exists.
  private static let current = Mutex<(any LanguageModelSupplier)?>(nil)

  /// Sets the supplier of this process's models.
  package static func use(_ supplier: (any LanguageModelSupplier)?) {
    current.withLock { $0 = supplier }
  }

  static var supplier: (any LanguageModelSupplier)? { current.withLock { $0 } }
}
