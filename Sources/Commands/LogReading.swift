import Foundation

/// A log that is read from its beginning to its end, and on as it grows.
///
/// When it is full it is put aside under another name and begun anew. The file that is open stays open
/// meanwhile, so that the last words written to it are read before the first of the next.
struct LogReading {
  private let path: String
  private var older: FileHandle?
  private var current: FileHandle?

  init(path: String) {
    self.path = path
    current = FileHandle(forReadingAtPath: path)
    // The older half of a long log stands beside it; or this one does, if it was put aside just now.
    older = FileHandle(forReadingAtPath: path + ".1")
    if let current, older.map(FileIdentity.init) == FileIdentity(current) { older = nil }
  }

  /// What has been written and was not read yet.
  mutating func next() -> Data {
    var text = Self.rest(of: older)
    older = nil
    text += Self.rest(of: current)
    guard let newest = FileHandle(forReadingAtPath: path) else { return text }
    guard let known = current else {
      current = newest
      return text + Self.rest(of: newest)
    }
    guard FileIdentity(newest) != FileIdentity(known) else { return text }
    // Something may have been written to it since it was read; from now on nothing is.
    text += Self.rest(of: known)
    current = newest
    return text + Self.rest(of: newest)
  }

  private static func rest(of file: FileHandle?) -> Data {
    (try? file?.readToEnd()) ?? Data()
  }
}

/// Which file is open, whatever it is called.
private struct FileIdentity: Equatable {
  private let device: dev_t
  private let number: ino_t

  init(_ file: FileHandle) {
    var facts = stat()
    fstat(file.fileDescriptor, &facts)
    (device, number) = (facts.st_dev, facts.st_ino)
  }
}
