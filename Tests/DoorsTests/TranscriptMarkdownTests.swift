import Foundation
import Testing
import Transcripts

@testable import Coordinator
@testable import Doors

@Suite struct `A transcript as Markdown` {
  private func tree(_ turns: [TranscriptTree.Turn]) throws -> TranscriptTree {
    let json = String(decoding: try ServiceJSON.encode(turns), as: UTF8.self)
    return try ServiceJSON.decode(
      Data(#"{"name":"talk","agent":"clerk","pids":[],"imported":[],"turns":\#(json)}"#.utf8)
    )
  }

  private func entry(
    _ entry: Transcript.Entry,
    friends: [String: [TranscriptTree]] = [:],
    batons: [String: String] = [:]
  ) -> TranscriptTree.Entry {
    TranscriptTree.Entry(
      agent: "clerk",
      run: nil,
      entry: entry,
      friends: friends,
      batons: batons,
      approvals: [:],
      written: [],
      deaths: [],
      request: nil
    )
  }

  private func turn(_ entries: [TranscriptTree.Entry]) -> TranscriptTree.Turn {
    TranscriptTree.Turn(
      turn: 1,
      started: Date(timeIntervalSince1970: 0),
      exit: "answered",
      isReverted: false,
      isUnderWay: false,
      substitutions: [],
      entries: entries,
      earlyOutputs: [],
      total: TokenTotal(sum: []),
      ofFriends: TokenTotal(sum: [])
    )
  }

  private func text(_ text: String) -> [Transcript.Segment] {
    [.text(Transcript.TextSegment(content: text))]
  }

  @Test func `shows who said what, and a friend's words as a quotation`() throws {
    let friend = try tree([turn([entry(.response(.init(assetIDs: [], segments: text("yes"))))])])
    let call = Transcript.ToolCall(
      id: "c",
      toolName: "ask",
      arguments: GeneratedContent(properties: ["n": 1])
    )
    let markdown = TranscriptMarkdown(
      try tree([
        turn([
          entry(.prompt(.init(segments: text("hello")))),
          entry(.toolCalls(.init([call])), friends: ["c": [friend]]),
          entry(.toolOutput(.init(id: "c", toolName: "ask", segments: text("a ```` b")))),
          entry(.response(.init(assetIDs: [], segments: text("done")))),
        ])
      ])
    )
    #expect(
      markdown.text == """
        # Session talk

        clerk holds the baton.

        ## Turn 1

        ### Person

        hello

        ### clerk calls ask

        ```json
        {"n": 1}
        ```

        > *the friend clerk is asked*
        > 
        > ### clerk
        > 
        > yes

        ### ask returns

        `````
        a ```` b
        `````

        ### clerk

        done

        *answered*

        """
    )
  }

  @Test func `leaves out the earliest turns of a long session, and says how many`() throws {
    let turns = (1...3).map { number in
      turn([entry(.prompt(.init(segments: text("prompt \(number)"))))])
    }
    let all = TranscriptMarkdown(try tree(turns))
    let one = all.text(atMost: 60)
    #expect(one.contains("*2 earlier turns are left out"))
    #expect(one.contains("## Turn 3") && one.contains("prompt 3") && !one.contains("prompt 2"))
    #expect(!all.text.contains("left out"))
  }
}
