import Foundation

/// This program's own file.
enum Executable {
  /// Its real path: what belongs to it lies beside it, also when it was called through a link.
  static let path: String = {
    #if os(Linux)
      let own = "/proc/self/exe"
    #else
      let own = Bundle.main.executablePath ?? CommandLine.arguments[0]
    #endif
    return URL(filePath: own).resolvingSymlinksInPath().path
  }()

  private static var folder: String { (path as NSString).deletingLastPathComponent }

  /// Where an installed program has what ships with it.
  private static var share: String {
    URL(filePath: "\(folder)/../../share/orchestrator").standardizedFileURL.path
  }

  /// Where the model that ships may lie: beside an installed program, or in the checkout that it was
  /// built in.
  static var shippedModels: [String] {
    var candidates = ["\(share)/models/pocket.gguf"]
    var folder = Self.folder
    while folder.count > 1 {
      candidates.append("\(folder)/deploy/models/pocket.gguf")
      folder = (folder as NSString).deletingLastPathComponent
    }
    return candidates
  }

  /// Where the agents that ship lie, beside an installed program.
  static var shippedAgents: String { "\(share)/Agents" }
}
