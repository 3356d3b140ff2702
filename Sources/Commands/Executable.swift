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

  /// Where the model that ships may lie: beside an installed program, or in the checkout that it was
  /// built in.
  static var shippedModels: [String] {
    var folder = (path as NSString).deletingLastPathComponent
    var candidates = ["\(folder)/../../share/orchestrator/models/pocket.gguf"]
    while folder.count > 1 {
      candidates.append("\(folder)/deploy/models/pocket.gguf")
      folder = (folder as NSString).deletingLastPathComponent
    }
    return candidates.map { URL(filePath: $0).standardizedFileURL.path }
  }
}
