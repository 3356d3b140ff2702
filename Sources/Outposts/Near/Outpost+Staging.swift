import Supervision
import Wire

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Outpost {
  /// Sends what a worker needs and is not there, and returns the order to launch it.
  func order(
    _ configuration: WorkerConfiguration,
    _ link: OutpostLink
  ) async throws -> LaunchOrder {
    var order = LaunchOrder(configuration: configuration)
    if let path = configuration.plugin {
      order.plugin = try await stage(path, as: .plugin, link)
      order.configuration.plugin = path.lastPathComponent
    }
    if let path = configuration.model {
      let place = host.place(ofModel: path)
      order.modelBytes = FileSize.of(path)
      order.configuration.model = place
      // Several parts of one model go by the path map alone.
      if host.copiesModels == true, place == path, ModelParts.of(path).count == 1 {
        order.configuration.model = try await stage(path, as: .model, link)
      }
      order.configuration.projector = configuration.projector.map(host.place(ofModel:))
    }
    // One folder for each agent, which is its last component here.
    order.configuration.snapshots = configuration.snapshots.map {
      $0.lastPathComponent
    }
    order.configuration.confinement?.places = nil
    return order
  }

  /// Sends a file that is not there, once for all that wait for it.
  ///
  /// - Returns: Its hash.
  private func stage(
    _ path: String,
    as kind: StagedFile.Kind,
    _ link: OutpostLink
  ) async throws -> String {
    let hash: String
    do {
      hash = try await hashes.hash(of: path)
    } catch {
      throw OutpostError.notStaged(host: host.name, path: path, problem: "\(error)")
    }
    let file = StagedFile(hash: hash, bytes: FileSize.of(path) ?? 0, kind: kind)
    let key = "\(link.epoch)-\(hash)"
    // Unstructured, so that a launch that is given up stops no other's file.
    let task = staging[key] ?? Task { try await link.stage(path, file) }
    staging[key] = task
    do {
      try await task.value
    } catch {
      staging[key] = nil
      throw error
    }
    return hash
  }
}

extension String {
  fileprivate var lastPathComponent: String { split(separator: "/").last.map(String.init) ?? self }
}
