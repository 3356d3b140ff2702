import Coordination
import Coordinator

/// Formats what is told of hosts.
enum HostText {
  static func obstacle(to launch: LaunchStatus) -> String {
    launch.host.map { "waits for \(wait($0))" } ?? launch.wait.map(MemoryText.wait) ?? "waits"
  }

  static func wait(_ wait: HostWait) -> String {
    "\(wait.host) (\(joined(wait.state.rawValue, wait.reason)))"
  }

  static func state(_ host: HostReport) -> String { joined(host.state, host.reason) }

  private static func joined(_ state: String, _ reason: String?) -> String {
    [state, reason].compactMap(\.self).joined(separator: ": ")
  }
}
