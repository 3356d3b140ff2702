import Testing

/// An invalid profile must not compile, and the compiler must say why in the author's terms.
@Suite(.serialized, .timeLimit(.minutes(20)))
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

  @Test(arguments: body)
  func `is refused with a message`(refusal: Refusal) async throws {
    let source = """
      struct P: LanguageModelSession.DynamicProfile {
      let late = true, busy = true
      var body: some DynamicProfile {
      \(refusal.source)
      }
      }
      """
    let output = try await SwiftCompiler.complaints(about: source)
    #expect(output.contains("error: "), "\(output)")
    #expect(output.contains(refusal.complaint), "\(output)")
  }

  @Test(arguments: ["if late { Profile {} } else { Profile {} }", "Profile {}"])
  func `compiles when it is mended`(source: String) async throws {
    let output = try await SwiftCompiler.complaints(
      about: """
        struct P: LanguageModelSession.DynamicProfile {
        let late = true, busy = true
        var body: some DynamicProfile {
        \(source)
        }
        }
        """
    )
    #expect(output == "")
  }
}
