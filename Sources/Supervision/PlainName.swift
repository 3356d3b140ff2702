/// A name that somebody else chose, where it becomes a part of a path.
enum PlainName {
  /// As many as a file system takes, less what is put behind them.
  private static let maximumBytes = 200

  /// Whether a name leads to what is directly below the folder that it is put behind.
  static func isPlain(_ name: some StringProtocol) -> Bool {
    let bytes = name.utf8
    return !bytes.isEmpty && bytes.count <= maximumBytes && bytes.first != UInt8(ascii: ".")
      && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }
  }

  /// Whether a path leads to what is directly below a folder.
  static func isPlain(_ path: String, below folder: String) -> Bool {
    // Bytes and not characters, as the kernel compares them.
    let start = Array("\(folder)/".utf8)
    guard path.utf8.starts(with: start) else { return false }
    return isPlain(String(decoding: path.utf8.dropFirst(start.count), as: UTF8.self))
  }
}
