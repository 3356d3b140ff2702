import Libllama

/// The llama.cpp in this executable, or the system's.
package enum LlamaLibrary {
  /// Of what computes, where that is the system's; a build of our own is named by the executable's,
  /// since a patch or other options change nothing here.
  static var version: String {
    String(cString: ggml_version()) + " " + String(cString: ggml_commit())
  }

  /// The features of the processor that it was compiled for, in its own words.
  package static var description: String {
    Runtime.started
    return String(cString: llama_print_system_info()).split(separator: " | ").joined(
      separator: " | "
    )
  }
}
