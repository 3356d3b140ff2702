import Testing

@Suite(.timeLimit(.minutes(10)))
struct `What the macros write` {
  @Test(arguments: [[], ["-default-isolation", "MainActor"]])
  func `compiles without a warning, whatever the module's isolation`(
    isolation: [String]
  ) async throws {
    let source = """
      @Generable struct S {
        @Guide(description: "A word", .anyOf(["a"])) var word: String
        var note: String?
        var kind: Kind
        var choice: Choice
        @Generable enum Kind { case a, b }
        @Generable enum Choice { case text(String), none }
      }
      @Generable struct Errand {
        let id: GenerationID
        var owner: ID
        var parts: [Self]
        @Generable enum ID { case ann, ben }
      }
      extension SessionPropertyValues {
        @SessionPropertyEntry var notes: [String] = []
        @SessionPropertyEntry var count = 0
      }
      nonisolated func read<T: Generable>(_ type: T.Type, _ text: String) throws -> T {
        try T(GeneratedContent(json: text))
      }
      nonisolated func use() throws -> GeneratedContent {
        _ = try read(Errand.self, "{}").id
        return try read(S.self, "{}").generatedContent
      }
      """
    let output = try await SwiftCompiler.complaints(
      about: source,
      flags: isolation + ["-warnings-as-errors", "-enable-upcoming-feature", "ExistentialAny"]
    )
    #expect(output == "")
  }
}
