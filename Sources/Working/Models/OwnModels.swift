import AgentKit
import PlatformLibraries
import Wire

/// The models that an agent may open itself, among what a person has allowed it to read.
enum OwnModels {
  private static let suffix = ".gguf"
  private static let maximumCount = 2000

  /// Returns the bytes of memory they take: their weights, and as much again for computing with
  /// them.
  ///
  /// All models in a folder count, not just the largest: profiles of one agent may answer on
  /// several models, and an opened one stays open. As a folder may hold far more than is
  /// opened, the result never exceeds the machine's memory.
  ///
  /// - Parameter machine: The bytes of the machine's memory.
  static func memory(_ permissions: [Permission], machine: UInt64) -> UInt64 {
    // A file counts once, even if its folder may be read too.
    Set(permissions.flatMap(files)).reduce(0) { sum, file in
      min(machine, sum + 2 * min(machine, size(of: file)))
    }
  }

  private static func files(_ permission: Permission) -> [String] {
    guard case .reading(let path) = permission else { return [] }
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      return path.hasSuffix(suffix) ? ModelParts.of(path) : []
    }
    let folder = path.hasSuffix("/") ? path : path + "/"
    return names(in: path).filter { $0.hasSuffix(suffix) }.map { folder + $0 }
  }

  /// Returns the names of the first files in a folder: of some thousands few are models, and a fork
  /// must not be delayed by them.
  private static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while names.count < maximumCount, let entry = readdir(directory) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) { pointer in
          String(cString: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self))
        }
      )
    }
    return names
  }

  private static func size(of file: String) -> UInt64 {
    var status = stat()
    return stat(file, &status) == 0 ? UInt64(clamping: status.st_size) : 0
  }
}
