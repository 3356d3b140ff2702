import Foundation
import Supervision
import Synchronization
import Transcripts
import Wire

/// Where the paths that a person has allowed lead to.
///
/// Each is followed once. An agent that may write where a part of it lies could later put a link
/// there, by which another agent's permission would lead elsewhere.
final class GrantedPlaces: Sendable {
  /// As many links as the kernel follows in one path.
  private static let mostLinks = 40

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

  /// Follows all links of a path, also those to what does not exist yet, such as a disk that is
  /// mounted later; whatever does not exist stays as it is.
  private static func followed(_ path: String) -> String {
    var place: [Substring] = []
    var rest = Array(path.split(separator: "/").reversed())
    var links = 0
    while let name = rest.popLast() {
      switch name {
      case ".": continue
      // No link is left in what is before it.
      case "..": _ = place.popLast()
      default:
        place.append(name)
        let link = "/" + place.joined(separator: "/")
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link) else {
          continue
        }
        links += 1
        guard links <= mostLinks else { return path }
        if target.hasPrefix("/") { place = [] } else { place.removeLast() }
        rest.append(contentsOf: target.split(separator: "/").reversed())
      }
    }
    return "/" + place.joined(separator: "/")
  }
}

extension CoordinatorSettings {
  /// Returns a confinement whose paths lead where they led to at first.
  ///
  /// Not where the launcher shows workers other files, at the paths themselves.
  func fixed(_ confinement: Confinement) -> Confinement {
    guard launcher.traits.contains(.sharesFiles) else { return confinement }
    var fixed = confinement
    fixed.places = places.places(for: confinement)
    return fixed
  }

  /// Follows the paths of permissions now, before anyone can put a link in the place of one.
  func follow(_ permissions: [Permission]) {
    guard sandbox != .off else { return }
    _ = fixed(Confinement(permissions: permissions))
  }
}
