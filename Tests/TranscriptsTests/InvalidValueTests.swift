import Foundation
import Testing
import Transcripts

@Suite struct `Validation of numbers` {
  @Test func `caps milliseconds at the maximum integer`() {
    #expect(1.5.wholeMilliseconds == 1500)
    for seconds in [1e300, .infinity, .nan] as [Double] {
      #expect(seconds.wholeMilliseconds == .max)
    }
  }

  @Test func `names the number that is out of range`() throws {
    try ValueLimits.validate(counts: (0, "tokens"), (ValueLimits.count, "window"))
    #expect(throws: InvalidValue("window: \(Int.max)")) {
      try ValueLimits.validate(counts: (1, "tokens"), (.max, "window"))
    }
    try ValueLimits.validate(seconds: 0, 1e9)
    #expect(throws: InvalidValue("seconds: 1e+300")) {
      try ValueLimits.validate(seconds: 0, 1e300)
    }
  }

  @Test(
    arguments: [
      (#"[{"kept":{"from":0,"count":3}}]"#, nil),
      (#"[{"kept":{"from":0,"count":2}},{"kept":{"from":0,"count":2}}]"#, "4 entries kept of 3"),
      (#"[{"kept":{"from":-1,"count":1}}]"#, "place: -1"),
      (#"[{"kept":{"from":0,"count":\#(Int.max)}}]"#, "entries: \(Int.max)"),
    ] as [(String, String?)]
  )
  func `refuses an edit that keeps more than its history had`(
    pieces: String,
    problem: String?
  ) throws {
    let json = #"{"count":3,"pieces":\#(pieces)}"#
    let edit = try JSONDecoder().decode(HistoryEdit.self, from: Data(json.utf8))
    if let problem {
      #expect(throws: InvalidValue(problem)) { try edit.validate() }
    } else {
      try edit.validate()
    }
  }
}
