import PlatformLibraries
import Supervision
import Wire

/// What is being sent to an outpost or has been, in its present life.
struct Staging: Sendable {
  /// By hash.
  var files: [String: Task<Void, any Error>] = [:]
  /// By agent and model.
  var prefixes: [String: Task<StagedName?, Never>] = [:]
}

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
    if let path = configuration.model { try await place(path, in: &order, link) }
    if let folder = configuration.snapshots {
      // One folder for each agent, which is its last component here.
      order.configuration.snapshots = folder.lastPathComponent
      let model = configuration.model.flatMap { basis($0, sentAs: order.modelFiles) }
      if let model { order.prefix = try await prefix(in: folder, of: model, link) }
    }
    order.configuration.confinement?.places = nil
    return order
  }

  // MARK: Models

  /// Has an order name a model as it is there, and sends the model where that is allowed and the host
  /// has no place for it.
  private func place(
    _ model: String,
    in order: inout LaunchOrder,
    _ link: OutpostLink
  ) async throws {
    let projector = order.configuration.projector
    let parts = ModelParts.of(model)
    order.configuration.model = host.place(ofModel: model)
    order.configuration.projector = projector.map(host.place(ofModel:))
    guard host.copiesModels == true, order.configuration.model == model else {
      order.modelBytes = FileStamp.bytes(of: parts)
      return
    }
    let own = projector.flatMap { host.place(ofModel: $0) == $0 ? $0 : nil }
    var files: [StagedName] = []
    for path in parts + [own].compactMap(\.self) {
      let hash = try await stage(path, as: .model, link)
      files.append(StagedName(name: path.lastPathComponent, hash: hash))
    }
    order.modelFiles = files
    order.configuration.model = model.lastPathComponent
    if let own { order.configuration.projector = own.lastPathComponent }
  }

  /// Returns the files of a model: where they are there, and as they are here.
  private func basis(_ model: String, sentAs files: [StagedName]?) -> [StagedFile.Basis]? {
    var basis: [StagedFile.Basis] = []
    for (index, path) in ModelParts.of(model).enumerated() {
      guard let stamp = FileStamp(path) else { return nil }
      let place = files?[index].hash ?? host.place(ofModel: path)
      basis.append(StagedFile.Basis(place: place, stamp: stamp))
    }
    return basis
  }

  // MARK: Prefixes

  /// Sends the prefix of an agent that was last used here, once in a life of the outpost, which
  /// decides whether it is of use there.
  ///
  /// - Returns: `nil` where there is none, or it could not be sent, or not soon: it only saves time.
  /// - Throws: `CancellationError`.
  private func prefix(
    in folder: String,
    of model: [StagedFile.Basis],
    _ link: OutpostLink
  ) async throws -> StagedName? {
    let key = "\(link.epoch) \(model.first?.place ?? "") \(folder)"
    // Unstructured, so that a launch that is given up does not stop it for others.
    let task =
      staging.prefixes[key]
      ?? Task {
        guard let path = PrefixFiles.lastUsed(in: folder),
          let hash = try? await stage(path, as: .prefix, link, basis: model)
        else { return nil }
        return StagedName(name: path.lastPathComponent, hash: hash)
      }
    staging.prefixes[key] = task
    return try await task.value(within: timeouts.prefix)
  }

  // MARK: Files

  /// Sends a file that is not there, once for all that wait for it.
  ///
  /// - Parameter basis: What the file is of use with.
  /// - Returns: Its hash.
  private func stage(
    _ path: String,
    as kind: StagedFile.Kind,
    _ link: OutpostLink,
    basis: [StagedFile.Basis]? = nil
  ) async throws -> String {
    let file: StagedFile
    do {
      file = try await parts.hashes.file(path, as: kind, basis: basis)
    } catch let error as CancellationError {
      throw error
    } catch {
      throw OutpostError.notStaged(host: host.name, path: path, problem: "\(error)")
    }
    let key = "\(link.epoch)-\(file.hash)"
    // Unstructured, so that a launch that is given up stops no other's file.
    let task = staging.files[key] ?? Task { try await link.stage(path, file) }
    staging.files[key] = task
    do {
      try await task.valueUnlessCancelled()
    } catch let error as CancellationError {
      throw error
    } catch {
      if staging.files[key] == task { staging.files[key] = nil }
      throw error
    }
    return file.hash
  }
}

/// The computed prefixes of an agent here.
private enum PrefixFiles {
  private static let suffix = ".prefix"
  /// Larger ones are not sent: they bring no more than their computation costs.
  private static let maximumBytes = 256 << 20

  /// Returns the prefix that was used last; a worker notes a use by writing to the file.
  static func lastUsed(in folder: String) -> String? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let files = names.filter { $0.hasSuffix(suffix) }.compactMap { name in
      FileStamp("\(folder)/\(name)").map { (path: "\(folder)/\(name)", stamp: $0) }
    }
    return files.filter { (1...maximumBytes).contains($0.stamp.bytes) }
      .max { ($0.stamp.seconds, $0.stamp.nanoseconds) < ($1.stamp.seconds, $1.stamp.nanoseconds) }?
      .path
  }
}

extension String {
  fileprivate var lastPathComponent: String { split(separator: "/").last.map(String.init) ?? self }
}
