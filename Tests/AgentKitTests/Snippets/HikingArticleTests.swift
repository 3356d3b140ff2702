import AgentKit
import Testing

/// The examples of the article about a hiking companion, adapted to a museum.
@Suite(.timeLimit(.minutes(5)))
struct `The hiking article` {
  private let far = Requests()
  private let near = Requests()

  @Test func `changes hats between prompts, and keeps the conversation`() async throws {
    let visit = visit(far: [.text("Vases."), .text("A tour.")], near: [.text("Left.")])
    let session = LanguageModelSession(profile: VisitProfile(visit: visit))
    for (stop, prompt) in [
      (Visit.Stop.choosing, "Something old"), (.touring, "A tour"), (.asking, "Where is it?"),
    ] {
      visit.stop = stop
      try await session.respond(to: prompt)
    }
    #expect(far.instructions == ["You suggest rooms.", "You plan tours."])
    #expect(far.all.map(\.generationOptions.temperature) == [1, nil])
    #expect(far.all.map(\.contextOptions.reasoningLevel) == [nil, .deep])
    #expect(near.all.map(\.outline) == [["response: A tour.", "prompt: Where is it?"]])
    #expect(
      session.transcript.outline == [
        "instructions: You answer questions.", "prompt: Something old", "response: Vases.",
        "prompt: A tour", "response: A tour.", "prompt: Where is it?", "response: Left.",
      ]
    )
  }

  @Test func `hands over in the middle of an answer when the model asks for it`() async throws {
    let visit = visit(
      far: [.call("note_a_room"), .call("pass_baton"), .text("Five rooms in two hours.")]
    )
    let session = LanguageModelSession(profile: VisitProfile(visit: visit))
    let response = try await session.respond(to: "Make it a tour")
    #expect(response.content == "Five rooms in two hours.")
    // The profile's other tool did not hand over.
    #expect(
      far.instructions == ["You suggest rooms.", "You suggest rooms.", "You plan tours."]
    )
    #expect(
      response.transcriptEntries.map(\.outline) == [
        "calls: note_a_room{}", "output: note_a_room done", "calls: pass_baton{}",
        "output: pass_baton done", "response: Five rooms in two hours.",
      ]
    )
  }

  @Test func `keeps the records of tools for a small model, and loses nothing`() async throws {
    let visit = visit(far: [.text("Yes.")], near: [.text("Left.")])
    let history: [Transcript.Entry] = [
      .said("A tour"), .called("note_a_room"), .returned("Room 5.", by: "note_a_room"),
      .answered("Room 5 first."), .said("And lunch?"), .answered("At noon."),
    ]
    let session = LanguageModelSession(profile: VisitProfile(visit: visit), history: history)
    visit.stop = .asking
    try await session.respond(to: "Where is room 5?")
    #expect(
      near.all.map(\.outline) == [
        [
          "calls: note_a_room{}", "output: Room 5.", "response: At noon.",
          "prompt: Where is room 5?",
        ]
      ]
    )
    // Back in the other mode, everything is still there.
    visit.stop = .choosing
    try await session.respond(to: "Go on")
    #expect(far.all[0].transcript.count == history.count + 4)
  }

  @Test func `summarizes and drops when the history is long`() async throws {
    let history = (1...50).flatMap { [Transcript.Entry.said("\($0)?"), .answered("\($0).")] }
    let session = LanguageModelSession(
      profile: ShorteningProfile(model: near.model(.text("One."), .text("Two."))),
      history: history
    )
    try await session.respond(to: "And now?")
    #expect(session.properties.visitSummary == "49 entries")
    #expect(session.transcript.history.first?.outline == "response: 25.")
    try await session.respond(to: "And then?")
    #expect(near.instructions.last == "You plan tours.\nSo far: 49 entries")
  }

  private func visit(
    far: [ScriptedLanguageModel.Step] = [],
    near: [ScriptedLanguageModel.Step] = []
  ) -> Visit {
    Visit(far: self.far.model(steps: far), near: self.near.model(steps: near))
  }
}

private struct RoomScout: DynamicInstructions {
  var body: some DynamicInstructions {
    Instructions("You suggest rooms.")
    Plain(name: "note_a_room")
  }
}

private struct VisitProfile: LanguageModelSession.DynamicProfile {
  var visit: Visit

  var body: some DynamicProfile {
    switch visit.stop {
    case .choosing:
      Profile {
        RoomScout()
        Plain(name: "pass_baton")
      }
      .onToolCall { toolCall in
        if toolCall.toolName == "pass_baton" { visit.stop = .touring }
      }
      .model(visit.farModel)
      .temperature(1)
    case .touring:
      Profile {
        Instructions("You plan tours.")
        Plain(name: "pass_baton")
      }
      .onToolCall { toolCall in
        if toolCall.toolName == "pass_baton" { visit.stop = .choosing }
      }
      .model(visit.farModel)
      .reasoningLevel(.deep)
    case .asking:
      Profile { Instructions("You answer questions.") }
        .model(visit.nearModel)
        .keepingRecords()
    }
  }
}

private struct KeepingRecords: LanguageModelSession.DynamicProfileModifier {
  func body(content: Content) -> some DynamicProfile {
    content.historyTransform { history in
      guard history.count > 2, let latest = latestResponse(in: history) else {
        return Array(history)
      }
      let records = history[..<latest].filter(isOfTools)
      return Array(records) + Array(history[latest...])
    }
  }
}

extension LanguageModelSession.DynamicProfile {
  fileprivate func keepingRecords() -> some DynamicProfile {
    modifier(KeepingRecords())
  }
}

private func latestResponse(in history: [Transcript.Entry]) -> Int? {
  history.lastIndex { if case .response = $0 { true } else { false } }
}

private func isOfTools(_ entry: Transcript.Entry) -> Bool {
  switch entry {
  case .toolCalls, .toolOutput: true
  default: false
  }
}

extension SessionPropertyValues {
  @SessionPropertyEntry var visitSummary: String? = nil
}

private struct ShorteningProfile: LanguageModelSession.DynamicProfile {
  @SessionProperty(\.history) var history
  @SessionProperty(\.visitSummary) var summary
  var model: ScriptedLanguageModel

  var body: some DynamicProfile {
    Profile {
      Instructions("You plan tours.")
      if let summary {
        Instructions { "So far: \(summary)" }
      }
    }
    .onResponse {
      if history.count > 100, let cut = lastAnswer(in: history.prefix(50)) {
        summary = try await summarize(history[..<cut])
        history = history[cut...]
      }
    }
    .model(model)
  }

  private func lastAnswer(in history: Transcript.HistoryView) -> Transcript.HistoryView.Index? {
    history.lastIndex { if case .response = $0 { true } else { false } }
  }

  private func summarize(_ entries: some Collection<Transcript.Entry>) async throws -> String {
    "\(entries.count) entries"
  }
}
