import Foundation
import Testing
import Transcripts

@Suite struct `A number that comes from elsewhere` {
  @Test func `is made milliseconds of without an end`() {
    #expect(1.5.wholeMilliseconds == 1500)
    for seconds in [1e300, .infinity, .nan] as [Double] {
      #expect(seconds.wholeMilliseconds == .max)
    }
  }

  @Test func `is counted with when it is plausible, and is named otherwise`() {
    #expect(Plausible.counts((0, "tokens"), (Plausible.maximumCount, "window")) == nil)
    #expect(Plausible.counts((1, "tokens"), (.max, "window")) == "window: \(Int.max)")
    #expect(Plausible.seconds(0, 1e9) == nil)
    #expect(Plausible.seconds(0, 1e300) == "seconds: 1e+300")
  }

  @Test(
    arguments: [
      (#"[{"kept":{"from":0,"count":3}}]"#, nil),
      (#"[{"kept":{"from":0,"count":2}},{"kept":{"from":0,"count":2}}]"#, "4 entries kept of 3"),
      (#"[{"kept":{"from":-1,"count":1}}]"#, "place: -1"),
      (#"[{"kept":{"from":0,"count":\#(Int.max)}}]"#, "entries: \(Int.max)"),
    ] as [(String, String?)]
  )
  func `is no more in an edit than there was in its history`(
    pieces: String,
    problem: String?
  ) throws {
    let json = #"{"count":3,"pieces":\#(pieces)}"#
    let edit = try JSONDecoder().decode(HistoryEdit.self, from: Data(json.utf8))
    #expect(edit.implausibility == problem)
  }
}
