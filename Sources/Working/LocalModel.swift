import AgentKit
import Llama
import Wire

/// The GGUF model of this process.
enum LocalModel {
  /// Loads a model and makes it what `SystemLanguageModel` stands for.
  /// - Parameter isForked: Whether it is for forks of this process.
  static func load(
    _ path: String,
    contextSize: Int?,
    isForked: Bool
  ) throws(Inability) -> (engine: LlamaEngine, description: ModelDescription) {
    do {
      let engine = try LlamaEngine(
        modelAt: path,
        contextSize: contextSize,
        isForked: isForked
      )
      SystemLanguageModel.configure(LoadedLanguageModel(engine))
      return (engine, ModelDescription(engine))
    } catch let error as LlamaModelError {
      throw Inability(.model, "The model cannot be used: \(error).")
    } catch {
      throw Inability(.model, "The model \(path) cannot be used: \(error).")
    }
  }
}

extension ModelDescription {
  init(_ engine: LlamaEngine) {
    self.init(
      name: engine.facts.name ?? engine.facts.description,
      contextSize: engine.contextSize
    )
  }
}
