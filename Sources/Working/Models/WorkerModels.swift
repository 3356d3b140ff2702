import AgentKit
import Dispatch
import Llama
import PlatformLibraries
import Remote
import Synchronization

/// The models that this process's agent names: GGUF files that it may open, and servers.
///
/// Each file is opened once, however many sessions and profiles name it: the initial profile's
/// before the first turn, any other at its first request.
final class WorkerModels: LanguageModelSupplier {
  private struct Key: Hashable {
    let path: String
    var projector: String?
    let contextSize: Int?
  }

  private struct State {
    var folder: String?
    var memory: Int64?
    var open: [Key: LlamaEngine] = [:]
    var cores: (any CoreSharing)?
    // Created at the first request: a queue used before a fork would not work in the child.
    var queue: DispatchQueue?
  }

  private let state = Mutex(State())

  /// Notes the configuration's model, so that it is not opened again and relative names resolve to
  /// its folder.
  func note(_ engine: LlamaEngine, at path: String, contextSize: Int?) {
    let folder = URL(filePath: path).deletingLastPathComponent().standardized.path
    state.withLock { state in
      state.folder = folder
      state.open[Key(path: Self.normal(path), contextSize: contextSize)] = engine
      // A name without a window size takes the existing window.
      state.open[Key(path: Self.normal(path), contextSize: nil)] = engine
    }
  }

  /// Notes how much memory there is for all workers; `nil` for the machine's.
  func note(memory: Int64?) { state.withLock { $0.memory = memory } }

  func openModel(for name: LlamaLanguageModel) -> (any LocalLanguageModel)? {
    guard let key = try? key(of: name) else { return nil }
    return engine(at: key).map { LoadedLanguageModel($0, options: name.options) }
  }

  private func engine(at key: Key) -> LlamaEngine? { state.withLock { $0.open[key] } }

  nonisolated(nonsending) func model(
    for name: LlamaLanguageModel
  ) async throws -> any LocalLanguageModel {
    if let open = openModel(for: name) { return open }
    return try await withCheckedThrowingContinuation { continuation in
      // Opening blocks, and is serial, so that no file is opened twice.
      queue.async {
        continuation.resume(with: Result { try self.open(name) })
      }
    }
  }

  /// Makes every model opened, now or later, request cores before it computes.
  func shareCores(through sharing: any CoreSharing) {
    let open = state.withLock { state in
      state.cores = sharing
      return Array(state.open.values)
    }
    for engine in open { engine.shareCores(through: sharing) }
  }

  func contents(of file: URL) -> Data? { try? Data(contentsOf: file) }

  var serverOfEnvironment: ChatCompletionsLanguageModel? {
    func value(_ variable: String) -> String? {
      getenv(variable).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
    guard value(ChatCompletionsLanguageModel.addressVariable) != nil else { return nil }
    let model = value(PrivateCloudComputeLanguageModel.modelVariable)
    return .init(name: model ?? PrivateCloudComputeLanguageModel.unnamedModel)
  }

  func model(for name: ChatCompletionsLanguageModel) -> any LanguageModel {
    RemoteLanguageModel(name, log: Log.write)
  }

  /// Opens a model on the calling thread, unless it is already open.
  @discardableResult
  func open(_ name: LlamaLanguageModel) throws(LlamaLanguageModel.Error) -> LoadedLanguageModel {
    let key = try key(of: name)
    if let engine = engine(at: key) { return LoadedLanguageModel(engine, options: name.options) }
    do {
      let projector =
        key.projector.map { ProjectorFile.named($0) } ?? ProjectorFile.beside(key.path)
      let engine = try LlamaEngine(
        modelAt: key.path,
        contextSize: key.contextSize,
        projector: projector,
        memory: state.withLock { $0.memory }
      )
      Log.write("opened \(key.path), window \(engine.contextSize)")
      LocalModel.note(projector, engine)
      let cores = state.withLock { state in
        state.open[key] = engine
        return state.cores
      }
      if let cores { engine.shareCores(through: cores) }
      return LoadedLanguageModel(engine, options: name.options)
    } catch let error as LlamaModelError {
      if case .unreadable(_, EACCES) = error {
        throw fault(
          name,
          "\(error). The agent must declare in its permissions what it reads, and --allow must"
            + " grant it"
        )
      }
      throw fault(name, "\(error)")
    } catch {
      throw fault(name, "\(error)")
    }
  }

  private var queue: DispatchQueue {
    state.withLock { state in
      let queue = state.queue ?? DispatchQueue(label: "models")
      state.queue = queue
      return queue
    }
  }

  /// Returns the file that a name stands for; whether it can be read depends on what a person has
  /// allowed.
  private func key(of name: LlamaLanguageModel) throws(LlamaLanguageModel.Error) -> Key {
    var key = Key(path: try path(of: name.file, name), contextSize: name.contextSize)
    if let projector = name.projector { key.projector = try path(of: projector, name) }
    return key
  }

  private func path(
    of file: String,
    _ name: LlamaLanguageModel
  ) throws(LlamaLanguageModel.Error) -> String {
    if file.hasPrefix("/") { return Self.normal(file) }
    guard let folder = state.withLock({ $0.folder }) else {
      throw fault(name, "it is relative to the model of orchestrator, which has none")
    }
    return Self.normal("\(folder)/\(file)")
  }

  private func fault(_ name: LlamaLanguageModel, _ problem: String) -> LlamaLanguageModel.Error {
    .unusable(
      .init(
        file: name.file,
        debugDescription:
          "The model '\(name.file)' that the agent names cannot be used: \(problem)."
      )
    )
  }

  private static func normal(_ path: String) -> String { URL(filePath: path).standardized.path }
}
