import Foundation
import Testing
import Transcripts

@testable import Coordinator
@testable import Doors

@Suite struct `A transcript as Markdown` {
  private func tree(
    _ turns: [TranscriptTree.Turn],
    imported: [Transcript.Entry] = []
  ) throws -> TranscriptTree {
    let json = String(decoding: try ServiceJSON.encode(turns), as: UTF8.self)
    let before = String(decoding: try ServiceJSON.encode(imported), as: UTF8.self)
    return try ServiceJSON.decode(
      Data(
        #"{"name":"talk","agent":"clerk","pids":[],"hosts":[],"imported":\#(before),"turns":\#(json)}"#
          .utf8
      )
    )
  }

  private func text(_ text: String) -> [Transcript.Segment] {
    [.text(Transcript.TextSegment(content: text))]
  }

  @Test func `begins with what was imported, as far as there is room`() throws {
    let turn = TranscriptTree.Turn(1, [.init(.prompt(.init(segments: text("hello"))))])
    let imported: [Transcript.Entry] = [
      .prompt(.init(segments: text("earlier"))),
      .response(.init(assetIDs: [], segments: text("indeed"))),
    ]
    let markdown = TranscriptMarkdown(try tree([turn], imported: imported))
    #expect(
      markdown.text.contains(
        "## Imported\n\n### Person\n\nearlier\n\n### assistant\n\nindeed\n\n## Turn 1"
      )
    )
    let short = markdown.text(atMost: 60)
    #expect(short.contains("## Imported\n\n*2 entries are left out"))
    #expect(short.contains("hello"))
  }

  @Test func `shows who said what, and a friend's words as a quotation`() throws {
    let friend = try tree([
      TranscriptTree.Turn(1, [.init(.response(.init(assetIDs: [], segments: text("yes"))))])
    ])
    let call = Transcript.ToolCall(
      id: "c",
      toolName: "ask",
      arguments: GeneratedContent(properties: ["n": 1])
    )
    let markdown = TranscriptMarkdown(
      try tree([
        TranscriptTree.Turn(
          1,
          [
            .init(.prompt(.init(segments: text("hello")))),
            .init(.toolCalls(.init([call])), friends: ["c": [friend]]),
            .init(.toolOutput(.init(id: "c", toolName: "ask", segments: text("a ```` b")))),
            .init(.response(.init(assetIDs: [], segments: text("done")))),
          ]
        )
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
      TranscriptTree.Turn(1, [.init(.prompt(.init(segments: text("prompt \(number)"))))])
    }
    let all = TranscriptMarkdown(try tree(turns))
    let one = all.text(atMost: 60)
    #expect(one.contains("*2 earlier turns are left out"))
    #expect(one.contains("## Turn 3") && one.contains("prompt 3") && !one.contains("prompt 2"))
    #expect(!all.text.contains("left out"))
  }
}
