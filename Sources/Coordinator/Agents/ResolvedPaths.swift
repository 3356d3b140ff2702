import Foundation
import Supervision
import Synchronization
import Transcripts
import Wire

/// The paths of permissions with their links resolved, each once.
///
/// An agent that may write where a part of a path lies could later put a link there, by which
/// another agent's permission would lead elsewhere. Workers open resolved paths without following
/// links, so a link that appears later leads nowhere.
final class ResolvedPaths: Sendable {
  private let known = Mutex<[String: String]>([:])

  /// Returns the resolved paths of a confinement, without those that have no links.
  func places(for confinement: Confinement) -> [String: String] {
    var places: [String: String] = [:]
    for path in confinement.readablePaths + confinement.writablePaths {
      let place = place(of: path)
      if place != path { places[path] = place }
    }
    return places
  }

  private func place(of path: String) -> String {
    if let place = known.withLock({ $0[path] }) { return place }
    // Outside the lock, because a file server may take its time.
    let found = Self.resolved(path)
    return known.withLock { known in
      let place = known[path] ?? found
      known[path] = place
      return place
    }
  }

  /// Resolves the longest part of a path that exists.
  private static func resolved(_ path: String) -> String {
    var (existing, rest) = (path, [String]())
    while existing.count > 1 {
      if let real = realpath(existing, nil) {
        defer { free(real) }
        return ([String(cString: real)] + rest).joined(separator: "/").replacing("//", with: "/")
      }
      rest.insert((existing as NSString).lastPathComponent, at: 0)
      existing = (existing as NSString).deletingLastPathComponent
    }
    return path
  }
}

extension CoordinatorSettings {
  /// Returns a confinement with resolved paths.
  ///
  /// Not where the launcher shows workers other files, at the paths themselves.
  func resolved(_ confinement: Confinement) -> Confinement {
    guard launcher.traits.contains(.sharesFiles) else { return confinement }
    var resolved = confinement
    resolved.places = paths.places(for: confinement)
    return resolved
  }

  /// Resolves the paths of permissions now, before any agent can put a link in the place of one.
  func resolve(_ permissions: [Permission]) {
    guard sandbox != .off else { return }
    _ = resolved(Confinement(permissions: permissions))
  }
}
