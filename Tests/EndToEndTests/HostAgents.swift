import Foundation
import TestSupport
import Testing

extension Product {
  /// The prompts of the README: a project, a title from a friend, and a tutorial by the baton.
  static let prompts = [
    "I want a rainy-day project for kids", "Give it a title", "How do I fold a crane?",
    "My wings are uneven",
  ]

  /// Writes the agents that ship, with the hosts on which some of them are to run, and returns their
  /// folder.
  func writeAgents(on hosts: [String: String]) throws -> String {
    let folder = home + "/Agents"
    try FileManager.default.copyItem(atPath: Self.agents, toPath: folder)
    for (agent, host) in hosts {
      let file = try #require(
        FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String }.first {
          $0.hasSuffix("\(agent).swift")
        }
      )
      let source = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
      // Any modifier of its profile will do to put another before it.
      let end = try #require(source.range(of: "\n    .samplingMode("))
      try source.replacingCharacters(
        in: end.lowerBound..<end.lowerBound,
        with: "\n    .host(\"\(host)\")"
      ).write(toFile: "\(folder)/\(file)", atomically: true, encoding: .utf8)
    }
    return folder
  }

  /// Writes the file of hosts beside the agents.
  func write(hosts: [HostEntry]) throws {
    let file = HostEntries(hosts: hosts)
    try JSONEncoder().encode(file).write(to: URL(filePath: home + "/hosts.json"))
  }

  /// Starts a chat with hosts, and keeps its input open.
  func chat(_ agents: String, _ options: String...) async throws -> Session {
    try await start(
      ["start", "--agents", agents, "--model", Self.model, "--allow", "hosts.json"] + options
    )
  }

  /// The records of all runs.
  func runs() async throws -> [RunLine] {
    let outcome = try await run("logs", "--json")
    return try JSONDecoder().decode([RunLine].self, from: Data(outcome.output.utf8))
  }

  /// The hosts as `hosts` lists them.
  func hosts() async throws -> [HostLine] {
    let outcome = try await run("hosts", "--json")
    return try JSONDecoder().decode([HostLine].self, from: Data(outcome.output.utf8))
  }
}

/// An entry of `hosts.json`, as a person writes it.
struct HostEntry: Codable {
  var name: String
  var launch: [String]
  var count: Int?
  var allocation: [String]?
  var models: [String: String]?
  var waitLimit: Double?
  var connectBack: String?
}

struct HostEntries: Codable {
  let hosts: [HostEntry]
}

/// What is looked at of a run.
struct RunLine: Decodable {
  let agent: String
  let role: String
  let pid: Int32
  let host: String?
  let outcome: String?
}

/// What is looked at of a host.
struct HostLine: Decodable {
  let name: String
  let state: String
  let reason: String?
  let workers: Int
}

extension Counterpart {
  /// Starts a counterpart that stands; where it cannot be had, the test is cancelled, which its
  /// report says.
  static func standing(_ script: String, _ arguments: [String]) async throws -> StandingCounterpart
  {
    do {
      return try await StandingCounterpart(script, arguments)
    } catch let error as StandingCounterpart.Unavailable {
      try Test.cancel("\(error)")
    }
  }
}

/// Two machines that ssh reaches, with the worker's program and a model, and nothing else of ours.
struct SSHHosts {
  let machines: StandingCounterpart
  let folder: String

  init(_ names: String..., in product: Product) async throws {
    folder = product.home + "/net"
    let files = [Product.folder + "/orchestrator-worker", Product.model]
    machines = try await Counterpart.standing(
      "hosts",
      [folder] + files.flatMap { ["--file", $0] } + ["--hide", Product.root] + names
    )
  }

  /// Whether they are more than other users of this machine.
  var areApart: Bool { machines.kind == "namespaces" }

  /// An entry for a host.
  func entry(_ name: String) -> HostEntry {
    let worker = areApart ? "/run/orchestrator-worker" : Product.folder + "/orchestrator-worker"
    return HostEntry(
      name: name,
      launch: ["ssh", "-T", "-F", folder + "/config", name, "exec", worker, "--outpost"],
      models: areApart ? [Product.model: "/run/pocket.gguf"] : nil
    )
  }
}
