import AgentKit
import Foundation
import Testing

@testable import Llama

/// Every chat template takes over what other agents, on other models, have begun.
@Suite(
  .timeLimit(.minutes(10)),
  .enabled(if: Family.folder != nil, "deploy/libllama installs the templates")
)
struct TakeoverTests {
  /// All that llama.cpp ships, also those that the records of llama-server lack, and stricter ones.
  private static let templates: [(name: String, source: String)] = {
    let folder = Family.folder ?? ""
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return files.sorted().filter { $0.hasSuffix(".jinja") }.map { name in
      (name, (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)) ?? "")
    } + [("strict turns", strictTurns), ("roles alone", rolesAlone), ("no instructions", noSystem)]
  }()

  /// A template without a role for tools, which wants the person and the model to take turns.
  private static let strictTurns = """
    {{- bos_token -}}
    {%- if messages[0].role == 'system' -%}\
    {%- set first = messages[0].content + '\\n\\n' -%}{%- set rest = messages[1:] -%}\
    {%- else -%}{%- set first = '' -%}{%- set rest = messages -%}{%- endif -%}
    {%- for m in rest -%}
    {%- if (m.role == 'user') != (loop.index0 % 2 == 0) -%}\
    {{ raise_exception('Conversation roles must alternate') }}{%- endif -%}
    <|im_start|>{{ m.role }}
    {{ (first if loop.first else '') + m.content }}<|im_end|>
    {% endfor -%}
    {%- if add_generation_prompt -%}<|im_start|>assistant
    {% endif -%}
    """

  private static let rolesAlone = """
    {% for m in messages %}{{ m.role }}: {{ m.content }}
    {% endfor %}{% if add_generation_prompt %}assistant:{% endif %}
    """

  /// It reads instructions, and refuses them.
  private static let noSystem = """
    {% for m in messages %}{% if m.role == 'system' %}\
    {{ raise_exception('No system role: ' + m.content) }}{% endif %}\
    {% if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('Turns!') }}{% endif %}\
    [{{ m.role }}] {{ m.content }}{% endfor %}\
    {% if add_generation_prompt %}[assistant]{% endif %}
    """

  /// Families that show no calls, although they are shown tools and make calls.
  private static let leavingOutCalls: Set = ["LFM2-8B-A1B.jinja", "LFM2.5-Instruct.jinja"]

  /// It writes the instructions into the last prompt, if that is the last message.
  private static let leavingOutInstructions = "mistralai-Mistral-Nemo-Instruct-2407.jinja"

  @Test(arguments: templates.map(\.name))
  func `It shows all that was said and called`(name: String) throws {
    let source = try #require(Self.templates.first { $0.name == name }?.source)
    let templates = try Fixture.model(chatTemplate: source).templates
    for history in History.allCases {
      let texts =
        history.said(withInstructions: name != Self.leavingOutInstructions)
        + (Self.leavingOutCalls.contains(name) ? [] : history.called)
      for tools in [[], FamilyCase.definitions] {
        let request = history.request(tools)
        let prompt = try AnswerForm(request, templates: templates).rendering.prompt
        for text in texts + tools.map(\.description) {
          #expect(prompt.contains(text), "\(history): \(text) is missing: \(prompt)")
        }
      }
    }
  }

  @Test(arguments: [strictTurns, rolesAlone, noSystem], [false, true])
  func `A longer conversation begins with the shorter one`(source: String, hasTools: Bool) throws {
    let model = try Fixture.model(chatTemplate: source)
    let entries = History.callsClosed.entries
    let tools = hasTools ? FamilyCase.definitions : []
    let whole = try History.request(entries, tools).prefix(model: model)
    // Up to the question, and up to the outputs of the round.
    for count in [2, 5] {
      let part = try History.request(Array(entries.prefix(count)), tools).prefix(model: model)
      #expect(whole.hasPrefix(part), "\(part)")
    }
  }

  /// A conversation that another model can have begun.
  enum History: String, CaseIterable {
    case callsOpen, callsClosed, promptsInRow, batonReceived, callWithoutOutput, promptAfterCalls
    case windowOfAnswer, windowOfCalls, windowOfRound, windowOfOutput, laterInstructions,
      mistakenCall, answersInRow

    func said(withInstructions: Bool) -> [String] {
      entries.flatMap { entry -> [String] in
        switch entry {
        case .toolCalls: []
        case .instructions: withInstructions ? entry.segments.map(\.text) : []
        default: entry.segments.map(\.text)
        }
      }
    }

    /// The names and arguments of calls.
    var called: [String] {
      entries.flatMap { entry -> [String] in
        guard case .toolCalls(let calls) = entry else { return [] }
        return calls.flatMap { call -> [String] in
          guard case .structure(let properties, _) = call.arguments.kind else {
            return [call.toolName]
          }
          return [call.toolName] + properties.keys
        }
      }
    }

    var entries: [Transcript.Entry] {
      let ask = [Entries.system, Entries.prompt("How is it in Oslo?")]
      let end = [Entries.answer("It is wet."), Entries.prompt("And in Rome?")]
      return switch self {
      case .callsOpen: ask + Entries.round
      case .callsClosed: ask + Entries.round + end
      case .promptsInRow: ask + [Entries.prompt("Hello?")]
      case .batonReceived: ask + Entries.baton
      case .callWithoutOutput: ask + Entries.round.prefix(1) + [Entries.prompt("Hello?")]
      case .promptAfterCalls: ask + Entries.round + [Entries.prompt("Hello?")]
      case .windowOfAnswer: [Entries.system] + end
      case .windowOfCalls: [Entries.system] + Entries.round + end
      case .windowOfOutput: [Entries.system] + Entries.round.suffix(1) + end
      case .windowOfRound: [Entries.system] + Entries.baton
      case .laterInstructions: ask + end.prefix(1) + [Entries.later] + end.suffix(1)
      case .mistakenCall: ask + Entries.mistaken + end
      case .answersInRow: ask + end.prefix(1) + end
      }
    }

    func request(_ tools: [Transcript.ToolDefinition]) -> GenerationRequest {
      Self.request(entries, tools)
    }

    static func request(
      _ entries: [Transcript.Entry],
      _ tools: [Transcript.ToolDefinition]
    ) -> GenerationRequest {
      GenerationRequest(
        LanguageModelExecutorGenerationRequest(
          transcript: Transcript(entries: entries),
          enabledTools: tools,
          generationOptions: GenerationOptions(),
          contextOptions: ContextOptions()
        )
      )
    }
  }
}

