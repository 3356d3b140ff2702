import Foundation
import Transcripts

/// Outputs of tools that are too long for a prompt, in a folder for each session.
package struct OutputStore: Sendable {
  /// About how many bytes a token has: few, as in code and numbers.
  private static let bytesOfToken = 3
  /// The most tokens that an output adds to a prompt.
  private static let maximumTokens = 4000
  private static let age = 30 * 86_400.0

  private let folder: String

  /// - Parameter folder: The folder of all sessions' folders.
  package init(folder: String) { self.folder = folder }

  /// Removes the folders of sessions that have kept nothing for long.
  func prune() {
    let manager = FileManager.default
    for name in (try? manager.contentsOfDirectory(atPath: folder)) ?? [] {
      let path = "\(folder)/\(name)"
      let facts = try? manager.attributesOfItem(atPath: path)
      guard let date = facts?[.modificationDate] as? Date, -date.timeIntervalSinceNow > Self.age
      else { continue }
      try? manager.removeItem(atPath: path)
    }
  }

  /// The bytes of an output that a window has room for.
  static func room(inWindow window: Int?) -> Int {
    let tokens = window.map { min(maximumTokens, max(64, $0 / 4)) } ?? maximumTokens
    return tokens * bytesOfToken
  }

  /// Returns an output as a model reads it: as it is, or its beginning and where the rest is.
  func fitted(_ text: String, of tool: String, session: String, window: Int?) -> String {
    let room = Self.room(inWindow: window)
    guard text.utf8.count > room else { return text }
    guard let name = keep(text, of: tool, session: session) else {
      return Self.part(text, from: 0, room: room).text
        + "\n[The output has \(text.utf8.count) bytes. The rest could not be kept.]"
    }
    return excerpt(text, named: name, from: 0, room: room)
  }

  /// Reads on in an output.
  /// - Returns: `nil` if there is no such output.
  func read(_ name: String, from offset: Int, session: String, window: Int?) -> String? {
    // A model wrote the name, and it is to lead to nothing else.
    guard !name.isEmpty, name.utf8.count <= 100, name.utf8.allSatisfy(\.isNameCharacter),
      let data = FileManager.default.contents(atPath: "\(path(of: session))/\(name)")
    else { return nil }
    let text = String(decoding: data, as: UTF8.self)
    guard offset < text.utf8.count else {
      return "[The output '\(name)' has \(text.utf8.count) bytes, and ends before \(offset).]"
    }
    return excerpt(text, named: name, from: offset, room: Self.room(inWindow: window))
  }

  private func excerpt(_ text: String, named name: String, from offset: Int, room: Int) -> String {
    let (part, start, end) = Self.part(text, from: offset, room: room)
    let size = text.utf8.count
    let rest =
      end < size
      ? " Read on with \(MCPToolDefinition.readOutput.name), output '\(name)' and offset \(end)."
      : " This is its end."
    return part + "\n[These are the bytes \(start) to \(end) of \(size) of the output.\(rest)]"
  }

  /// Returns a part of a text in whole characters.
  private static func part(
    _ text: String,
    from offset: Int,
    room: Int
  ) -> (text: String, start: Int, end: Int) {
    let start = text.scalarIndex(ofByte: offset)
    let end = text.scalarIndex(ofByte: offset + room)
    return (
      String(text.unicodeScalars[start..<end]),
      text.utf8.distance(from: text.startIndex, to: start),
      text.utf8.distance(from: text.startIndex, to: end)
    )
  }

  package func remove(session: String) {
    try? FileManager.default.removeItem(atPath: path(of: session))
  }

  /// Writes an output.
  /// - Returns: Its name.
  private func keep(_ text: String, of tool: String, session: String) -> String? {
    let path = path(of: session)
    let manager = FileManager.default
    try? manager.createDirectory(
      atPath: path,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    for number in 1...10_000 {
      let name = "\(tool)-\(number)"
      guard !manager.fileExists(atPath: "\(path)/\(name)") else { continue }
      let isKept = manager.createFile(
        atPath: "\(path)/\(name)",
        contents: Data(text.utf8),
        attributes: [.posixPermissions: 0o600]
      )
      return isKept ? name : nil
    }
    return nil
  }

  /// The folder of a session, whose name may hold anything.
  private func path(of session: String) -> String {
    let plain = session.utf8.prefix(40).map { $0.isNameCharacter ? $0 : UInt8(ascii: "_") }
    let hash = String(session.utf8.fnv1a, radix: 16)
    return "\(folder)/\(String(decoding: plain, as: UTF8.self))-\(hash)"
  }
}
