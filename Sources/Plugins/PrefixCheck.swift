import Foundation

/// Finds agents whose requests begin differently each time.
///
/// Nothing that a model has read for such an agent can be reused.
package struct PrefixCheck: Sendable {
  /// When a prefix was rendered, in the order in which a worker prints them.
  private static let moments = [
    "in a new session", "after an exchange", "in another session of the same process",
  ]
  /// Two time zones in which the day, the hour and the minute all differ.
  private static let timeZones = ["Etc/GMT+12", "Pacific/Chatham"]
  private static let patience = Duration.seconds(60)
  /// Long enough for a clock that shows seconds to change.
  private static let pause = Duration.milliseconds(1100)

  private let toolchain: AgentToolchain
  private let model: String

  /// Makes a check.
  /// - Parameter model: The GGUF file whose tokens and chat template are used.
  package init(toolchain: AgentToolchain, model: String) {
    self.toolchain = toolchain
    self.model = model
  }

  package func findings(in plugins: [PluginStore.Plugin]) async throws -> [Finding] {
    var runs: [[Reading]] = []
    for (number, zone) in Self.timeZones.enumerated() {
      if number > 0 { try await Task.sleep(for: Self.pause) }
      var readings: [Reading] = []
      for plugin in plugins { readings.append(try await read(plugin, in: zone)) }
      runs.append(readings)
    }
    return plugins.enumerated().compactMap { index, plugin in
      finding(about: plugin, in: runs.map { $0[index] })
    }
  }

  /// What one process reported about an agent.
  private enum Reading {
    case prefixes([[String]])
    case failed(String)
  }

  private func read(_ plugin: PluginStore.Plugin, in zone: String) async throws -> Reading {
    var environment = Subprogram.environment
    environment["TZ"] = zone
    let program = Subprogram(
      toolchain.worker,
      ["--prefixes", plugin.library, model, toolchain.sandbox],
      environment: environment
    )
    let outcome = try await program.run(within: Self.patience)
    guard let prefixes: [[String]] = outcome.answer(), prefixes.count == Self.moments.count else {
      return .failed(outcome.reason)
    }
    return .prefixes(prefixes)
  }

  private func finding(about plugin: PluginStore.Plugin, in runs: [Reading]) -> Finding? {
    var all: [(moment: String, tokens: [String])] = []
    for (number, run) in runs.enumerated() {
      switch run {
      case .failed(let problem):
        return warning(plugin, "Its prefix cannot be checked: \(problem)")
      case .prefixes(let prefixes):
        for (moment, tokens) in zip(Self.moments, prefixes) {
          all.append((number == 0 ? moment : "in another process, later and elsewhere", tokens))
        }
      }
    }
    guard let first = all.first,
      let other = all.dropFirst().first(where: { $0.tokens != first.tokens })
    else { return nil }
    let place = zip(first.tokens, other.tokens).prefix { $0 == $1 }.count
    return warning(
      plugin,
      "Its prefix changes from request to request: token \(place) of \(first.tokens.count) is"
        + " \(text(first.tokens, place)) \(first.moment) and \(text(other.tokens, place))"
        + " \(other.moment). Everything from there on is recomputed each time. Move what changes"
        + " into a prompt or a tool's output."
    )
  }

  private func text(_ tokens: [String], _ place: Int) -> String {
    guard place < tokens.count else { return "missing" }
    return tokens[max(0, place - 3)..<min(tokens.count, place + 4)].joined().debugDescription
  }

  private func warning(_ plugin: PluginStore.Plugin, _ message: String) -> Finding {
    Finding(severity: .warning, source: plugin.source, message: message)
  }
}
