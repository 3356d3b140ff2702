import Llama

/// What this program is made of, for those who compare it with another.
package enum WorkerBuild {
  /// The llama.cpp in it, and the processor features that it uses.
  package static var libllama: String { LlamaLibrary.description }
}
