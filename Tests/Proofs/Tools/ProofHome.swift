import Foundation

/// A folder for the agents and the state of one proof's coordinators.
struct ProofHome: Sendable {
  let folder: String

  init() throws {
    // Short, because it holds sockets.
    folder = "/tmp/orch-proof-\(UUID().uuidString.prefix(8))"
    for name in ["agents", "effects", "home"] {
      try FileManager.default.createDirectory(
        atPath: "\(folder)/\(name)",
        withIntermediateDirectories: true
      )
    }
  }

  func coordinator(
    agents: [String],
    beginner: String,
    options: [String] = [],
    of products: Products = .built
  ) async throws -> Coordinator {
    try await Coordinator(
      home: folder + "/home",
      agents: folder + "/agents",
      options: ["--agent", beginner] + agents.flatMap { ["--allow", $0] } + options,
      of: products
    )
  }

  /// Returns the library of an agent's type that a coordinator has compiled.
  func plugin(of type: String) throws -> String {
    let plugins = folder + "/home/cache/plugins"
    let names = try FileManager.default.contentsOfDirectory(atPath: plugins)
    guard let name = names.first(where: { $0.hasPrefix("\(type)-") && $0.hasSuffix(".so") }) else {
      throw Broken(description: "\(type) was not compiled.")
    }
    return "\(plugins)/\(name)"
  }

  func remove() { try? FileManager.default.removeItem(atPath: folder) }
}
