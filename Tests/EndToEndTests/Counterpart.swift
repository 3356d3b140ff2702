import Foundation
import Supervision
import Testing

/// A program of another maker that a test talks to, in an environment that is made once in the
/// cache.
enum Counterpart {
  private static let folder = Product.root + "/Tests/TestSupport/Counterparts"

  /// Returns the Python interpreter with the packages of a name; where they cannot be had, the test
  /// is cancelled, which its report says.
  static func python(_ name: String) async throws -> String {
    let outcome = try await run(folder + "/environment", [name])
    let path = outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
    guard outcome.status == 0, !path.isEmpty else {
      try Test.cancel("There is no environment '\(name)': \(outcome.errors)")
    }
    return path
  }

  /// Runs a script of the counterparts to its end.
  static func run(
    script: String,
    with python: String,
    _ arguments: [String],
    environment: [String: String]
  ) async throws -> Product.Outcome {
    try await run(python, ["\(folder)/\(script)"] + arguments, environment: environment)
  }

  private static func run(
    _ program: String,
    _ arguments: [String],
    environment: [String: String] = [:]
  ) async throws -> Product.Outcome {
    let launch = Launch(
      executable: program,
      arguments: arguments,
      environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }
    )
    let session = try await Session(launch, eventLoop: try ChildEventLoop())
    session.closeInput()
    return await session.end()
  }
}
