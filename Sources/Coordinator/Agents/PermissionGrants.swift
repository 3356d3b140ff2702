package import Transcripts

/// What a person lets agents reach beyond their models and scratch folders.
package struct PermissionGrants: Sendable, Equatable {
  /// The error for an agent that declares permissions that were not granted.
  package struct Missing: CodedError, Equatable {
    package let agent: String
    package let permissions: [Permission]

    package var code: ErrorCode { .unavailable }
  }

  /// The error for an invalid `--allow`.
  package struct Fault: CodedError, Equatable {
    package let text: String

    package var code: ErrorCode { .invalidRequest }
  }

  /// The agents that may have everything they declare.
  private var trusted: Set<String> = []
  private var allowed: [String: Set<Permission>] = [:]
  /// Whether the file of MCP servers may be used as it is now.
  package private(set) var approvesServerFile = false
  /// Whether the file of hosts may be used as it is now.
  package private(set) var approvesHostFile = false
  /// The MCP servers whose tools may be offered as they are now.
  package private(set) var approvedServers: Set<String> = []
  private let home: String
  private static let serverPrefix = "mcp:"

  /// Parses `AGENT`, for everything that the agent declares, or `AGENT=PERMISSION`; `mcp.json`, for
  /// the file of MCP servers, or `mcp:SERVER`, for the changed tools of one; `hosts.json`, for the
  /// file of hosts.
  package init(_ texts: [String], home: String) throws(Fault) {
    self.home = home
    for text in texts {
      if text == "mcp.json" {
        approvesServerFile = true
        continue
      }
      if text == "hosts.json" {
        approvesHostFile = true
        continue
      }
      if text.hasPrefix(Self.serverPrefix) {
        approvedServers.insert(String(text.dropFirst(Self.serverPrefix.count)))
        continue
      }
      let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
      if parts.count == 1, !text.contains("=") {
        trusted.insert(parts[0])
      } else if parts.count == 2, let permission = Permission(parts[1]) {
        allowed[parts[0], default: []].insert(resolved(permission))
      } else {
        throw Fault(text: text)
      }
    }
  }

  /// What is allowed to any agent one by one, with absolute paths.
  package var named: [Permission] { allowed.values.flatMap { Array($0) } }

  /// Returns the named agents that do not exist.
  package func strangers(among known: [String]) -> [String] {
    trusted.union(allowed.keys).subtracting(known).sorted()
  }

  /// Returns the permissions of an agent, with absolute paths.
  /// - Throws: ``Missing`` when the agent declares something that is not allowed.
  package func permissions(of agent: AgentDescription) throws(Missing) -> [Permission] {
    let declared = agent.permissions.map(resolved)
    if trusted.contains(agent.name) { return declared }
    let missing = declared.filter { allowed[agent.name]?.contains($0) != true }
    guard missing.isEmpty else { throw Missing(agent: agent.name, permissions: missing) }
    return declared
  }

  private func resolved(_ permission: Permission) -> Permission {
    switch permission {
    case .network: .network
    case .reading(let path): .reading(path.absolutePath(home: home))
    case .writing(let path): .writing(path.absolutePath(home: home))
    case .running(let path): .running(path.absolutePath(home: home))
    }
  }
}

extension PermissionGrants.Missing {
  package var description: String {
    let needs = permissions.map(\.description).joined(separator: ", ")
    let flags = permissions.map { "--allow '\(agent)=\($0)'" }.joined(separator: " ")
    return
      "The agent '\(agent)' needs permissions that were not granted: \(needs). If you trust it,"
      + " start with \(flags)."
  }
}

extension PermissionGrants.Fault {
  package var description: String {
    "'\(text)' is not a permission. Write AGENT or AGENT=PERMISSION, where PERMISSION is network,"
      + " read:PATH, write:PATH or run:PATH."
  }
}
