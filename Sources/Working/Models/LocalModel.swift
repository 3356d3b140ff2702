import AgentKit
import Llama
import Wire

/// The GGUF model of this process.
enum LocalModel {
  /// Loads a model and makes it the one that `SystemLanguageModel` stands for.
  ///
  /// - Parameters:
  ///   - isForked: Whether it is for forks of this process.
  ///   - memory: The bytes of memory for all workers; `nil` for the machine's.
  static func load(
    _ path: String,
    contextSize: Int?,
    projector: ProjectorFile?,
    isForked: Bool,
    memory: Int64?
  ) throws(Inability) -> (engine: LlamaEngine, description: ModelDescription) {
    do {
      let engine = try LlamaEngine(
        modelAt: path,
        contextSize: contextSize,
        projector: projector,
        isForked: isForked,
        memory: memory
      )
      note(projector, engine)
      SystemLanguageModel.configure(LoadedLanguageModel(engine))
      return (engine, ModelDescription(engine))
    } catch let error as LlamaModelError {
      throw Inability(.model, "The model cannot be used: \(error).")
    } catch {
      throw Inability(.model, "The model \(path) cannot be used: \(error).")
    }
  }

  /// Logs what an opened model sees with, or why it does not see.
  static func note(_ projector: ProjectorFile?, _ engine: LlamaEngine) {
    guard let projector else { return }
    switch engine.visionUnavailable {
    case nil: Log.write("it takes images, with the projector \(projector.path)")
    case .noProjector: break
    case .refused(let path, let reason): Log.write("\(path) was ignored: \(reason)")
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
