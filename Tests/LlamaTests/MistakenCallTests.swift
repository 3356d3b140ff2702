import AgentKit
import Llama
import Testing

/// Calls whose arguments are no object, as another model may have made them.
@Suite(
  .timeLimit(.minutes(5)),
  .enabled(if: Family.folder != nil, "deploy/libllama installs the templates")
)
struct MistakenCallTests {
  @Test(
    arguments: ["Qwen3-Coder", "GLM-4.6", "MiniMax-M2", "Qwen-Qwen2.5-7B-Instruct"],
    [#""city=Oslo""#, "[1]", "7"]
  )
  func `A conversation goes on after one, whatever the template does with arguments`(
    name: String,
    arguments: String
  ) throws {
    let family = try #require(Family.all.first { $0.name == name })
    let content = try GeneratedContent(json: arguments)
    let output = Transcript.Segment.text(.init(content: "These are no arguments."))
    let round: [Transcript.Entry] = [
      .toolCalls(.init([.init(id: "x", toolName: "weather", arguments: content)])),
      .toolOutput(.init(id: "x", toolName: "weather", segments: [output])),
    ]
    let request = LanguageModelExecutorGenerationRequest(
      transcript: Transcript(entries: FamilyCase.tools.entries + round),
      enabledTools: FamilyCase.definitions,
      generationOptions: GenerationOptions(),
      contextOptions: ContextOptions()
    )
    let prompt = try family.generation().prompt(of: GenerationRequest(request))
    // The call is shown with an empty object; in a session its output quotes what was written.
    #expect(prompt.contains("These are no arguments."))
  }
}
