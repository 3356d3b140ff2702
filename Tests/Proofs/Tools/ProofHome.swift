import Foundation

/// A folder for the agents and the state of the coordinators of one proof.
struct ProofHome: Sendable {
  let folder: String

  init() throws {
    // Short, because sockets lie in it.
    folder = "/tmp/orch-proof-\(UUID().uuidString.prefix(8))"
    for name in ["agents", "effects", "home"] {
      try FileManager.default.createDirectory(
        atPath: "\(folder)/\(name)",
        withIntermediateDirectories: true
      )
    }
  }

  func coordinator(agents: [String], beginner: String) async throws -> Coordinator {
    try await Coordinator(
      home: folder + "/home",
      agents: folder + "/agents",
      options: ["--agent", beginner] + agents.flatMap { ["--allow", $0] }
    )
  }

  func remove() { try? FileManager.default.removeItem(atPath: folder) }
}
