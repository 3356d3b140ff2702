import Libllama

/// The llama.cpp in this executable, or the system's.
package enum LlamaLibrary {
  /// The version of the system's ggml; a build of our own is identified by the executable's,
  /// because a patch or other options change nothing here.
  static var version: String {
    String(cString: ggml_version()) + " " + String(cString: ggml_commit())
  }

  /// The processor features that it was compiled for, in its own words.
  package static var description: String {
    Runtime.started
    return String(cString: llama_print_system_info()).split(separator: " | ").joined(
      separator: " | "
    )
  }
}
