import CSystemCalls
import PlatformLibraries

/// The files that every worker needs.
enum SandboxFiles {
  /// Libraries, of which a plugin may load more, and what libc reads.
  static let runtime: [String] =
    [
      "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache",
      "/etc/localtime", "/usr/share/zoneinfo", "/dev/urandom", "/dev/random",
      "/sys/devices/system/cpu",
    ] + [libraryFolder(of: "libswiftCore.so")].compactMap(\.self)

  static let devices = ["/dev/null"]

  /// Where libdispatch checks whether its threads run; it ends the process when it cannot.
  ///
  /// A thread's file appears with the thread, so all of it must be open. Of other processes this
  /// shows what the kernel shows to all users, including command lines; Landlock protects the rest,
  /// and only a namespace hides more.
  static let processes = "/proc"

  /// The loaders that start programs with shared libraries.
  static let loaders = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"]

  /// Returns the folder from which this process loaded a library.
  private static func libraryFolder(of name: String) -> String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let length = csystem_library_folder(name, &buffer, buffer.count)
    guard length > 0 else { return nil }
    return String(decoding: buffer[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
