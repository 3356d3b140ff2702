import CSystem
import Foundation
import Wire

/// The launcher that gives a worker a system of its own, in which there is nothing else: no other
/// process, no network, and of the files those that it needs.
///
/// It comes before what a worker takes away from itself, and holds where that has a hole: what a
/// worker may not open, it does not even see. A process that is forked from a template is in its
/// template's system, and no child of the coordinator; so every worker is started from nothing here.
package struct Bubblewrap: Sendable, Equatable {
  /// How it says that a signal has ended the worker.
  private static let codeOfSignals: Int32 = 128

  package let program: String

  /// Looks for it in the folders of a search path; `nil` when it is in none.
  package init?(in path: String) {
    let programs = path.split(separator: ":").map { "\($0)/bwrap" }
    guard let program = programs.first(where: { access($0, X_OK) == 0 }) else { return nil }
    self.program = program
  }

  /// Puts a worker's program behind it.
  /// - Parameter hello: What the worker will be told to be, with all that it may reach.
  func wrap(_ launch: Launch, for hello: Hello) -> Launch {
    var wrapped = launch
    wrapped.executable = program
    let sharesNetwork = hello.confinement?.allowsNetwork ?? false
    wrapped.arguments =
      Self.isolation(sharesNetwork: sharesNetwork) + Self.system
      + files(of: launch.executable, hello).flatMap(\.arguments) + ["--chdir", "/", "--"]
      + [launch.executable] + launch.arguments
    return wrapped
  }

  /// What a child's event means that came through it.
  func translate(_ event: ChildEvent) -> ChildEvent {
    guard case .exited(.code(let code)) = event, code > Self.codeOfSignals else { return event }
    return .exited(.signal(code - Self.codeOfSignals))
  }

  /// The user is another one inside, without any of the superuser's rights; nothing outlives this
  /// process, and no terminal is reached.
  static func isolation(sharesNetwork: Bool) -> [String] {
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

  /// What every program needs: libraries, devices that are nobody's, and a view of itself.
  private static let system: [String] = {
    var arguments = ["--ro-bind", "/usr", "/usr"]
    for folder in ["/lib", "/lib32", "/lib64", "/bin"] {
      // Most systems have their libraries in one place, and links in the others.
      if let link = try? FileManager.default.destinationOfSymbolicLink(atPath: folder) {
        arguments += ["--symlink", link, folder]
      } else {
        arguments += [Access.reading.rawValue, folder, folder]
      }
    }
    for path in ["/etc/ld.so.cache", "/etc/localtime", "/sys/devices/system/cpu"] {
      arguments += [Access.reading.rawValue, path, path]
    }
    return arguments + ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
  }()

  private func files(of executable: String, _ hello: Hello) -> [File] {
    var files = [executable, Self.runtime, hello.plugin, hello.projector].compactMap(\.self)
      .map { File(access: .reading, path: $0) }
    if let model = hello.model {
      let parts = ModelParts.of(model) + Projectors.beside(model)
      files += parts.map { File(access: .reading, path: $0) }
    }
    if hello.confinement?.allowsNetwork == true {
      files += Confinement.networkFiles.map { File(access: .reading, path: $0) }
    }
    if let snapshots = hello.snapshots {
      // What is not there cannot be shown, and is made by who first writes to it.
      mkdir(snapshots, 0o700)
      files.append(File(access: .writing, path: snapshots))
    }
    if let scratch = hello.confinement?.scratch {
      files.append(File(access: .writing, path: scratch))
    }
    files += (hello.confinement?.readablePaths ?? []).map { File(access: .reading, path: $0) }
    files += (hello.confinement?.writablePaths ?? []).map { File(access: .writing, path: $0) }
    return files
  }

  /// The folder from which this process, and so every worker, has Swift's own libraries.
  private static let runtime: String? = {
    var buffer = [CChar](repeating: 0, count: 4096)
    let length = csystem_library_folder("libswiftCore.so", &buffer, buffer.count)
    guard length > 0 else { return nil }
    return String(decoding: buffer[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }()
}

extension Bubblewrap {
  /// Tries it with a program that does nothing; returns what it said when that failed, and `nil` when
  /// it works.
  /// - Parameter patience: How long it may take before it is killed.
  package func problem(within patience: Duration = .seconds(10)) -> String? {
    let process = Process()
    let words = Pipe()
    process.executableURL = URL(filePath: program)
    process.arguments =
      Self.isolation(sharesNetwork: false) + Self.system + ["--", "/usr/bin/true"]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = words
    do {
      try process.run()
    } catch {
      return "\(error)"
    }
    let deadline = ContinuousClock.now + patience
    while process.isRunning, ContinuousClock.now < deadline { usleep(5000) }
    guard !process.isRunning else {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      return "it did not exit within \(patience.components.seconds) s and was killed"
    }
    guard process.terminationStatus != 0 else { return nil }
    let line = Self.available(in: words).split(separator: "\n").last.map(String.init)
    return line ?? "it exited with code \(process.terminationStatus)"
  }

  /// What is in a pipe, without waiting for more: something that was started may hold its other end.
  private static func available(in pipe: Pipe) -> String {
    let descriptor = pipe.fileHandleForReading.fileDescriptor
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    var bytes = [UInt8](repeating: 0, count: 64 * 1024)
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
