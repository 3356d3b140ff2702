import CLlama
import Libllama
import PlatformLibraries

/// A GGUF model, loaded and ready for contexts.
///
/// Not `Sendable`, and never used from two threads: a process that is to fork runs all of llama.cpp
/// on its one thread.
package final class LlamaModel {
  package struct Options: Sendable {
    /// The number of layers to place on a GPU.
    package var gpuLayers: Int32 = 0
    /// Maps the file, so that processes share its pages.
    ///
    /// Otherwise it is read into memory that only forks share, but which they find in place, in
    /// huge pages, while each process faults in a mapped file page by page. A model that is large
    /// for this machine is mapped regardless, because only then can its pages be given back.
    package var isMapped = true
    /// Repacks weights for this CPU, which is faster, but the repacked copy belongs to this process
    /// and its forks; `nil` leaves the choice to `Repacking`.
    package var usesExtraBuffers: Bool?
    /// The bytes of memory against which a model counts as large; `nil` for the machine's, although
    /// a container may have less.
    package var memory: Int64?
    /// Loads no weights, which is enough for rendering and counting.
    package var isVocabularyOnly = false
    /// Replaces the model's own chat template.
    package var chatTemplate: String?

    package init() {}
  }

  package let path: String
  /// Changes with the file and with how it is loaded.
  let identity: String
  package let facts: LlamaModelFacts
  package let templates: ChatTemplates

  let pointer: OpaquePointer
  let vocabulary: OpaquePointer

  // Created when first needed, because not every process that loads a model renders prompts.
  lazy var pieces = PromptPieces(PromptMarks(self))

  /// Loads the model at `path`.
  ///
  /// - Throws: ``LlamaModelError`` with what is known of the file. A file that changes while it is
  ///   mapped can still end the process: models are replaced by renaming, never written in place.
  package init(path: String, options: Options = Options()) throws(LlamaModelError) {
    let file = try ModelFile(path: path)
    let isRepacked =
      options.usesExtraBuffers
      ?? Repacking.isWorthItsMemory(fileSize: file.size, memory: Self.memory(options))
    let pointer = try Self.load(file, options, isRepacked: isRepacked)
    do throws(LlamaModelError) {
      guard let vocabulary = llama_model_get_vocab(pointer),
        llama_vocab_type(vocabulary) != LLAMA_VOCAB_TYPE_NONE
      else {
        throw .noVocabulary(path: path)
      }
      guard llama_model_has_decoder(pointer), !llama_model_has_encoder(pointer),
        !llama_model_is_diffusion(pointer)
      else {
        throw .notAutoregressive(path: path)
      }
      self.vocabulary = vocabulary
      self.templates = try Self.templates(of: pointer, path: path, source: options.chatTemplate)
    } catch {
      llama_model_free(pointer)
      throw error
    }
    self.path = path
    identity = "\(file.identity); repacked \(isRepacked)"
    self.pointer = pointer
    self.facts = LlamaModelFacts(pointer)
  }

  deinit {
    llama_model_free(pointer)
  }

  private static func memory(_ options: Options) -> Int64 {
    options.memory
      ?? Int64(sysconf(Int32(_SC_PHYS_PAGES))) * Int64(sysconf(Int32(_SC_PAGESIZE)))
  }

  private static func load(
    _ file: ModelFile,
    _ options: Options,
    isRepacked: Bool
  ) throws(LlamaModelError) -> OpaquePointer {
    Runtime.started
    let logged = Runtime.log.count
    var parameters = llama_model_default_params()
    parameters.n_gpu_layers = options.gpuLayers
    let isMapped = options.isMapped || file.size > memory(options) / 4
    parameters.load_mode = isMapped ? LLAMA_LOAD_MODE_MMAP : LLAMA_LOAD_MODE_NONE
    parameters.use_extra_bufts = isRepacked
    parameters.vocab_only = options.isVocabularyOnly
    let meter = WorkMeter(.loading, of: Int(file.size))
    defer { meter.end() }
    parameters.progress_callback_user_data = Unmanaged.passUnretained(meter).toOpaque()
    parameters.progress_callback = { part, meter in
      if let meter {
        Unmanaged<WorkMeter>.fromOpaque(meter).takeUnretainedValue().reach(part: Double(part))
      }
      return true
    }
    let pointer = withExtendedLifetime(meter) { llama_model_load_from_file(file.path, parameters) }
    guard let pointer else {
      throw .refused(path: file.path, fileSize: file.size, log: Runtime.log.lines(after: logged))
    }
    return pointer
  }

  private static func templates(
    of model: OpaquePointer,
    path: String,
    source: String?
  ) throws(LlamaModelError) -> ChatTemplates {
    guard
      source != nil || llama_model_chat_template(model, nil) != nil
        || llama_model_chat_template(model, "tool_use") != nil
    else {
      throw .noChatTemplate(path: path)
    }
    do {
      return try ChatTemplates(model: model, source: source)
    } catch .templateRefused(let reason) {
      throw .templateRefused(path: path, reason: reason)
    } catch {
      throw .templateRefused(path: path, reason: "\(error)")
    }
  }
}
