/// Checks names from outside before they become part of a path.
package enum SafeName {
  /// What a file system allows, minus what is appended.
  private static let maximumBytes = 200

  /// Returns whether a name leads to something directly inside the folder it is appended to.
  package static func isSafe(_ name: some StringProtocol) -> Bool {
    let bytes = name.utf8
    return !bytes.isEmpty && bytes.count <= maximumBytes && bytes.first != UInt8(ascii: ".")
      && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }
  }

  /// Returns whether a path leads to something directly inside a folder.
  static func isSafe(_ path: String, below folder: String) -> Bool {
    // Bytes rather than characters, as the kernel compares them.
    let start = Array("\(folder)/".utf8)
    guard path.utf8.starts(with: start) else { return false }
    return isSafe(String(decoding: path.utf8.dropFirst(start.count), as: UTF8.self))
  }
}
