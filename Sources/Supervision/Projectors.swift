import Foundation

/// The files by which a model might see, when nobody has named one.
///
/// Which of them is the model's own, the worker finds out that loads it.
enum Projectors {
  static func beside(_ model: String) -> [String] {
    let folder = (model as NSString).deletingLastPathComponent
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.contains("mmproj") && $0.hasSuffix(".gguf") }.sorted()
      .map { "\(folder)/\($0)" }
  }
}
