import Coordination
import Foundation
import Supervision
import Synchronization
import TestSupport
import Transcripts
import Wire

@testable import Coordinator
@testable import MCP

/// A server of one kind of misbehaviour, in a folder of its own, for the length of a test.
struct ServerStage: Sendable {
  static let script = Repository.root + "/Tests/TestSupport/Counterparts/hostile_server.py"

  let folder: String
  let connection: MCPConnection
  /// The names of the tools, each time they were listed.
  let lists = Lists()

  final class Lists: Sendable {
    private let lists = Mutex<[[MCPListedTool]]>([])
    var all: [[MCPListedTool]] { lists.withLock { $0 } }
    func append(_ tools: [MCPListedTool]) { lists.withLock { $0.append(tools) } }
  }

  static func set(
    _ kind: String,
    eventLoop: ChildEventLoop? = nil,
    isConfined: Bool = true,
    mayWrite: Bool = true,
    options: MCPServerOptions = MCPServerOptions(),
    _ body: (ServerStage) async throws -> Void
  ) async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var options = options
    // Longer than a busy machine takes to start Python, unless the test is about time.
    if options.startTimeout == MCPServerOptions().startTimeout { options.startTimeout = 120 }
    if mayWrite { options.write = [folder] }
    let stage = try await ServerStage(
      kind,
      folder: folder,
      eventLoop: try eventLoop ?? ChildEventLoop(),
      isConfined: isConfined,
      options: options
    )
    var failure: (any Error)?
    do { try await body(stage) } catch { failure = error }
    await stage.connection.close()
    if let failure { throw failure }
  }

  init(
    _ kind: String,
    folder: String,
    eventLoop: ChildEventLoop,
    isConfined: Bool,
    options: MCPServerOptions
  ) async throws {
    self.folder = folder
    var options = options
    let program = MCPProgram(
      command: Program.python,
      arguments: [Self.script, kind],
      environment: [:],
      folder: folder
    )
    options.read.append((Self.script as NSString).deletingLastPathComponent)
    let entry = MCPServerEntry(name: kind, transport: .program(program), options: options)
    let launch = try MCPServerLaunch(
      program,
      of: entry,
      environment: ProcessInfo.processInfo.environment
    )
    mkdir("\(folder)/scratch", 0o700)
    let starter = ServerStarter(
      eventLoop: eventLoop,
      launcher: LocalLauncher(),
      executable: try await Troupe.shared().worker,
      sandbox: isConfined
        ? SandboxPolicy(templates: Confinement(scratch: "\(folder)/scratch")) : nil,
      pidFiles: nil
    ) { _ in "\(folder)/log" }
    connection = MCPConnection(
      entry,
      start: {
        try await starter.start(
          launch.program,
          as: RunID("mcp:\(kind)"),
          environment: launch.environment,
          confinement: Confinement(permissions: launch.permissions)
        )
      },
      onList: { [lists] tools, _ in lists.append(tools) }
    )
  }

  /// Calls a tool with one argument.
  func call(_ tool: String, _ text: String = "") async -> MCPConnection.Outcome {
    do throws(MCPConnection.Unavailable) {
      let life = try await connection.ready()
      let arguments = GeneratedContent.object([("text", .text(text))])
      return await connection.call(tool, arguments: arguments, in: life, for: .none)
    } catch {
      return .unavailable(error.problem)
    }
  }

  /// The text that a call returns.
  func answer(_ tool: String, _ text: String = "") async throws -> String {
    let outcome = await call(tool, text)
    guard case .answered(.returned(let result), _) = outcome else {
      throw Unexpected(outcome: outcome)
    }
    return result.text
  }

  /// Why a call cannot be made.
  func problem(_ tool: String) async throws -> String {
    let outcome = await call(tool)
    switch outcome {
    case .unavailable(let problem), .abandoned(let problem, _): return problem
    case .answered: throw Unexpected(outcome: outcome)
    }
  }

  var log: String { (try? String(contentsOfFile: "\(folder)/log", encoding: .utf8)) ?? "" }

  struct Unexpected: Error {
    let outcome: MCPConnection.Outcome
  }
}

extension MCPCaller {
  /// A caller that watches nothing, with no person.
  static let none = MCPCaller { _ in
  } ask: { _ in
    .cancelled
  }
}
