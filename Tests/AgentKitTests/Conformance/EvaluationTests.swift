import AgentKit
import Testing

/// Apple's behavior: when bodies are evaluated, and how their results are used.
@Suite(.timeLimit(.minutes(5)))
struct `The evaluation of bodies` {
  private let requests = Requests()

  @Test func `bodies are resolved before every request, also within one answer`() async throws {
    let session = LanguageModelSession(
      profile: CountingProfile(
        model: requests.model(.call("plain"), .call("plain"), .text("Done."))
      )
    )
    try await session.respond(to: "Go")
    #expect(requests.instructions == ["0 calls.", "1 calls.", "2 calls."])
  }

  @Test func `the state that a tool has changed decides the next request's tools`() async throws {
    let session = LanguageModelSession(
      profile: OpeningProfile(model: requests.model(.call("open"), .call("enter"), .text("In.")))
    )
    try await session.respond(to: "Go")
    #expect(requests.tools == [["open"], ["open", "enter"], ["open", "enter"]])
  }

  @Test func `entry zero is replaced at each resolution, and a switch leaves no other trace`()
    async throws
  {
    let desk = GardenDesk(
      .dreaming,
      far: requests.model(.text("One.")),
      near: Requests().model(.text("Two."))
    )
    let session = LanguageModelSession(profile: TwoHats(desk: desk))
    try await session.respond(to: "First")
    desk.phase = .tending
    try await session.respond(to: "Second")
    #expect(
      session.transcript.outline == [
        "instructions: Near.", "prompt: First", "response: One.", "prompt: Second",
        "response: Two.",
      ]
    )
  }

  @Test func `tools that nested instructions bring twice are defined once`() async throws {
    let profile = LanguageModelSession.Profile {
      Plain()
      Plain()
    }
    .model(requests.model(.text("Yes.")))
    try await LanguageModelSession(profile: profile).respond(to: "Go")
    #expect(requests.tools == [["plain"]])
  }
}

extension SessionPropertyValues {
  @SessionPropertyEntry fileprivate var callCount: Int = 0
  @SessionPropertyEntry fileprivate var isOpen: Bool = false
}

private struct CountingProfile: LanguageModelSession.DynamicProfile {
  @SessionProperty(\.callCount) var callCount
  let model: ScriptedLanguageModel

  var body: some DynamicProfile {
    Profile {
      Instructions("\(callCount) calls.")
      Plain()
    }
    .onToolCall { callCount += 1 }
    .model(model)
  }
}

private struct OpeningProfile: LanguageModelSession.DynamicProfile {
  @SessionProperty(\.isOpen) var isOpen
  let model: ScriptedLanguageModel

  var body: some DynamicProfile {
    Profile {
      Opening()
      if isOpen { Plain(name: "enter") }
    }
    .model(model)
  }

  struct Opening: Tool {
    @SessionProperty(\.isOpen) var isOpen
    let name = "open"
    let description = "Opens."

    func call(arguments: Plain.Arguments) -> String {
      isOpen = true
      return "open"
    }
  }
}

private struct TwoHats: LanguageModelSession.DynamicProfile {
  let desk: GardenDesk

  var body: some DynamicProfile {
    if desk.phase == .tending {
      Profile { Instructions("Near.") }.model(desk.nearModel)
    } else {
      Profile { Instructions("Far.") }.model(desk.farModel)
    }
  }
}
