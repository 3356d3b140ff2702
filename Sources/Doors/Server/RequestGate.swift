import Coordinator
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Holds the request of a connection until all of it has arrived, within limits of size and time.
///
/// The application sees whole requests only, one a connection; everything else is answered here.
final class RequestGate: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private enum State {
    case arriving
    case answering
    /// The answer is written; what the client still sends is read and ignored, because unread input
    /// would discard the answer.
    case closing
  }

  private let limiter: ConnectionLimiter
  /// Checks requests before they take a place or memory; `nil` where every client is the user.
  private let authorizer: RequestAuthorizer?
  private var state = State.arriving
  private var number = 0
  private var head: HTTPRequest?
  private var policy = RoutePolicy.standard
  /// The origin of the page that asks, if it may.
  private var origin: String?
  private var body = ByteBuffer()
  /// Ends the current wait for the client.
  private var timer: Scheduled<Void>?

  init(_ limiter: ConnectionLimiter, _ authorizer: RequestAuthorizer?) {
    (self.limiter, self.authorizer) = (limiter, authorizer)
  }

  private var limits: ConnectionLimits { limiter.limits }

  func handlerAdded(context: ChannelHandlerContext) {
    let gate = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    let loop = context.eventLoop
    // In front of the codec, behind which a head is no longer as it was sent.
    let pipeline = context.pipeline.syncOperations
    if let codec = try? pipeline.handler(type: HTTP1ToHTTPServerCodec.self) {
      try? pipeline.addHandler(RequestHeadCheck(), position: .before(codec))
    }
    number = limiter.enter {
      loop.execute {
        let (handler, context) = gate.value
        handler.refuse(ServiceError(.unavailable, "Too many requests are in progress."), context)
      }
    }
    schedule(limits.arrival, context) { handler, context in
      handler.refuse(ServiceError(.timeout, "The request took too long to arrive."), context)
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    timer?.cancel()
    limiter.leave(number)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .arriving = state else { return }
    switch unwrapInboundIn(data) {
    case .head(let request): receive(request, context)
    case .body(var part):
      body.writeBuffer(&part)
      if body.readableBytes > bodyBytes { refuse(tooLarge, context) }
    case .end(let trailers): complete(trailers, context)
    }
  }

  private func receive(_ request: HTTPRequest, _ context: ChannelHandlerContext) {
    policy = RoutePolicy.of(request)
    origin = authorizer?.crossOrigin.origin(of: request)
    do throws(ServiceError) {
      try authorizer?.check(request, at: LocalAddress(context.channel).hostAndPort)
    } catch {
      return refuse(error, context)
    }
    if let origin, CrossOrigin.isPreflight(request) {
      return answer(.noContent, CrossOrigin.preflightFields(origin, for: request), [], context)
    }
    guard Int(request.headerFields[.contentLength] ?? "0") ?? .max <= bodyBytes else {
      return refuse(tooLarge, context)
    }
    head = request
  }

  /// Whether any client may send the request.
  private var isOpen: Bool {
    guard authorizer != nil, let head else { return false }
    return Page.isOpen(head)
  }

  private var bodyBytes: Int { max(limits.bodyBytes, policy.bodyBytes) }

  private func complete(_ trailers: HTTPFields?, _ context: ChannelHandlerContext) {
    guard var request = head else { return }
    guard limiter.answer(number, isOpen: isOpen) else {
      return refuse(
        ServiceError(.unavailable, "Too many requests are in progress."),
        context
      )
    }
    timer?.cancel()
    state = .answering
    request.headerFields[.connection] = "close"
    context.fireChannelRead(wrapInboundOut(.head(request)))
    if body.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(.body(body))) }
    body = ByteBuffer()
    context.fireChannelRead(wrapInboundOut(.end(trailers)))
    context.fireChannelReadComplete()
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard case .answering = state else {
      promise?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    switch unwrapOutboundIn(data) {
    case .head(var response):
      response.headerFields[.connection] = "close"
      if let origin { CrossOrigin.permit(origin, in: &response.headerFields) }
      context.write(wrapOutboundOut(.head(response)), promise: promise)
    case .body: context.write(data, promise: promise)
    case .end:
      state = .closing
      // What is written may take a slow client as long as any other part of the answer.
      let written = promise ?? context.eventLoop.makePromise()
      context.writeAndFlush(data, promise: written)
      let gate = NIOLoopBound((self, context), eventLoop: context.eventLoop)
      written.futureResult.whenComplete { _ in
        let (handler, context) = gate.value
        handler.linger(context)
      }
    }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    switch state {
    case .arriving: break
    case .answering, .closing:
      if !context.channel.isWritable {
        timer?.cancel()
        schedule(limits.reading, context) { _, context in context.close(promise: nil) }
      } else if case .answering = state {
        timer?.cancel()
      }
    }
    context.fireChannelWritabilityChanged()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard case ChannelEvent.inputClosed = event else {
      return context.fireUserInboundEventTriggered(event)
    }
    // A client may close its sending half and wait for the answer. Whether it has gone shows when
    // something is written to it.
    switch state {
    case .arriving, .closing: context.close(promise: nil)
    case .answering: if policy.endsWithInput { context.close(promise: nil) }
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard !(error is IOError), !(error is ChannelError) else {
      return context.fireErrorCaught(error)
    }
    switch error {
    case HTTPParserError.headerOverflow:
      let limit = limits.headerBytes >> 10
      refuse(
        ServiceError(.headerTooLarge, "The request header is longer than \(limit) KiB."),
        context
      )
    default: refuse(malformed, context)
    }
  }

  // MARK: Refusals

  private var malformed: ServiceError {
    ServiceError(.invalidRequest, "This is not an HTTP/1.1 request.")
  }

  private var tooLarge: ServiceError {
    ServiceError(.tooLarge, "The body is longer than \(bodyBytes >> 20) MiB.")
  }

  private func refuse(_ error: ServiceError, _ context: ChannelHandlerContext) {
    guard case .arriving = state else { return }
    var (status, fields, body) = policy.refusal(error)
    if let origin { CrossOrigin.permit(origin, in: &fields) }
    answer(.init(code: status), fields, body, context)
  }

  /// Answers in place of the application, which has not seen the request.
  private func answer(
    _ status: HTTPResponse.Status,
    _ fields: HTTPFields,
    _ body: some Collection<UInt8>,
    _ context: ChannelHandlerContext
  ) {
    var fields = fields
    fields[.connection] = "close"
    if status != .noContent { fields[.contentLength] = "\(body.count)" }
    let response = HTTPResponse(status: status, headerFields: fields)
    context.write(wrapOutboundOut(.head(response)), promise: nil)
    if !body.isEmpty {
      context.write(wrapOutboundOut(.body(ByteBuffer(bytes: body))), promise: nil)
    }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    (head, self.body) = (nil, ByteBuffer())
    linger(context)
  }

  /// Closes the sending half, and the rest when the client has closed the connection or the time is over.
  private func linger(_ context: ChannelHandlerContext) {
    state = .closing
    timer?.cancel()
    context.close(mode: .output, promise: nil)
    schedule(limits.lingering, context) { _, context in context.close(promise: nil) }
  }

  private func schedule(
    _ time: TimeAmount,
    _ context: ChannelHandlerContext,
    _ body: @escaping (RequestGate, ChannelHandlerContext) -> Void
  ) {
    let gate = NIOLoopBound((self, context, body), eventLoop: context.eventLoop)
    timer = context.eventLoop.scheduleTask(in: time) {
      let (handler, context, body) = gate.value
      body(handler, context)
    }
  }
}
