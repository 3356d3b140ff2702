import Foundation

/// The GGUF file that agents run on where they name no other.
enum ModelFile {
  /// The file that is named by an option, by the environment, or ships.
  static func path(
    named name: String?,
    _ environment: [String: String]
  ) throws(CommandError) -> String {
    // Empty is as good as unset, as for all variables.
    let variable = environment["ORCHESTRATOR_MODEL"].flatMap { $0.isEmpty ? nil : $0 }
    if let named = name ?? variable {
      let path = URL(filePath: named).path
      guard FileManager.default.fileExists(atPath: path) else { throw .missingModel(path) }
      return path
    }
    let candidates = Executable.shippedModels
    guard let found = candidates.first(where: FileManager.default.fileExists(atPath:)) else {
      throw .noModel(searched: candidates)
    }
    return found
  }

  /// The projector that is named by an option; without one, workers look beside the model.
  static func projector(named name: String?) throws(CommandError) -> String? {
    guard let name else { return nil }
    let path = URL(filePath: name).path
    guard FileManager.default.fileExists(atPath: path) else { throw .missingProjector(path) }
    return path
  }
}
