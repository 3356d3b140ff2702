import ArgumentParser
import Coordinator
import Terminal
import Transcripts
import Wire

extension HostChange.Action: ExpressibleByArgument {}

struct HostsCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "hosts",
    abstract: "Shows the other machines of the running coordinator, or starts, drains or stops one."
  )

  @Argument(
    help: ArgumentHelp(
      "start, drain or stop.",
      discussion: "A host that is drained gets no further worker, and ends when it has none."
    )
  )
  var action: HostChange.Action?

  @Argument(help: "The host, or a group of hosts.")
  var name: String?

  @Flag(help: "Write JSON.")
  var json = false

  func validate() throws {
    if action != nil, name == nil { throw ValidationError("Name a host.") }
  }

  func perform() async throws {
    let service = try await CommandEnvironment.service()
    if let action, let name {
      try await service.change(HostChange(host: name, action: action))
      if !json, action != .start { return }
    }
    let hosts = try await service.hosts().filter {
      name == nil || $0.name == name || $0.group == name
    }
    if json { return Terminal.show(json: try JSONOutput.document(hosts)) }
    guard !hosts.isEmpty else {
      return Terminal.show(
        "There are no hosts. hosts.json, beside the folder of agents, lists them."
      )
    }
    Terminal.show(table(hosts))
  }

  private func table(_ hosts: [HostReport]) -> String {
    var table = TextTable(
      ["HOST", "STATE", "SINCE", "CORES", "MEMORY", "FREE", "WORKERS", "READY", "SYSTEM"]
    )
    for host in hosts {
      table.add([
        host.name, HostText.state(host), PsCommand.age(host.since),
        host.cores.map { "\($0.busy) of \($0.cores)" } ?? "-",
        host.memory.map(MemoryText.size) ?? "-", host.freeMemory.map(MemoryText.size) ?? "-",
        "\(host.workers)", host.templates.joined(separator: ", "), host.system ?? "-",
      ])
    }
    return table.text
  }
}
