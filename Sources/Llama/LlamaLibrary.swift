import Libllama

/// The llama.cpp in this executable.
package enum LlamaLibrary {
  /// Of what computes: another one may compute something else from the same tokens.
  static var version: String {
    String(cString: ggml_version()) + " " + String(cString: ggml_commit())
  }

  /// The features of the processor that it was compiled for, in its own words.
  package static var description: String {
    Runtime.started
    return String(cString: llama_print_system_info())
  }
}
