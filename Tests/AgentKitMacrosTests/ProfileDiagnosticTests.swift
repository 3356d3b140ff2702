import Testing

/// An invalid profile must not compile, and the compiler must say why in the author's terms.
@Suite(.timeLimit(.minutes(20)))
struct `A profile that cannot be one` {
  private static let single =
    "The body of a 'DynamicProfile' must evaluate to a single active profile"

  private static let body = [
    Refusal(
      """
      if late { Profile {} }
      if busy { Profile {} }
      """,
      single
    ),
    Refusal("if late { Profile {} }", line: 5, single + "; add 'else'"),
    Refusal(
      """
      Profile { Instructions("One.") }
      Profile { Instructions("Two.") }
      """,
      single
    ),
    Refusal(
      #"Profile { "You are brief." }"#,
      line: 5,
      "Write 'Instructions(\"…\")' around a text"
    ),
    Refusal(
      #"Profile { Instructions("One."); 42 }"#,
      line: 5,
      "A profile is made of instructions, tools and dynamic instructions"
    ),
  ]

  /// Puts statements in the body of a profile.
  private static func profile(_ refusal: Refusal) -> Refusal {
    Refusal(
      """
      struct P: LanguageModelSession.DynamicProfile {
      let late = true, busy = true
      var body: some DynamicProfile {
      \(refusal.source)
      }
      }
      """,
      line: refusal.line,
      refusal.complaint
    )
  }

  @Test func `is refused with a message`() async throws {
    for (refusal, output) in try await Refusal.complaints(about: Self.body.map(Self.profile)) {
      #expect(output.contains("error: "), "\(refusal.source)")
      #expect(output.contains(refusal.complaint), "\(output)")
    }
  }

  @Test func `compiles when it is mended`() async throws {
    let mended = ["if late { Profile {} } else { Profile {} }", "Profile {}"].map {
      Self.profile(Refusal($0, ""))
    }
    for (_, output) in try await Refusal.complaints(about: mended) { #expect(output == "") }
  }
}
