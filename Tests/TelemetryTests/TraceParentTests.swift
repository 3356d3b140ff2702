import AgentKit
import Journal
import Testing

@testable import Telemetry

struct TraceParentTests {
  private static let header = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

  @Test func `A turn continues the trace of the program that asked for it`() throws {
    var log = FactLog()
    try log.begin(options: TurnOptions(traceparent: Self.header))
    log.launch("brainstorm", "b", pid: 1)
    try log.call(("c", "generate_title"))
    try log.phone("title", call: "c")
    try log.output("c")
    log.add(.ended(.answered, revertingTo: nil))
    let spans = log.spans()
    let root = try #require(spans.last)
    #expect(root.parent == SpanID(hex: "b7ad6b7169203331"))
    #expect(root.flags == 1)
    #expect(spans.allSatisfy { $0.trace == TraceID(hex: "0af7651916cd43dd8448eb211c80319c") })
    #expect(spans.tree.contains("      invoke_agent title"))
  }

  @Test func `A header of a later version may have more parts`() {
    #expect(TraceParent("01" + Self.header.dropFirst(2) + "-what-else") != nil)
  }

  @Test(arguments: [
    "", "00", "no trace", "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    "00-00000000000000000000000000000000-b7ad6b7169203331-01",
    "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
    "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
    "00-+af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1",
  ])
  func `Any other header is ignored`(header: String) throws {
    #expect(TraceParent(header) == nil)
    var log = FactLog()
    try log.begin(options: TurnOptions(traceparent: header))
    log.add(.ended(.cancelled, revertingTo: nil))
    #expect(log.spans().last?.parent == nil)
  }
}

struct TraceParentOfTurnTests {
  private static let header = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

  private func header(_ given: String?, isTraced: Bool) -> String? {
    TraceParent.ofTurn(7, session: "talk", prompt: "p", given: given, isTraced: isTraced)
  }

  @Test func `Servers are asked in the turn's own span, where there are spans`() throws {
    let own = try #require(header(nil, isTraced: true).flatMap(TraceParent.init))
    #expect(own.trace == SpanIdentity.trace(session: "talk", turn: 7, prompt: "p"))
    #expect(own.parent == SpanIdentity.span("turn", in: own.trace, 7))
    let below = try #require(header(Self.header, isTraced: true).flatMap(TraceParent.init))
    #expect(below.trace == TraceID(hex: "0af7651916cd43dd8448eb211c80319c"))
    #expect(below.parent == SpanIdentity.span("turn", in: below.trace, 7))
    #expect(below.flags == 1)
  }

  @Test func `The server of a call is asked in the span of the call`() throws {
    var log = FactLog()
    try log.begin(options: TurnOptions(traceparent: Self.header))
    log.launch("brainstorm", "b", pid: 1)
    try log.call(("1", "clock"), ("2", "git_log"))
    let fact = Int64(log.facts.count)
    for id in ["1", "2"] { try log.output(id) }
    log.add(.ended(.answered, revertingTo: nil))
    let call = try #require(log.spans().named("execute_tool git_log").first)
    let turn = try #require(header(Self.header, isTraced: true))
    let own = TraceParent(TraceParent.ofCall(1, of: fact, turn: turn, isTraced: true))
    #expect(own?.parent == call.id)
    #expect(own?.trace == call.trace)
    #expect(TraceParent.ofCall(1, of: fact, turn: turn, isTraced: false) == turn)
  }

  @Test func `Without spans of its own, a turn passes on what it was given`() {
    #expect(header(Self.header, isTraced: false) == Self.header)
    #expect(header(nil, isTraced: false) == nil)
    // What is no header does not get to a server.
    #expect(header("no\r\nX-Evil: 1", isTraced: false) == nil)
  }
}
