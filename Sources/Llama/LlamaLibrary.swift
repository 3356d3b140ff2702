import Libllama

/// The llama.cpp in this executable.
package enum LlamaLibrary {
  /// The features of the processor that it was compiled for, in its own words.
  package static var description: String {
    Runtime.started
    return String(cString: llama_print_system_info())
  }
}
