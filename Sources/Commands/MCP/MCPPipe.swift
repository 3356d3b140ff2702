import Doors
import Foundation
import MCP
import Terminal
import Transcripts

/// A client on standard input and output: a message a line.
struct MCPPipe: Sendable {
  /// How long requests that go on at the end of the input may take.
  ///
  /// A client that ends closes the input first and kills this process soon afterwards; a script that
  /// pipes its requests in still reads the answers.
  private static let patience = Duration.seconds(1)
  /// Pieces of input that are read ahead.
  private static let piecesAhead = 16

  private let connection: MCPConnection

  init(_ connection: MCPConnection) { self.connection = connection }

  /// Serves until the input ends.
  /// - Throws: `CommandError` when a line is too long to be read.
  func serve() async throws {
    let reader = LineReader(ahead: Self.piecesAhead, DescriptorPieces(STDIN_FILENO))
    let closing = try await withThrowingDiscardingTaskGroup(returning: Task<Void, Never>.self) {
      group in
      var decoder = JSONRPCLineDecoder()
      var hasNoted = false
      for await piece in reader.lines {
        decoder.append(piece.bytes)
        do throws(JSONRPCLineDecoder.LineTooLong) {
          while let line = try decoder.next() {
            if let exchange = receive(line) { group.addTask { await Self.forward(exchange) } }
          }
        } catch {
          throw CommandError.messageTooLong(bytes: error.limit)
        }
        if let skipped = decoder.firstSkipped, !hasNoted {
          hasNoted = true
          Terminal().note("Skipping what is not a message: \(skipped.inOneLine)")
        }
        reader.makeRoom()
      }
      // Unstructured: it must end as soon as nothing goes on any more.
      return Task {
        guard (try? await Task.sleep(for: Self.patience)) != nil else { return }
        connection.close()
      }
    }
    closing.cancel()
  }

  /// Handles a line.
  /// - Returns: The messages of a request that is being answered; `nil` if there are none.
  private func receive(_ line: JSONRPCLineDecoder.Line) -> AsyncStream<JSONRPCMessage>? {
    switch line {
    case .success(let message):
      switch connection.receive(message) {
      case .answer(let answer): Self.send(answer)
      case .exchange(let messages): return messages
      case .accepted: break
      }
    // An object without an identifier may be a notification, which has no answer.
    case .failure(let invalid) where invalid.id != nil || invalid.code == .unreadable:
      Self.send(ServerSession.refusal(of: invalid))
    case .failure: break
    }
    return nil
  }

  private static func forward(_ messages: AsyncStream<JSONRPCMessage>) async {
    for await message in messages {
      send(message)
      // Without a reader, what is asked is of no use any more.
      if Terminal.isUnread { return }
    }
  }

  private static func send(_ message: JSONRPCMessage) {
    Terminal.show(json: message.content.jsonString)
  }
}
