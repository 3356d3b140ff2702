import AgentKit
import Glibc
import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Answers questions about this build and about plugins, and ends.
enum Description {
  static func run(_ verb: String, _ arguments: [String]) -> Never {
    // Whoever asked may be gone, and an agent's code may never return.
    alarm(40)
    switch (verb, arguments.first) {
    case ("--fingerprint", nil):
      print(Plugin.fingerprint)
      exit(0)
    case ("--describe", .some(let path)):
      describe(path)
    default:
      Log.write("unknown arguments; a worker is started by orchestrator")
      exit(64)
    }
  }

  /// Prints what an agent is, as JSON on the last line: its own code may print before it.
  private static func describe(_ path: String) -> Never {
    do throws(PluginFault) {
      let agent = try Plugin.load(path).init()
      let description = AgentDescription(agent)
      guard let json = try? JSONEncoder().encode(description) else {
        Log.write("the description of \(path) cannot be written as JSON")
        exit(70)
      }
      print("\n" + String(decoding: json, as: UTF8.self))
      exit(0)
    } catch {
      Log.write(error.description)
      exit(65)
    }
  }
}
