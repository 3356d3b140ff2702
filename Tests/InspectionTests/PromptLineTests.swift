import Coordination
import Foundation
import Testing

@testable import Inspection

/// The format that other programs read.
@Suite struct `A line of the answer to a prompt` {
  private static let lines: [(PromptLine, text: String)] = [
    (.tick, #"{"event":"tick"}"#), (.refused("no"), #"{"event":"refused","reason":"no"}"#),
    (.event(.trouble("it is late")), #"{"event":"trouble","reason":"it is late"}"#),
    (
      .refused("no", status: 413), #"{"event":"refused","reason":"no","status":413}"#
    ),
    (
      .event(.accepted(turn: 1, conversation: "api")),
      #"{"event":"accepted","session":"api","turn":1}"#
    ),
  ]

  @Test func `is one object that says what it is, and reads back the same`() throws {
    for (line, text) in Self.lines {
      let data = try ControlJSON.encode(line)
      #expect(String(decoding: data, as: UTF8.self) == text)
      let read: PromptLine = try ControlJSON.decode(data)
      #expect(read == line)
    }
  }

  @Test(arguments: [#"{}"#, #"{"event":"unheard of"}"#, #"{"event":"refused"}"#])
  func `is refused when it is none`(text: String) {
    #expect(throws: DecodingError.self) {
      let _: PromptLine = try ControlJSON.decode(Data(text.utf8))
    }
  }
}
