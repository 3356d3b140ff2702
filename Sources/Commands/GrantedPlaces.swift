import Foundation
import Synchronization
import Wire

/// Where the paths that a person has allowed lead to.
///
/// Each is followed once. An agent that may write where a part of it lies could later put a link
/// there, by which another agent's permission would lead elsewhere.
final class GrantedPlaces: Sendable {
  private let known = Mutex<[String: String]>([:])

  /// Returns where the paths of a confinement led to at first, for those that led elsewhere.
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
    // Not while the lock is held, because a file server may take its time.
    let found = Self.followed(path)
    return known.withLock { known in
      let place = known[path] ?? found
      known[path] = place
      return place
    }
  }

  /// Follows all links of a path; whatever does not exist of it stays as it is.
  private static func followed(_ path: String) -> String {
    let url = URL(filePath: path)
    if access(path, F_OK) == 0 { return url.resolvingSymlinksInPath().path }
    let folder = url.deletingLastPathComponent().path
    guard folder != path else { return path }
    let parent = followed(folder)
    return (parent == "/" ? "" : parent) + "/" + url.lastPathComponent
  }
}

extension CoordinatorSettings {
  /// Returns a confinement whose paths lead where they led to at first.
  ///
  /// Not behind bubblewrap, which follows them when it starts a worker: the worker finds what they
  /// led to at the paths themselves.
  func fixed(_ confinement: Confinement) -> Confinement {
    guard bubblewrap == nil else { return confinement }
    var fixed = confinement
    fixed.places = places.places(for: confinement)
    return fixed
  }
}
