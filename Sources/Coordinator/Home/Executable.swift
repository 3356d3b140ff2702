import Foundation
import PlatformLibraries

/// The file of this program.
package enum Executable {
  /// Its real path, even when called through a link: companion files lie beside it.
  package static let path = OwnExecutable.path

  private static var folder: String { (path as NSString).deletingLastPathComponent }

  /// The folder of an installed program's data.
  private static var share: String {
    URL(filePath: "\(folder)/../../share/orchestrator").standardizedFileURL.path
  }

  /// The possible places of the model that ships: beside an installed program, or in the checkout.
  package static var shippedModels: [String] {
    var candidates = ["\(share)/models/pocket.gguf"]
    var folder = Self.folder
    while folder.count > 1 {
      candidates.append("\(folder)/deploy/models/pocket.gguf")
      folder = (folder as NSString).deletingLastPathComponent
    }
    return candidates
  }

  /// The agents that ship, beside an installed program.
  package static var shippedAgents: String { "\(share)/Agents" }
}
