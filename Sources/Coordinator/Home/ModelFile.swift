import Foundation

/// The GGUF file for agents that name no other.
package enum ModelFile {
  /// Returns the file given by an option or the environment, or else the one that ships.
  package static func path(
    named name: String?,
    _ environment: [String: String]
  ) throws(CoordinatorError) -> String {
    // As for all variables, empty counts as unset.
    let variable = environment["ORCHESTRATOR_MODEL"].flatMap { $0.isEmpty ? nil : $0 }
    if let named = name ?? variable {
      let path = URL(filePath: named).path
      guard FileManager.default.fileExists(atPath: path) else { throw .missingModel(path) }
      if let flaw = flaw(of: path) { throw .badModel(path, flaw) }
      return path
    }
    let candidates = Executable.shippedModels
    guard let found = candidates.first(where: FileManager.default.fileExists(atPath:)) else {
      throw .noModel(searched: candidates)
    }
    return found
  }

  /// Returns the projector given by an option; without one, workers look beside the model.
  package static func projector(named name: String?) throws(CoordinatorError) -> String? {
    guard let name else { return nil }
    let path = URL(filePath: name).path
    guard FileManager.default.fileExists(atPath: path) else { throw .missingProjector(path) }
    if let flaw = flaw(of: path) { throw .badProjector(path, flaw) }
    return path
  }

  /// Returns an obvious reason why no worker could load a file; others show up when it is loaded.
  private static func flaw(of path: String) -> String? {
    do throws(FileAccessError) {
      let descriptor = try FileContent.opened(path)
      defer { close(descriptor) }
      var beginning = [UInt8](repeating: 0, count: 4)
      let count = pread(descriptor, &beginning, beginning.count, 0)
      guard count >= 0 else { throw FileAccessError(code: errno) }
      guard count > 0 else { return "it is empty" }
      return beginning.elementsEqual("GGUF".utf8) ? nil : "it is not a GGUF file"
    } catch {
      return "\(error)"
    }
  }
}
