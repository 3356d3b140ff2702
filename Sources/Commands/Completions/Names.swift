import ArgumentParser
import Coordinator
import Foundation
import Journal
import Terminal

/// The names that a shell completes: looked up each time, and none where they cannot be.
enum Names {
  /// More than a person picks from.
  private static let limit = 200
  private static let patience = Duration.seconds(2)

  static let agents = completion { service in try await service.agents().map(\.name) }

  static let sessions = completion { service in try await service.sessions().map(\.name) }

  /// The processes whose logs can be read: agents, and their runs with the latest first.
  static let processes = completion { service in
    let runs = try await service.runs().reversed()
    let agents = Set(runs.map(\.agent)).sorted()
    return [Folders.coordinatorLog] + agents + runs.map(\.run)
  }

  /// The calls that wait for a person.
  static let approvals = completion { service in try await service.approvals().map { "\($0.id)" } }

  private static func completion(
    _ names: @escaping @Sendable (any CoordinatorService) async throws -> [String]
  ) -> CompletionKind {
    .custom { _, _, prefix in
      let found = try? await within(patience) { try await names(service()) }
      return Array(shown(found ?? [], prefix).prefix(limit))
    }
  }

  /// The service, which also reads the journal where a coordinator does not answer.
  private static func service() async throws -> any CoordinatorService {
    do { return try await CommandEnvironment.service() } catch {
      return OfflineService(try CommandEnvironment.folders())
    }
  }

  /// The names that a shell can complete to.
  ///
  /// It takes one a line, and not every one knows how to quote them.
  static func shown(_ names: [String], _ prefix: String) -> [String] {
    names.filter { name in
      name.hasPrefix(prefix) && name.withInvisiblesShown == name
        && !name.contains { $0.isWhitespace || "'\"\\$`!*?[](){}<>|&;#~:".contains($0) }
    }
  }

  /// Returns what an operation returns; `nil` when it takes longer.
  private static func within<Value: Sendable>(
    _ time: Duration,
    _ operation: @escaping @Sendable () async throws -> Value
  ) async throws -> Value? {
    try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask { try await operation() }
      group.addTask {
        try? await Task.sleep(for: time)
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }
}
