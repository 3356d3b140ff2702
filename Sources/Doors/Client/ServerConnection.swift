import Coordinator
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// One request to a coordinator's socket, and its response as it comes.
struct ServerConnection: Sendable {
  typealias Channel = NIOAsyncChannel<HTTPClientResponsePart, HTTPPart<HTTPRequestHead, ByteBuffer>>

  private let channel: Channel

  /// Connects to a socket file.
  /// - Parameter patience: The seconds that may pass without data, now or later.
  static func open(_ socket: String, patience: Int) async throws -> Self {
    // A server may have answered and closed its half before all of the request is written.
    let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelOption(.allowRemoteHalfClosure, value: true)
    let channel = try await bootstrap.connect(unixDomainSocketPath: socket) { channel in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHandler(SilenceLimit(seconds: patience))
        try channel.pipeline.syncOperations.addHTTPClientHandlers()
        try channel.pipeline.syncOperations.addHandler(RequestEncoding())
        return try Channel(wrappingChannelSynchronously: channel)
      }
    }
    return Self(channel: channel)
  }

  /// Sends a request, and passes the status and each piece of the response's body.
  func send(
    _ method: HTTPMethod,
    _ path: String,
    body: Data,
    receive: (HTTPResponseStatus, ByteBuffer?) async throws -> Void
  ) async throws {
    try await channel.executeThenClose { inbound, outbound in
      let head = HTTPRequestHead(
        version: .http1_1,
        method: method,
        uri: path,
        headers: [
          "Host": "orchestrator", "Content-Length": "\(body.count)", "Connection": "close",
        ]
      )
      try await outbound.write(
        contentsOf: [.head(head), .body(ByteBuffer(bytes: body)), .end(nil)]
      )
      var status = HTTPResponseStatus.ok
      for try await part in inbound {
        switch part {
        case .head(let head):
          status = head.status
          try await receive(status, nil)
        case .body(let bytes): try await receive(status, bytes)
        case .end: return
        }
      }
      // The server closed the connection in the middle of the response.
      throw ConnectionError.gone
    }
  }
}

/// Turns the parts of a request into those that the encoder takes.
private final class RequestEncoding: ChannelOutboundHandler {
  typealias OutboundIn = HTTPPart<HTTPRequestHead, ByteBuffer>
  typealias OutboundOut = HTTPClientRequestPart

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let part: HTTPClientRequestPart =
      switch unwrapOutboundIn(data) {
      case .head(let head): .head(head)
      case .body(let bytes): .body(.byteBuffer(bytes))
      case .end(let trailers): .end(trailers)
      }
    context.write(wrapOutboundOut(part), promise: promise)
  }
}

/// Ends a connection on which nothing comes.
///
/// Counts one second at a time: a process that was suspended in the meantime finds that only one
/// has passed, and has the others to read what came.
private final class SilenceLimit: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let seconds: Int
  private var silence = 0
  private var clock: RepeatedTask?

  init(seconds: Int) { self.seconds = seconds }

  func handlerAdded(context: ChannelHandlerContext) {
    let limit = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    clock = context.eventLoop.scheduleRepeatedTask(
      initialDelay: .seconds(1),
      delay: .seconds(1)
    ) { _ in
      let (handler, context) = limit.value
      handler.count(context)
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) { clock?.cancel() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    silence = 0
    context.fireChannelRead(data)
  }

  private func count(_ context: ChannelHandlerContext) {
    silence += 1
    guard silence >= seconds else { return }
    clock?.cancel()
    context.fireErrorCaught(ConnectionError.silent)
    context.close(promise: nil)
  }
}
