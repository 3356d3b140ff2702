import Foundation
import TestSupport

/// Two machines that ssh reaches, as namespaces of this one, and the group of hosts that they are.
struct HostRack: Sendable {
  static let group = "pool"
  static let names = ["pool-1", "pool-2"]
  /// When all is over on a machine that can no longer hear: its lease, and some time to die.
  static let lease = Duration.seconds(35)

  let machines: StandingCounterpart
  private let folder: String

  init(in folder: String) async throws {
    self.folder = folder
    machines = try await StandingCounterpart("hosts", [folder] + Self.names)
    guard machines.kind == "namespaces" else {
      throw Broken(description: "Only root has machines whose processes and cables are at hand.")
    }
  }

  /// Writes the file of hosts into a folder.
  func writeHosts(to folder: String) throws {
    let launch = [
      "ssh", "-T", "-F", self.folder + "/config", "{name}", "exec", Products.built.worker,
      "--outpost",
    ]
    let file = [
      "hosts": [
        ["name": Self.group, "launch": launch, "count": Self.names.count] as [String: Any]
      ]
    ]
    try JSONSerialization.data(withJSONObject: file)
      .write(to: URL(filePath: folder + "/hosts.json"))
  }

  /// The processes of ours on the machines.
  var processes: [Processes.Facts] { Self.distant }

  /// The outposts among them: what sshd has started.
  var outposts: [Processes.Facts] {
    let all = processes
    let pids = Set(all.map(\.pid))
    return all.filter { !pids.contains($0.parent) }
  }

  /// The machine of a process of ours.
  func name(of process: Processes.Facts) -> String? {
    // Its mounts have kept where they come from.
    let mounts = try? String(contentsOfFile: "/proc/\(process.pid)/mountinfo", encoding: .utf8)
    return Self.names.first { mounts?.contains("\(folder)/\($0)/run ") ?? false }
  }

  /// The machine to which a launcher leads; `nil` when a process is no launcher.
  func machine(launchedBy process: Processes.Facts) -> String? {
    let line = FileManager.default.contents(atPath: "/proc/\(process.pid)/cmdline") ?? Data()
    let words = line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    guard words.first?.hasSuffix("ssh") == true else { return nil }
    return Self.names.first(where: words.contains)
  }

  /// The worker's processes outside this network, of this machine's.
  private static var distant: [Processes.Facts] {
    let files = FileManager.default
    func link(_ pid: Int32, _ name: String) -> String? {
      try? files.destinationOfSymbolicLink(atPath: "/proc/\(pid)/\(name)")
    }
    let own = link(getpid(), "ns/net")
    return Processes.all().filter { process in
      guard !"ZX".contains(process.state),
        link(process.pid, "exe")?.hasPrefix(Products.built.worker) == true,
        let network = link(process.pid, "ns/net")
      else { return false }
      return network != own
    }
  }
}
