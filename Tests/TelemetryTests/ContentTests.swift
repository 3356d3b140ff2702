import AgentKit
import Foundation
import Journal
import Testing

@testable import Telemetry

struct ContentTests {
  /// What a person, a model and a tool may say, and that no reader may obey.
  private static let hostile = "</script><b>\u{1B}[2J\u{202E}\"\\\n\u{0}" + "é🎉"

  private func log(_ text: String) throws -> FactLog {
    var log = FactLog()
    try log.begin(prompt: text)
    log.launch("brainstorm", "b", pid: 1)
    try log.call(("c", text))
    try log.output("c", text)
    try log.respond(text)
    log.add(.ended(.answered, revertingTo: nil))
    return log
  }

  @Test func `Nothing that was said leaves unless it is asked for`() throws {
    let secret = "a7f3-secret"
    var log = FactLog()
    try log.begin(prompt: secret)
    log.launch("brainstorm", "b", pid: 1)
    try log.call(("c", "tool"))
    try log.output("c", secret)
    try log.respond(secret)
    log.add(.ended(.answered, revertingTo: nil))
    let kept = OTLPTraces(log.spans(), of: []).json
    #expect(!kept.contains(secret))
    #expect(!kept.contains("topic"))
    let asked = OTLPTraces(log.spans(SpanSettings(includesContents: true)), of: []).json
    #expect(asked.contains(secret))
  }

  @Test(arguments: [TurnExit.refused("a7f3-secret"), .failed("a7f3-secret")])
  func `The reason of a failure leaves only with contents`(exit: TurnExit) throws {
    var log = FactLog()
    try log.begin()
    log.launch("brainstorm", "b", pid: 1)
    log.add(.ended(exit, revertingTo: nil))
    let kept = log.spans().compactMap(\.failure)
    #expect(!kept.isEmpty && kept.allSatisfy { $0.reason == $0.kind })
    let asked = log.spans(SpanSettings(includesContents: true)).compactMap(\.failure)
    #expect(asked.allSatisfy { $0.reason == exit.description })
  }

  @Test func `Messages are JSON as the conventions have it`() throws {
    let spans = try log("Where?").spans(SpanSettings(includesContents: true))
    let answer = try #require(spans.last { $0.name.hasPrefix("chat") })
    func messages(_ name: String) throws -> [[String: Any]] {
      let text = try #require(answer[name]?.string)
      let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
      return try #require(object as? [[String: Any]])
    }
    let input = try messages("gen_ai.input.messages")
    #expect(input.compactMap { $0["role"] as? String } == ["user", "assistant", "tool"])
    let output = try messages("gen_ai.output.messages")
    #expect(output.compactMap { $0["finish_reason"] as? String } == ["stop"])
    let call = try #require(spans.first { $0.name.hasPrefix("execute_tool") })
    #expect(call["gen_ai.tool.call.arguments"] == .string(#"{"topic": "rain"}"#))
    #expect(call["gen_ai.tool.call.result"] == .string("Where?"))
  }

  @Test func `Texts are bounded, and stay text and JSON`() throws {
    let text = String(repeating: Self.hostile, count: 40_000)
    let settings = SpanSettings(includesContents: true, valueBytes: 4096)
    let spans = try log(text).spans(settings)
    for span in spans {
      #expect(span.name.utf8.count <= 256)
      for attribute in span.attributes {
        guard let value = attribute.value.string else { continue }
        // A message's escapes make it longer, up to six times.
        #expect(value.utf8.count <= 6 * 4096 + 256, "\(attribute.name)")
        if attribute.name.hasSuffix("messages") {
          #expect(throws: Never.self) {
            try JSONSerialization.jsonObject(with: Data(value.utf8))
          }
        }
      }
    }
    let json = OTLPTraces(spans, of: []).json
    #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(json.utf8)) }
    #expect(spans.reduce(0) { $0 + $1.size } < 200_000)
  }

  @Test(arguments: 0...12)
  func `A bound cuts no character apart`(limit: Int) {
    let text = "aé🎉z"
    let cut = text.bounded(toBytes: limit)
    #expect(cut == text || cut.utf8.count <= max(limit, 3))
    #expect(text.hasPrefix(cut.replacing("…", with: "")))
  }
}
