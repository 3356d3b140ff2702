import PlatformLibraries
import Wire

/// Files without a name that still occupy the disk because processes have them open or mapped.
struct DeletedFiles {
  /// Tells one file from another.
  private struct Identity: Hashable {
    let device: UInt64
    let inode: UInt64
  }

  private struct File {
    /// The former path, as bytes, because a name may hold anything.
    let path: [UInt8]
    /// `nil` where the kernel does not report it.
    let bytes: UInt64?
  }

  /// How many files of unknown size are not counted: well-behaved programs, too, replace files they
  /// have mapped.
  private static let unweighed = 8
  /// What the kernel appends to the path of such a file.
  private static let mark = Array(" (deleted)".utf8)

  private var files: [Identity: File] = [:]

  /// Collects the files that processes hold; a file shared among them counts once.
  init(of pids: [Int32]) {
    for pid in pids { noteOpenFiles(of: pid) }
    // Mapped files come second, because the size of open ones is known.
    for pid in pids { noteMappedFiles(of: pid) }
  }

  /// Returns the bytes occupied by those that were inside a folder.
  func bytes(below folder: String) -> UInt64 {
    let start = Array("\(folder)/".utf8)
    let found = files.values.filter { $0.path.starts(with: start) }
    let unknown = found.count { $0.bytes == nil }
    return found.reduce(0) { $0 + ($1.bytes ?? 0) }
      + UInt64(max(0, unknown - Self.unweighed)) * UInt64(Confinement.largestFile)
  }

  private mutating func noteOpenFiles(of pid: Int32) {
    let descriptors = "/proc/\(pid)/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: descriptors)) ?? []
    for name in names {
      let link = "\(descriptors)/\(name)"
      if let path = Self.target(of: link) { _ = note(link, path) }
    }
  }

  private mutating func noteMappedFiles(of pid: Int32) {
    for line in ProcFile.contents(of: "/proc/\(pid)/maps").split(separator: UInt8(ascii: "\n"))
    where line.suffix(Self.mark.count).elementsEqual(Self.mark) {
      // The fields: addresses, permissions, offset, device, inode and path.
      let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
      guard fields.count == 6, let inode = UInt64(String(decoding: fields[4], as: UTF8.self))
      else { continue }
      let path = Array(fields[5].drop { $0 == UInt8(ascii: " ") })
      let range = String(decoding: fields[0], as: UTF8.self)
      if note("/proc/\(pid)/map_files/\(range)", path) { continue }
      let isKnown = files.contains { $0.key.inode == inode && $0.value.path == path }
      if isKnown { continue }
      // The kernel reports its size only to the superuser.
      files[Identity(device: 0, inode: inode)] = File(path: path, bytes: nil)
    }
  }

  /// Records the target of a kernel link if it no longer has a name.
  ///
  /// - Returns: Whether the target could be examined.
  private mutating func note(_ link: String, _ path: [UInt8]) -> Bool {
    var facts = stat()
    guard stat(link, &facts) == 0 else { return false }
    guard facts.st_nlink == 0 else { return true }
    let identity = Identity(
      device: UInt64(truncatingIfNeeded: facts.st_dev),
      inode: UInt64(facts.st_ino)
    )
    files[identity] = File(path: path, bytes: UInt64(max(0, facts.st_blocks)) * 512)
    return true
  }

  private static func target(of link: String) -> [UInt8]? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink(link, &buffer, buffer.count)
    return count > 0 ? buffer[..<count].map(UInt8.init(bitPattern:)) : nil
  }
}
