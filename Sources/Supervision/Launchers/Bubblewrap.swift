import CSystemCalls
import PlatformLibraries
package import Wire

/// A launcher that runs each worker in its own namespaces, with no other processes, no network and
/// only the files it needs.
///
/// It complements the restrictions that a worker puts on itself and still holds where those have a
/// hole: a worker cannot even see what it may not open. A process forked from a template would live
/// in its template's namespaces and would not be a child of the coordinator, so every worker is
/// started from scratch. bwrap follows links when it starts a worker, which finds what they led to
/// at the paths themselves.
package struct Bubblewrap: Launcher, Equatable {
  /// The offset that bwrap adds to a signal number when a signal ended the worker.
  private static let codeOfSignals: Int32 = 128

  package let name = "bubblewrap"
  package let traits: LauncherTraits = [.sharesMachine, .killsGroup]
  package let program: String

  /// Looks for bwrap in the folders of a search path.
  ///
  /// - Returns: `nil` when none of the folders has it.
  package init?(in path: String) {
    guard let program = findProgram("bwrap", in: path) else { return nil }
    self.program = program
  }

  package func wrap(_ launch: Launch, for configuration: WorkerConfiguration) -> Launch {
    var wrapped = launch
    wrapped.executable = program
    let sharesNetwork = configuration.confinement?.allowsNetwork ?? false
    wrapped.arguments =
      Self.isolation(sharesNetwork: sharesNetwork) + Self.system
      + files(of: launch.executable, configuration) + ["--chdir", "/", "--"]
      + [launch.executable] + launch.arguments
    return wrapped
  }

  package func interpret(_ event: ChildEvent) -> ChildEvent {
    guard case .exited(.code(let code)) = event, code > Self.codeOfSignals else { return event }
    return .exited(.signal(code - Self.codeOfSignals))
  }

  /// Maps the user to another one without any superuser rights, ties every process to this one and
  /// detaches the terminal.
  package static func isolation(sharesNetwork: Bool) -> [String] {
    [
      "--unshare-all", "--unshare-user", "--uid", "1000", "--gid", "1000", "--cap-drop", "ALL",
      "--new-session", "--die-with-parent",
    ] + (sharesNetwork ? ["--share-net"] : [])
  }

  // MARK: Files

  private enum Access: String {
    case reading = "--ro-bind-try"
    case writing = "--bind-try"
  }

  private struct File {
    let access: Access
    let path: String

    var arguments: [String] { [access.rawValue, path, path] }
  }

  private static let views = ["--proc", "/proc", "--dev", "/dev"]

  /// What every program needs: libraries, harmless devices and a view of its own processes.
  package static let system: [String] = {
    var arguments = ["--ro-bind", "/usr", "/usr"]
    for folder in ["/lib", "/lib32", "/lib64", "/bin"] {
      // Most systems keep their libraries in one folder and link to it from the others.
      if let link = try? FileManager.default.destinationOfSymbolicLink(atPath: folder) {
        arguments += ["--symlink", link, folder]
      } else {
        arguments += [Access.reading.rawValue, folder, folder]
      }
    }
    for path in ["/etc/ld.so.cache", "/etc/localtime", "/sys/devices/system/cpu"] {
      arguments += [Access.reading.rawValue, path, path]
    }
    return arguments + views + ["--tmpfs", "/tmp"]
  }()

  /// Returns the arguments for everything beyond that.
  ///
  /// bwrap mounts in the order of its arguments, and a mount hides what was mounted at or below its
  /// path. So what a person has allowed comes first: a folder around the worker's own files neither
  /// hides them nor lets the worker change what it may only read.
  private func files(of executable: String, _ configuration: WorkerConfiguration) -> [String] {
    let allowed = Self.allowed(configuration.confinement)
    // The whole file system includes the processes of the host, and devices that cannot be opened.
    let views = allowed.contains { $0.path == "/" } ? Self.views : []
    let own = own(executable, configuration)
    return allowed.flatMap(\.arguments) + views + own.flatMap(\.arguments)
  }

  private static func allowed(_ confinement: Confinement?) -> [File] {
    guard let confinement else { return [] }
    let network = confinement.allowsNetwork ? Confinement.networkFiles : []
    return (network + confinement.readablePaths).map { File(access: .reading, path: $0) }
      + confinement.writablePaths.map { File(access: .writing, path: $0) }
  }

  private func own(_ executable: String, _ configuration: WorkerConfiguration) -> [File] {
    var files = [executable, Self.runtime, configuration.plugin, configuration.projector]
      .compactMap(\.self)
      .map { File(access: .reading, path: $0) }
    if let model = configuration.model {
      let parts = ModelParts.of(model) + ProjectorFiles.beside(model)
      files += parts.map { File(access: .reading, path: $0) }
    }
    if let snapshots = configuration.snapshots {
      // A missing folder cannot be bound, and the first writer would have created it.
      mkdir(snapshots, 0o700)
      files.append(File(access: .writing, path: snapshots))
    }
    if let scratch = configuration.confinement?.scratch {
      files.append(File(access: .writing, path: scratch))
    }
    return files
  }

  /// The folder from which this process, and thus every worker, loads Swift's own libraries.
  private static let runtime: String? = {
    var buffer = [CChar](repeating: 0, count: 4096)
    let length = csystem_library_folder("libswiftCore.so", &buffer, buffer.count)
    guard length > 0 else { return nil }
    return String(decoding: buffer[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }()
}