private enum Entries {
  static let system = instructions("You are brief.")
  static let later = instructions("Be kind.")

  static let round: [Transcript.Entry] = [
    .toolCalls(
      .init([
        .init(id: "x", toolName: "weather", arguments: .init(properties: ["city": "Oslo"])),
        .init(id: "y", toolName: "time", arguments: .init(properties: ["zone": "CET"])),
      ])
    ),
    output("Rain.", of: "weather", "x"), output("Noon.", of: "time", "y"),
  ]
  static let baton: [Transcript.Entry] = [
    .toolCalls(
      .init([.init(id: "b", toolName: "pass_baton", arguments: .init(properties: ["to": "plain"]))])
    ),
    output("You are the plain now.", of: "pass_baton", "b"),
  ]
  static let mistaken: [Transcript.Entry] = [
    .toolCalls(.init([.init(id: "m", toolName: "weather", arguments: .init("Oslo"))])),
    output("These are no arguments.", of: "weather", "m"),
  ]

  static func prompt(_ text: String) -> Transcript.Entry {
    .prompt(.init(segments: [.text(.init(content: text))]))
  }

  static func answer(_ text: String) -> Transcript.Entry {
    .response(.init(segments: [.text(.init(content: text))]))
  }

  private static func instructions(_ text: String) -> Transcript.Entry {
    .instructions(.init(segments: [.text(.init(content: text))], toolDefinitions: []))
  }

  private static func output(_ text: String, of tool: String, _ id: String) -> Transcript.Entry {
    .toolOutput(.init(id: id, toolName: tool, segments: [.text(.init(content: text))]))
  }
}
