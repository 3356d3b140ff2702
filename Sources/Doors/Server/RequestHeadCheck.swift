import NIOCore
import NIOHTTP1

/// Refuses the heads of requests that two readers could understand differently, as they are sent.
///
/// Another version of HTTP, a target that names a host of its own, and several values of a field are
/// such.
final class RequestHeadCheck: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  struct Ambiguous: Error {}

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head(let head) = unwrapInboundIn(data) {
      let isAmbiguous = ["host", "authorization", "origin"].contains { head.headers[$0].count > 1 }
      let isKnown = [.http1_0, .http1_1].contains(head.version)
      guard isKnown, head.uri.hasPrefix("/"), !isAmbiguous else {
        return context.fireErrorCaught(Ambiguous())
      }
    }
    context.fireChannelRead(data)
  }
}
