import Foundation

/// The image projectors that a model might use when none was named.
///
/// The worker that loads the model finds out which of them belongs to it.
enum ProjectorFiles {
  static func beside(_ model: String) -> [String] {
    let folder = (model as NSString).deletingLastPathComponent
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.contains("mmproj") && $0.hasSuffix(".gguf") }.sorted()
      .map { "\(folder)/\($0)" }
  }
}
