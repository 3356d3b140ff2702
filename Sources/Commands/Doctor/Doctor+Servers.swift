import Coordinator
import Transcripts

extension Doctor {
  /// Examines the MCP servers that agents may use.
  func servers(_ folders: Folders) -> [Diagnosis] {
    let agents = AgentFolder.path(named: options.agents)
    let check: MCPServerCheck?
    do throws(MCPServerError) {
      check = try MCPServerCheck(besides: agents, folders: folders, environment: environment)
    } catch {
      return [.failure("mcp", "\(error)", remedy: "correct the file, or move it away")]
    }
    guard let check else { return [] }
    let problems = check.problems.map {
      Diagnosis.warning("mcp", $0, remedy: "install it, or correct \(check.file)")
    }
    let names = check.servers.joined(separator: ", ")
    let finding = "\(check.servers.count.counted("server")) in \(check.file): \(names)"
    guard check.isApproved else {
      let remedy = "if you trust it, start with --allow mcp.json once"
      return problems + [.warning("mcp", "\(finding); not approved as it is", remedy: remedy)]
    }
    return problems + [.ok("mcp", finding)]
  }
}
