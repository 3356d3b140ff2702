import CSystemCalls
import Dispatch
import PlatformLibraries
package import Wire

/// How the workers of a roster are confined.
package struct SandboxPolicy: Sendable {
  /// The confinement of templates, which keep access to all that any of their forks may reach.
  ///
  /// Its scratch folder holds the workers' own folders, and nothing else.
  package var templates: Confinement
  /// How much each worker may leave in its scratch folder.
  package var limit: FolderQuota
  /// How much the workers of an agent may leave in its folder of prefixes.
  package var prefixLimit: FolderQuota

  package init(
    templates: Confinement,
    limit: FolderQuota = FolderQuota(),
    prefixLimit: FolderQuota = .prefixes
  ) {
    self.templates = templates
    self.limit = limit
    self.prefixLimit = prefixLimit
  }

  /// What this kernel lacks to enforce the confinement, in words; empty when it lacks nothing.
  package var holes: [String] {
    holes(landlock: csystem_landlock_version(), filtersCalls: csystem_can_filter_calls() != 0)
  }

  func holes(landlock version: Int32, filtersCalls: Bool) -> [String] {
    var holes: [String] = []
    if version == 0 {
      holes.append("no Landlock, so agents can access all files of their user")
    } else {
      holes += templates.holes(landlock: version)
    }
    if !filtersCalls {
      holes.append("no seccomp, so agents can access the network and other processes")
    }
    return holes
  }

  /// Returns how a worker is confined, and creates its scratch folder.
  ///
  /// - Returns: `nil` for the program's template: it runs only the program, reads no file, and each
  ///   of its forks confines itself first.
  /// - Throws: Also when the worker's name would lead out of the folders of workers.
  func confinement(for configuration: WorkerConfiguration) throws(LaunchError) -> Confinement? {
    guard configuration.role == .worker || configuration.model != nil else { return nil }
    try checkPlaces(of: configuration)
    var confinement = templates
    if let own = configuration.confinement {
      (confinement.permissions, confinement.places) = (own.permissions, own.places)
    }
    if let scratch = confinement.scratch { try Self.make(scratch) }
    guard configuration.role == .worker else { return confinement }
    confinement.plugins = nil
    confinement.snapshots = nil
    confinement.scratch = folder(of: configuration.run)
    if configuration.confinement == nil { confinement.permissions = [] }
    if let scratch = confinement.scratch { try Self.make(scratch) }
    return confinement
  }

  private func checkPlaces(of configuration: WorkerConfiguration) throws(LaunchError) {
    guard SafeName.isSafe(configuration.run.description) else {
      throw .unsafeName(configuration.run.description)
    }
    guard let parent = templates.snapshots, let own = configuration.snapshots,
      !SafeName.isSafe(own, below: parent)
    else { return }
    throw .unsafeName(own)
  }

  /// Returns whether a fork of a template could reach what the worker may: what a template gives
  /// up, or what did not exist when it was confined, is lost to its forks too.
  func allowsFork(of configuration: WorkerConfiguration) -> Bool {
    configuration.confinement?.permissions.allSatisfy(templates.permissions.contains) ?? true
  }

  /// Removes a worker's scratch folder in the background.
  func removeScratch(of run: RunID) {
    guard let folder = folder(of: run) else { return }
    Self.removal.async { csystem_remove(folder) }
  }

  /// Waits for the pending removals, but not for a disk that is slow: what is left is removed by
  /// the next coordinator.
  ///
  /// - Returns: Whether all were made.
  @discardableResult
  static func finishRemovals(within timeout: Duration = .seconds(1)) async -> Bool {
    let done = Latch()
    removal.async { done.open() }
    return await done.wait(timeout)
  }

  func folder(of run: RunID) -> String? { templates.scratch.map { "\($0)/\(run)" } }

  private static func make(_ folder: String) throws(LaunchError) {
    guard mkdir(folder, 0o700) != 0, errno != EEXIST else { return }
    throw .system(call: "making \(folder)", code: errno)
  }

  /// An agent may have written a lot; its removal must not delay a launch.
  private static let removal = DispatchQueue(label: "scratch")
}

/// How much a worker may leave in a folder.
package struct FolderQuota: Sendable, Equatable {
  /// Twice what well-behaved workers keep of prefixes, of which they remove the oldest.
  package static let prefixes = Self(bytes: 1 << 30, files: 4096)

  package var bytes: Int
  /// The number of files, folders and anything else with a name.
  package var files: Int

  package init(bytes: Int = 4 << 30, files: Int = 65_536) {
    self.bytes = bytes
    self.files = files
  }
}
