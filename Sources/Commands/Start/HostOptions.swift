import ArgumentParser
import Coordinator

/// The options for the other machines of a coordinator.
struct HostOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A machine that agents may run on, besides those of hosts.json; may be repeated.",
      discussion: "A name, and the command that starts an outpost there: NAME=COMMAND.",
      valueName: "name=command"
    )
  )
  var host: [String] = []

  @Option(
    help: ArgumentHelp(
      "How many seconds a worker may wait for a host that is queued. (default: 60)",
      valueName: "seconds"
    )
  )
  var waitLimit: Int?

  func settings() throws -> HostSettings {
    if let waitLimit, !(0...604_800).contains(waitLimit) { throw CommandError.badWait(waitLimit) }
    return try HostSettings(options: host, waitLimit: waitLimit.map(Double.init))
  }
}
