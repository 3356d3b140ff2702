import Foundation
import MCP
import PlatformLibraries
import Transcripts
import Wire

/// How the program of a server is started: where it is, what it finds in its environment, and what it
/// may reach.
struct MCPServerLaunch: Equatable {
  /// The variables of our own environment that every server gets.
  private static let inherited = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"]
  /// The folders of the system that hold programs, and what programs read.
  private static let system = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/etc"]

  let program: ServerProgram
  let environment: [String: String]
  let permissions: [Permission]

  /// - Throws: `MCPServerError.unavailable` if there is no such program.
  init(
    _ program: MCPProgram,
    of entry: MCPServerEntry,
    environment own: [String: String]
  ) throws(MCPServerError) {
    environment = own.filter { Self.inherited.contains($0.key) }
      .merging(program.environment) { $1 }
    let command = program.command
    let found =
      command.contains("/")
      ? URL(
        filePath: command,
        relativeTo: URL(filePath: program.folder, directoryHint: .isDirectory)
      )
      .path
      : findProgram(command, in: environment["PATH"] ?? "")
    guard let path = found, access(path, X_OK) == 0 else {
      throw .unavailable(entry.name, "there is no program '\(command)'.")
    }
    self.program = ServerProgram(
      executable: path,
      arguments: program.arguments,
      folder: program.folder,
      confinement: nil,
      keepsHome: program.environment["HOME"] != nil
    )
    let home = own["HOME"] ?? "/"
    func absolute(_ path: String) -> String { path.absolutePath(home: home, in: program.folder) }
    let readable = Self.system + Self.homes(of: path) + [program.folder]
    let options = entry.options
    let paths = readable.map(absolute) + options.read.map(absolute)
    let existing = Set(paths).sorted().filter { access($0, F_OK) == 0 }
    permissions =
      (options.allowsNetwork ? [.network] : [])
      + existing.flatMap { [.running($0), .reading($0)] }
      + options.write.map { .writing(absolute($0)) }
  }

  /// Returns the folders in which a program and what interprets it are installed.
  private static func homes(of path: String) -> [String] {
    var homes: [String] = []
    for program in [path] + [interpreter(of: path)].compactMap(\.self) {
      for place in [program, URL(filePath: program).resolvingSymlinksInPath().path] {
        var folder = URL(filePath: place).deletingLastPathComponent()
        // What a program reads is beside the folder of programs, unless that is all there is.
        if folder.lastPathComponent == "bin", folder.deletingLastPathComponent().path.count > 1 {
          folder = folder.deletingLastPathComponent()
        }
        homes.append(folder.path)
      }
    }
    return homes
  }

  /// Returns the program that a script names in its first line.
  private static func interpreter(of path: String) -> String? {
    guard let file = FileHandle(forReadingAtPath: path),
      let data = try? file.read(upToCount: 256), data.starts(with: Array("#!".utf8))
    else { return nil }
    let line = String(
      decoding: data.dropFirst(2).prefix { $0 != UInt8(ascii: "\n") },
      as: UTF8.self
    )
    return line.split(separator: " ").first.map(String.init)
  }
}
