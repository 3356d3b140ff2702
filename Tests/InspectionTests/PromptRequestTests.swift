import Coordination
import Foundation
import Testing

@testable import Inspection

@Suite struct `A prompt that somebody sends` {
  @Test func `brings the caps that it gives, and no others`() throws {
    let text = #"{"session": "api", "prompt": "How do I fold a boat?", "caps": {"rounds": 4}}"#
    let request: PromptRequest = try ControlJSON.decode(Data(text.utf8))
    let held = try GivenCaps("rounds=2,tokens=500,policy=fail").over(Caps())
    var expected = held
    expected.rounds = 4
    #expect(request.caps?.over(held) == expected)
    // Its own client says no more.
    let own = PromptRequest(session: "s", prompt: "p", caps: try GivenCaps("rounds=4"))
    let sent = String(decoding: try ControlJSON.encode(own), as: UTF8.self)
    #expect(sent == #"{"caps":{"rounds":4},"prompt":"p","session":"s"}"#)
  }

  @Test(arguments: [
    #"{"rounds": 0}"#, #"{"tokens": 9223372036854775807}"#, #"{"seconds": "many"}"#,
    #"{"policy": "maybe"}"#,
  ])
  func `is refused with caps that cannot be`(caps: String) {
    let text = #"{"session": "api", "prompt": "Hello", "caps": \#(caps)}"#
    #expect(throws: (any Error).self) {
      let _: PromptRequest = try ControlJSON.decode(Data(text.utf8))
    }
  }
}
