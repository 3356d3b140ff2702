import Foundation

/// The programs under attack: those built with this one, or stand-ins beside a copy of the
/// coordinator.
struct Products: Sendable {
  let folder: String

  static let built = Products(
    folder: URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().path
  )

  var orchestrator: String { folder + "/orchestrator" }
  var worker: String { folder + "/orchestrator-worker" }

  /// The model that ships, as a coordinator of the build finds it.
  static let model: String? = {
    let environment = ProcessInfo.processInfo.environment
    var candidates = [environment["ORCHESTRATOR_MODEL"]].compactMap(\.self)
    var folder = URL(filePath: built.folder)
    while folder.path.count > 1 {
      candidates.append(folder.appending(path: "deploy/models/pocket.gguf").path)
      folder.deleteLastPathComponent()
    }
    return candidates.first(where: FileManager.default.fileExists)
  }()

  private init(folder: String) {
    self.folder = folder
  }

  /// Replaces the worker by a script, beside a copy of the coordinator, which looks for its worker
  /// there.
  ///
  /// - Parameter script: Lines of sh. `$real` is the worker that was built.
  init(in folder: String, worker script: String) throws {
    self.folder = folder
    let (files, built) = (FileManager.default, Self.built.folder)
    if files.fileExists(atPath: folder) { try files.removeItem(atPath: folder) }
    try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
    // Not a symbolic link, whose target a program takes for its own location.
    do {
      try files.linkItem(atPath: built + "/orchestrator", toPath: folder + "/orchestrator")
    } catch {
      try files.copyItem(atPath: built + "/orchestrator", toPath: folder + "/orchestrator")
    }
    for name in ["Modules", "AgentKitMacros-tool"] {
      try files.createSymbolicLink(
        atPath: "\(folder)/\(name)",
        withDestinationPath: "\(built)/\(name)"
      )
    }
    try "#!/bin/sh\nreal='\(built)/orchestrator-worker'\n\(script)\n"
      .write(toFile: worker, atomically: true, encoding: .utf8)
    try files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: worker)
  }
}
