import Foundation

/// Reads a log from the beginning and follows it as it grows.
///
/// A full log is renamed and started anew. The open file stays open meanwhile, so that its last
/// words are read before the first of the new one.
struct LogReading {
  private let path: String
  private var older: FileHandle?
  private var current: FileHandle?
  /// The first bytes of a character whose last ones are not there yet.
  private var begun = Data()

  init(path: String) {
    self.path = path
    current = FileHandle(forReadingAtPath: path)
    // The older half of a long log lies beside it, unless this one was renamed just now.
    older = FileHandle(forReadingAtPath: path + ".1")
    if let current, older.map(FileIdentity.init) == FileIdentity(current) { older = nil }
  }

  /// Returns what has been written since the last read.
  ///
  /// A character that is only begun comes whole with the next read.
  /// - Parameter isLast: Whether there is no next read.
  mutating func next(isLast: Bool) -> String {
    let bytes = begun + newBytes()
    begun = isLast ? Data() : Data(bytes.suffix(bytes.begunCount))
    return String(decoding: bytes.dropLast(begun.count), as: UTF8.self)
  }

  private mutating func newBytes() -> Data {
    var text = Self.rest(of: older)
    older = nil
    text += Self.rest(of: current)
    guard let newest = FileHandle(forReadingAtPath: path) else { return text }
    guard let known = current else {
      current = newest
      return text + Self.rest(of: newest)
    }
    guard FileIdentity(newest) != FileIdentity(known) else { return text }
    // It may have been written to since the last read; from now on it is not.
    text += Self.rest(of: known)
    current = newest
    return text + Self.rest(of: newest)
  }

  private static func rest(of file: FileHandle?) -> Data {
    (try? file?.readToEnd()) ?? Data()
  }
}

extension Data {
  /// How many bytes at the end begin a UTF-8 character of which more are to come.
  fileprivate var begunCount: Int {
    let tail = suffix(3)
    guard let first = tail.lastIndex(where: { $0 & 0b1100_0000 != 0b1000_0000 }) else { return 0 }
    let length =
      switch tail[first] {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 1
      }
    let count = tail.distance(from: first, to: tail.endIndex)
    return count < length ? count : 0
  }
}

/// The identity of an open file, whatever its name.
private struct FileIdentity: Equatable {
  private let device: dev_t
  private let number: ino_t

  init(_ file: FileHandle) {
    var facts = stat()
    fstat(file.fileDescriptor, &facts)
    (device, number) = (facts.st_dev, facts.st_ino)
  }
}
