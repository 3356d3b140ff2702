package import Outposts

/// The hosts that a coordinator may place workers on.
package struct HostSettings: Sendable, Equatable {
  /// The hosts that the person who started it named.
  package var given: [HostDefinition]
  /// The seconds that a launch may wait for a host that is queued, unless its entry says otherwise.
  package var waitLimit: Double?

  package init(given: [HostDefinition] = [], waitLimit: Double? = nil) {
    (self.given, self.waitLimit) = (given, waitLimit)
  }

  /// Reads `NAME=COMMAND` of each option.
  package init(options: [String], waitLimit: Double?) throws(HostFileError) {
    do throws(HostFault) {
      var hosts: [HostDefinition] = []
      for option in options { hosts.append(try HostReader.host(option: option)) }
      self.init(given: try HostReader.checked(hosts), waitLimit: waitLimit)
    } catch {
      throw HostFileError("--host", error.description)
    }
  }

  /// Adds the hosts of a file; of a name, the given one counts.
  package func hosts(with file: HostFile?) -> [HostDefinition] {
    let own = Set(given.map(\.name))
    let others = file?.hosts.filter { own.isDisjoint(with: [$0.name] + $0.members.map(\.name)) }
    return (given + (others ?? [])).map { host in
      var host = host
      host.limits.wait = host.limits.wait ?? waitLimit
      return host
    }
  }
}

/// The `hosts.json` files that a person has approved: they start programs.
///
/// What was approved is kept as it was rather than as a hash of it, so that a person can compare.
struct HostApprovals: KeptApprovals, Equatable {
  /// The texts of files, by their paths.
  private var files: [String: String] = [:]

  func covers(_ file: HostFile) -> Bool { files[file.path] == file.content }

  mutating func approve(_ file: HostFile) { files[file.path] = file.content }
}
