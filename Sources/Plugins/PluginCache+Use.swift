import Foundation
import PlatformLibraries

extension PluginCache {
  /// The seconds after which a use is noted again.
  private static let noteSeconds = 86_400.0
  /// The age, in seconds, since the last use, after which a file counts as unused.
  static let unusedSeconds = 14 * 86_400.0
  /// The age, in seconds, of an abandoned draft; no compilation takes this long.
  static let draftSeconds = 3600.0

  /// Notes that plugins are in use, by the time of the files with their inputs: that of a library
  /// belongs to its stamp.
  func noteUse(of libraries: [String]) {
    for library in libraries {
      let file = String(library.dropLast(".so".count)) + ".inputs"
      guard let age = Self.age(of: file), age > Self.noteSeconds else { continue }
      try? FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: file)
    }
  }

  /// Removes plugins that are not the last one of any source, and failures, when they have not been
  /// used for long, and what killed processes left behind while they compiled.
  ///
  /// Other coordinators may share the cache, with other sources and workers of another build; all
  /// that is known of them here is what they have used.
  func removeUnused() {
    var builds: [String: [String]] = [:]
    var lasts: Set<String> = []
    var knowsLasts = true
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      let file = "\(folder)/\(name)"
      let parts = name.split(separator: ".")
      guard parts.count == 2 else {
        let isDraft = name.contains(".so.")
        if isDraft, let age = Self.age(of: file), age > Self.draftSeconds { unlink(file) }
        continue
      }
      switch parts[1] {
      case "so", "inputs", "json", "failure": builds[String(parts[0]), default: []].append(file)
      case "last":
        let base = try? String(contentsOfFile: file, encoding: .utf8)
        if let base { lasts.insert(base) } else { knowsLasts = false }
      default: break
      }
    }
    // Without knowing what is to be kept, none of it is removed.
    guard knowsLasts else { return }
    for (base, files) in builds where !lasts.contains(base) {
      let ages = files.compactMap(Self.age(of:))
      guard let youngest = ages.min(), youngest > Self.unusedSeconds else { continue }
      // The inputs before the library, which is no plugin without them.
      for file in files.sorted() { unlink(file) }
    }
  }

  /// Returns the seconds since a file was written; `nil` when there is none.
  private static func age(of file: String) -> Double? {
    var facts = stat()
    guard lstat(file, &facts) == 0 else { return nil }
    return Date().timeIntervalSince1970 - Double(facts.modification.tv_sec)
  }
}
