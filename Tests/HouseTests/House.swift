import Foundation
import TestSupport

/// The files of the repository, located relative to this file.
enum House {
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .standardizedFileURL

  /// A file and its text.
  struct Source: Sendable {
    /// The path from the root, such as `Sources/Wire/Frame.swift`.
    let path: String
    let text: String

    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
    /// The lines without comments and without the content of string literals.
    var code: [Substring] {
      var isInText = false
      return lines.map { line in
        let marks = line.ranges(of: "\"\"\"").count
        defer { if !marks.isMultiple(of: 2) { isInText.toggle() } }
        return isInText ? "" : Self.code(line)
      }
    }

    private static func code(_ line: Substring) -> Substring {
      let trimmed = line.drop { $0 == " " }
      if trimmed.hasPrefix("//") { return "" }
      let pieces = trimmed.split(separator: "\"", omittingEmptySubsequences: false)
      let outside = pieces.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
      let code = outside.joined(separator: " ")
      return code.range(of: " // ").map { Substring(code[..<$0.lowerBound]) } ?? Substring(code)
    }

    /// The first folder below `Sources` or `Tests`.
    var room: String { path.split(separator: "/").dropFirst().first.map(String.init) ?? "" }
  }

  /// The Swift files below the given folders of the root.
  static func swiftFiles(in folders: String...) throws -> [Source] {
    try folders.flatMap { folder in
      let items = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
      return try (items?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".swift") }
        .sorted().map { try source("\(folder)/\($0)") }
    }
  }

  static func source(_ path: String) throws -> Source {
    let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
    return Source(path: path, text: text)
  }

  /// The top-level names: those that git tracks or, without git, all that exist.
  static func topLevel() async throws -> Set<String> {
    let listing = try? await Program.run("git", ["-C", root.path, "ls-files"])
    if let listing, listing.status == 0 {
      return Set(listing.lines.compactMap { $0.split(separator: "/").first.map(String.init) })
    }
    return Set(try FileManager.default.contentsOfDirectory(atPath: root.path))
  }

  /// The folder that this test was built into.
  static var products: URL {
    let arguments = CommandLine.arguments
    let flag = arguments.firstIndex(of: "--test-bundle-path")
    var folder = URL(filePath: flag.map { arguments[$0 + 1] } ?? arguments[0]).standardizedFileURL
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      let worker = folder.appending(path: "orchestrator-worker").path
      if FileManager.default.isExecutableFile(atPath: worker) { break }
    }
    return folder
  }
}
