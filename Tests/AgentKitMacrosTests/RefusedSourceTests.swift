import Testing

/// Code that FoundationModels 27.1 does not compile does not compile here either, and says why.
@Suite(.timeLimit(.minutes(10)))
struct `What must not compile` {
  @Test func `is refused with a message`() async throws {
    let profiles = bodies.map { body in
      Refusal(
        """
        struct P: LanguageModelSession.DynamicProfile {
          @SessionProperty(\\.history) var history
          var body: some DynamicProfile {
            \(body.source)
          }
        }
        """,
        body.complaint
      )
    }
    for (refusal, output) in try await Refusal.complaints(about: refused + profiles) {
      #expect(output.contains("error: "), "\(refusal.source)")
      #expect(output.contains(refusal.complaint), "\(output)")
    }
  }

  @Test func `is refused where an object of a profile would be used from two places`() async throws
  {
    let output = try await SwiftCompiler.complaints(
      about: """
        final class Counter { var count = 0 }
        struct P: LanguageModelSession.DynamicProfile {
          let counter: Counter
          var body: some DynamicProfile { Profile {}.onPrompt { counter.count += 1 } }
        }
        func f() async throws {
          let counter = Counter()
          let session = LanguageModelSession(profile: P(counter: counter))
          async let answer = session.respond(to: "Hi")
          counter.count += 1
          _ = try await answer
        }
        """,
      findingRaces: true
    )
    #expect(output.contains("risks causing data races"), "\(output)")
  }

  @Test func `compiles with a warning where a name is old`() async throws {
    let output = try await SwiftCompiler.complaints(
      about: "let options = GenerationOptions(sampling: .greedy)"
    )
    #expect(!output.contains("error: "), "\(output)")
    #expect(output.contains("is deprecated"), "\(output)")
  }
}

private let refused: [Refusal] = [
  Refusal(
    "func f(_ history: Transcript.HistoryView) -> Transcript.Entry { history[0] }",
    "cannot convert value of type 'Int' to expected argument type 'Transcript.HistoryView.Index'"
  ),
  Refusal(
    "func f(_ history: inout Transcript.HistoryView) { history = Array(history.suffix(50)) }",
    "to type 'Transcript.HistoryView'"
  ),
  Refusal(
    "func f(_ session: LanguageModelSession) -> Int { session.history.count }",
    "value of type 'LanguageModelSession' has no member 'history'"
  ),
  Refusal(
    "let values = SessionPropertyValues()",
    "initializer is inaccessible due to 'internal' protection level"
  ),
  Refusal(
    """
    struct T: Tool {
      let description = "Takes a text."
      func call(arguments: String) -> String { arguments }
    }
    """,
    "Use a '@Generable' struct for the arguments of a tool"
  ),
  Refusal(
    """
    struct T: Tool {
      let description = "Takes a number."
      func call(arguments: Double) -> String { String(arguments) }
    }
    """,
    "Use a '@Generable' struct for the arguments of a tool"
  ),
  Refusal(
    """
    struct I: DynamicInstructions {
      var body: some DynamicInstructions {
        for name in ["a", "b"] { Instructions(name) }
      }
    }
    """,
    "cannot be used with result builder 'DynamicInstructionsBuilder'"
  ),
]

private let bodies: [Refusal] = [
  Refusal(
    "Profile(model: SystemLanguageModel.default) { Instructions(\"Hi.\") }",
    "extra trailing closure passed in call"
  ),
  Refusal(
    "Profile {}.onActivate { throw CancellationError() }",
    "invalid conversion from throwing function"
  ),
  Refusal("Profile {}.contextOptions(ContextOptions())", "has no member 'contextOptions'"),
  Refusal("Profile {}.tools([])", "has no member 'tools'"),
  Refusal(
    "Profile {}.historyTransform { history in await Task.yield(); return history }",
    "async"
  ),
]
