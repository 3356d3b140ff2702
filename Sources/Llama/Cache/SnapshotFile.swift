import PlatformLibraries

/// Why a snapshot could not be written.
struct SnapshotFault: Error {
  let step: String
  let code: Int32

  var reason: String { String(cString: strerror(code)) }
}

/// Files that are read and written as a whole.
enum SnapshotFile {
  struct Listed {
    let path: String
    let size: Int
    /// Seconds since 1970.
    let lastUse: Double
  }

  /// Reads a file that is no larger than a limit.
  ///
  /// The code of an agent may have put anything in its place, so anything but a regular file is
  /// neither waited for nor followed as a link.
  static func load(_ path: String, atMost limit: Int) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size <= limit
    else { return nil }
    let size = Int(status.st_size)
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = 0
      while count < size, let start = buffer.baseAddress {
        let got = read(descriptor, start + count, size - count)
        if got > 0 {
          count += got
        } else if got == 0 || errno != EINTR {
          return
        }
      }
    }
  }

  /// Marks a file as used by rewriting its first byte, because times cannot be set in a sandbox.
  static func touch(_ path: String) {
    let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var first: UInt8 = 0
    guard pread(descriptor, &first, 1, 0) == 1 else { return }
    pwrite(descriptor, &first, 1, 0)
  }

  /// Writes a file next to its destination and moves it there, so that no reader sees half of it.
  ///
  /// - Parameter pieces: Its bytes, one piece after another.
  static func store(_ pieces: [[UInt8]], to path: String) throws(SnapshotFault) {
    let draft = "\(path).\(getpid()).\(UInt32.random(in: .min ... .max))"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SnapshotFault(step: "opening", code: errno) }
    var fault: SnapshotFault?
    for piece in pieces where fault == nil {
      if !writeAll(piece, to: descriptor) { fault = SnapshotFault(step: "writing", code: errno) }
    }
    close(descriptor)
    if fault == nil, rename(draft, path) != 0 {
      fault = SnapshotFault(step: "renaming", code: errno)
    }
    guard let fault else { return }
    unlink(draft)
    throw fault
  }

  static func list(_ folder: String, suffix: String) -> [Listed] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var files: [Listed] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      var status = stat()
      let path = "\(folder)/\(name)"
      guard name.contains(suffix), lstat(path, &status) == 0 else { continue }
      let lastUse = status.modification
      files.append(
        Listed(
          path: path,
          size: Int(status.st_size),
          lastUse: Double(lastUse.tv_sec) + Double(lastUse.tv_nsec) / 1e9
        )
      )
    }
    return files
  }
}
