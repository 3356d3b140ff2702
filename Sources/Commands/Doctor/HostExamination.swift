import Coordinator
import Foundation
import Outposts
import Plugins
import Terminal
import Transcripts
import Wire

/// Examines the file of hosts, and tries the hosts that `--host` names.
struct HostExamination {
  let options: CoordinatorOptions
  let mode: Confinement.Mode
  let environment: [String: String]
  /// What is sent there; `nil` where that is not complete here.
  let kit: AgentToolchain?
  let folders: Folders

  func diagnoses() async -> [Diagnosis] {
    let file: HostFile?
    do throws(HostFileError) {
      file = try HostFile.read(besides: AgentFolder.path(named: options.agents))
    } catch {
      return [.failure("hosts", "\(error)", remedy: "correct the file, or move it away")]
    }
    var diagnoses: [Diagnosis] = []
    var known: [HostDefinition] = []
    if let file {
      known = file.hosts.flatMap(\.members)
      let names = file.hosts.map(\.name).joined(separator: ", ")
      let finding = "\(file.hosts.count.counted("host")) in \(file.path): \(names)"
      let isApproved = file.isApproved(folders) || options.allow.contains("hosts.json")
      if !isApproved { known = [] }
      let remedy = "if you trust it, start with --allow hosts.json once"
      diagnoses.append(
        isApproved
          ? .ok("hosts", finding)
          : .warning("hosts", "\(finding); not approved as it is", remedy: remedy)
      )
    }
    for given in options.hosts.host { diagnoses += await host(given, known) }
    return diagnoses
  }

  /// Tries a host.
  /// - Parameter given: Its name, or `NAME=COMMAND`.
  private func host(
    _ given: String,
    _ known: [HostDefinition]
  ) async -> [Diagnosis] {
    let found: HostDefinition?
    do throws(HostFileError) {
      found =
        given.contains("=")
        ? try HostSettings(options: [given], waitLimit: nil).given.first
        : known.first { $0.name == given }
    } catch {
      return [.failure("host", "\(error)", remedy: "see --host in 'orchestrator help start'")]
    }
    guard let found else {
      let remedy = "name a host of an approved hosts.json, or write --host \(given)=COMMAND"
      return [.failure("host", "there is no host '\(given)'", remedy: remedy)]
    }
    guard let kit else {
      let remedy = "fix the problems above first"
      return [.warning("host", "\(found.name) was not tried", remedy: remedy)]
    }
    let probe = HostProbe(kit, folders, mode, environment: environment)
    do {
      return describe(found.name, try await probe.probe(found))
    } catch {
      let remedy = "try the command by hand: \(found.launch.joined(separator: " "))"
      return [.failure("host", "\(error)", remedy: remedy)]
    }
  }

  private func describe(_ name: String, _ finding: HostProbe.Finding) -> [Diagnosis] {
    let machine = finding.machine
    let milliseconds = Int(finding.start / .milliseconds(1))
    let size = MemoryText.size(machine.memory)
    var diagnoses: [Diagnosis] = [
      .ok(
        "host",
        "\(name) was up after \(milliseconds) ms: \(machine.cores.counted("core")), \(size) of"
          + " memory, \(machine.architecture), \(machine.system), libllama \(machine.libllama)"
      )
    ]
    diagnoses += connection(of: name, finding)
    if machine.landlock == 0, mode != .off {
      diagnoses.append(
        mode == .required
          ? .failure("host", "\(name) cannot confine workers", remedy: "use a kernel with Landlock")
          : .warning(
            "host",
            "\(name) has no Landlock, so that workers there can read what its user can",
            remedy: "use a kernel with Landlock there"
          )
      )
    }
    return diagnoses
  }

  /// How quickly messages reach a host, and what keeps them.
  private func connection(of name: String, _ finding: HostProbe.Finding) -> [Diagnosis] {
    let (short, long) = finding.roundTrips
    let times =
      "a short message is there and back in \(milliseconds(short)) ms, 4 kB in"
      + " \(milliseconds(long)) ms"
    let back = "name an address of this machine that it reaches as its 'connectBack'"
    switch finding.connectBack {
    case .connected?: return [.ok("host", "\(name) has connected back: \(times)")]
    case .failed(let problem)?:
      let words = "\(name) has not connected back: \(problem); through its launcher, \(times)"
      return [.warning("host", words, remedy: "\(back), or none")]
    case nil where long > .milliseconds(40) && long > short * 10:
      let words = "the launcher of \(name) is slow: \(times), as 'srun' before Slurm 24.05"
      return [.warning("host", words, remedy: "\(back) if you trust the network in between")]
    case nil: return [.ok("host", "\(name): \(times)")]
    }
  }

  private func milliseconds(_ duration: Duration) -> String {
    String(format: "%.1f", duration / .milliseconds(1))
  }
}
