import AgentKit
import Foundation
import Testing

/// Apple's behavior: what a reader of a stream sees of an answer.
@Suite(.timeLimit(.minutes(5)))
struct `The stream of an answer` {
  @Test func `the last element is what is collected, also of an answer with an attachment`()
    async throws
  {
    let model = DirectModel { channel in
      await channel.send("Before")
      let image = Transcript.ImageAttachment(imageData: Data([1, 2, 3]))
      await channel.send(.response(action: .addAttachmentSegment(.init(content: .image(image)))))
      await channel.send("After")
    }
    let stream = LanguageModelSession(model: model).streamResponse(to: "Draw")
    var last: String?
    for try await snapshot in stream { last = snapshot.content }
    #expect(last == "Before\nAfter")
    #expect(try await stream.collect().content == last)
  }

  @Test func `a structured answer fills its properties as they come`() async throws {
    let model = DirectModel { channel in
      for part in [
        #"{"title": "A st"#, #"ay", "guests": [{"name": "An"#, #"n"}, {"na"#, #"me": "B"}], "#,
      ] {
        await channel.send(part)
      }
      await channel.send(#""mood": "ca"#)
      await channel.send(#"lm"}"#)
    }
    let stream = LanguageModelSession(model: model).streamResponse(to: "Go", generating: Stay.self)
    var seen: [String] = []
    var ids: Set<GenerationID> = []
    var guestIDs: Set<GenerationID> = []
    for try await snapshot in stream {
      let stay = snapshot.content
      ids.insert(stay.id)
      if let guest = stay.guests?.first { guestIDs.insert(guest.id) }
      let guests = stay.guests?.map { $0.name ?? "…" }.joined(separator: " ")
      let mood = stay.mood.map { "\($0)" }
      seen.append([stay.title, guests, mood].map { $0 ?? "-" }.joined(separator: ", "))
    }
    #expect(
      seen == [
        "A st, -, -", "A stay, An, -", "A stay, Ann …, -", "A stay, Ann B, -",
        "A stay, Ann B, -", "A stay, Ann B, calm",
      ]
    )
    // Views track the answer and its parts from snapshot to snapshot.
    #expect(ids.count == 1)
    #expect(guestIDs.count == 1)
  }

  @Test func `the traffic of tools shows in the entries, and usage is the turn's so far`()
    async throws
  {
    let requests = Requests()
    let session = LanguageModelSession(
      model: requests.model(.call("plain"), .text("Done.")),
      tools: [Plain()]
    )
    var outlines: [[String]] = []
    var tokens: [Int] = []
    let stream = session.streamResponse(to: "Go")
    for try await snapshot in stream {
      outlines.append(snapshot.transcriptEntries.map(\.outline))
      tokens.append(snapshot.usage.output.totalTokenCount)
    }
    #expect(outlines.contains(["calls: plain{}"]))
    #expect(outlines.contains(["calls: plain{}", "output: plain done"]))
    #expect(outlines.last == ["calls: plain{}", "output: plain done", "response: Done."])
    #expect(tokens == tokens.sorted())
    #expect(tokens.first == 1)
    #expect(tokens.last == 1 + 1)
    #expect(try await stream.collect().transcriptEntries.map(\.outline) == outlines.last)
  }

  @Test func `a thought shows while it grows, beside an empty answer`() async throws {
    let model = ScriptedLanguageModel(.reasoned("Hm.", text: "Yes."))
    var seen: [String] = []
    var used: [LanguageModelSession.Usage.Output] = []
    for try await snapshot in LanguageModelSession(model: model).streamResponse(to: "Is it?") {
      seen.append("\(snapshot.content)|\(snapshot.transcriptEntries.map(\.outline))")
      used.append(snapshot.usage.output)
    }
    #expect(used.map(\.reasoningTokenCount).allSatisfy { $0 == 1 })
    #expect(used.first?.totalTokenCount == 1)
    #expect(used.last?.totalTokenCount == 2)
    #expect(seen.first == #"|["reasoning: Hm."]"#)
    #expect(seen.last == #"Yes.|["reasoning: Hm.", "response: Yes."]"#)
  }

  @Test func `a runtime schema streams too`() async throws {
    let stay = #"{"title": "A", "guests": [], "mood": "calm"}"#
    let session = LanguageModelSession(model: ScriptedLanguageModel(.text(stay)))
    var seen: [String] = []
    for try await snapshot in session.streamResponse(to: "Go", schema: Stay.generationSchema) {
      seen.append(snapshot.content.jsonString)
    }
    #expect(seen.count == 2)
    #expect(seen.last == stay)
  }
}

@Generable
private struct Stay {
  var title: String
  var guests: [Guest]
  var mood: Mood

  @Generable
  struct Guest {
    var name: String
  }

  @Generable
  enum Mood { case calm, festive }
}
