import Foundation
import MCP
import Supervision

/// What carries the messages of a connection to a server and back.
protocol MCPTransport: AnyObject, Sendable {
  /// What the server writes, one JSON object a line, and then its end; for one reader only.
  var events: AsyncStream<ServerProcess.Event> { get }
  /// The process of the server; `nil` for one behind a URL.
  var process: ServerProcess? { get }
  var launched: Date { get }

  func send(_ message: JSONRPCMessage)
  /// Notes that output was taken, which makes room for more.
  func noteRead(_ bytes: Int)
  /// Adds a line of our own to the server's log.
  func note(_ line: String)
  /// The last lines of the log, oldest first.
  func lastLines(_ count: Int) -> [String]
  /// Ends the connection, and a process step by step.
  func end(patience: Duration) async
  /// Ends the connection now.
  func kill()
}

extension ServerProcess: MCPTransport {
  var process: ServerProcess? { self }

  func send(_ message: JSONRPCMessage) { write(message.line) }
}
