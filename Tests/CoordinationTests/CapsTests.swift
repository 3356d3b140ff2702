import Foundation
import Testing

@testable import Coordination

struct CapsTests {
  @Test func `Every cap can be set, and the others stay`() throws {
    let first = try GivenCaps("rounds=4,tokens=2000,policy=fail").over(Caps())
    let caps = try GivenCaps("Calls=5,seconds=6,depth=0,fanout=0,repeats=2").over(first)
    var expected = Caps()
    expected.rounds = 4
    expected.calls = 5
    expected.tokens = 2000
    expected.seconds = 6
    expected.depth = 0
    expected.fanOut = 0
    expected.repeats = 2
    expected.policy = .fail
    #expect(caps == expected)
  }

  @Test func `Every name that is explained can be set`() throws {
    for name in Caps.names {
      let caps = try GivenCaps("\(name)=\(name == "policy" ? "fail" : "7")").over(Caps())
      #expect(caps != Caps(), "\(name)")
    }
  }

  @Test func `No text sets nothing`() throws {
    #expect(try GivenCaps("").over(Caps()) == Caps())
  }

  @Test(arguments: [
    ("round=4", Caps.Fault.unknown(name: "round")),
    ("rounds=0", .notPositive(name: "rounds", value: 0)),
    ("calls=-1", .notPositive(name: "calls", value: -1)),
    ("depth=-1", .notPositive(name: "depth", value: -1)),
    ("tokens=many", .notANumber(name: "tokens", value: "many")),
    ("tokens=1.5", .notANumber(name: "tokens", value: "1.5")),
    ("seconds=99999999999999999999", .notANumber(name: "seconds", value: "99999999999999999999")),
    ("seconds=9223372036854775807", .tooLarge(name: "seconds", value: .max)),
    ("rounds", .noValue("rounds")),
    ("rounds=", .noValue("rounds=")),
    (",", .noValue(",")),
    ("rounds=2,", .noValue("rounds=2,")),
    ("rounds=2,Rounds=3", .twice(name: "rounds")),
    ("policy=fail,rounds=2,policy=fail", .twice(name: "policy")),
    ("policy=maybe", .unknownPolicy("maybe")),
  ])
  func `A text with a fault says which`(text: String, fault: Caps.Fault) {
    #expect(throws: fault) { try GivenCaps(text) }
    #expect(fault.description.hasSuffix("."))
  }

  @Test(arguments: ["1.5", "99999999999999999999"])
  func `A number that is no cap is not said to be none`(value: String) {
    let fault = Caps.Fault.notANumber(name: "seconds", value: value)
    let words = "must be a whole number up to \(Caps.maximum), not '\(value)'."
    #expect(fault.description.hasSuffix(words))
  }

  @Test func `Caps that are given leave the others as they hold`() throws {
    let held = try GivenCaps("rounds=2,tokens=500,fanout=1,policy=fail").over(Caps())
    let given = try GivenCaps("rounds=16,depth=0")
    var expected = held
    expected.rounds = 16
    expected.depth = 0
    #expect(given.over(held) == expected)
    #expect(try GivenCaps("").over(held) == held)
    // JSON keeps given values, including those that equal the defaults.
    let sent = try JSONEncoder().encode(given)
    #expect(try JSONDecoder().decode(GivenCaps.self, from: sent) == given)
    let text = String(decoding: sent, as: UTF8.self)
    #expect(text.contains(#""rounds":16"#))
    #expect(!text.contains("tokens"))
  }

  @Test func `Every cap can be given, as a text and as JSON`() throws {
    let given = try GivenCaps(
      "rounds=1,calls=2,tokens=3,seconds=4,depth=5,fanout=6,repeats=7,approval=8,policy=fail"
    )
    var expected = Caps()
    (expected.rounds, expected.calls, expected.tokens) = (1, 2, 3)
    (expected.seconds, expected.depth, expected.fanOut) = (4, 5, 6)
    (expected.repeats, expected.approval, expected.policy) = (7, 8, .fail)
    #expect(given.over(Caps()) == expected)
    let whole = try JSONEncoder().encode(expected)
    #expect(try JSONDecoder().decode(GivenCaps.self, from: whole) == given)
  }

  @Test func `Caps that a client sends are checked like those that a person writes`() throws {
    let sent = try JSONEncoder().encode(Caps())
    #expect(try JSONDecoder().decode(Caps.self, from: sent) == Caps())
    // Caps that are left out take their default values.
    var few = Caps()
    few.rounds = 4
    #expect(try JSONDecoder().decode(Caps.self, from: Data(#"{"rounds": 4}"#.utf8)) == few)
    let text = String(decoding: sent, as: UTF8.self)
    for wrong in ["-5", "0", "9223372036854775807"] {
      let changed = text.replacing(#""seconds":300"#, with: #""seconds":\#(wrong)"#)
      #expect(changed != text)
      #expect(throws: Caps.Fault.self) {
        try JSONDecoder().decode(Caps.self, from: Data(changed.utf8))
      }
    }
  }

  @Test func `Caps that were journaled are read by their names; others are ignored`() throws {
    let expected = try GivenCaps("rounds=2,fanout=0").over(Caps())
    let text = #"{"fanout": 0, "rounds": 2, "breadth": 7}"#
    #expect(try JSONDecoder().decode(Caps.self, from: Data(text.utf8)) == expected)
    #expect(Caps(journaled: expected.journaled) == expected)
  }
}
