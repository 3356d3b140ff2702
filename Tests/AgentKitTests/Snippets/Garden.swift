import AgentKit
import Synchronization

/// The state of the app in these snippets: a gardener's desk.
///
/// A gardening season is dreamed up, planned and tended there.
final class GardenDesk: Sendable {
  enum Phase: Sendable { case dreaming, planning, tending }
  enum Craft: Sendable { case pruning, grafting }

  private struct State {
    var phase = Phase.dreaming
    var crafts: Set<Craft> = []
    var hasLookedUp = false
  }

  private let state: Mutex<State>
  /// A stand-in for a large remote model.
  let farModel: ScriptedLanguageModel
  /// A stand-in for a small local model.
  let nearModel: ScriptedLanguageModel

  init(
    _ phase: Phase = .dreaming,
    far: ScriptedLanguageModel = ScriptedLanguageModel(),
    near: ScriptedLanguageModel = ScriptedLanguageModel()
  ) {
    state = Mutex(State(phase: phase))
    farModel = far
    nearModel = near
  }

  var phase: Phase {
    get { state.withLock { $0.phase } }
    set { state.withLock { $0.phase = newValue } }
  }

  var crafts: Set<Craft> {
    get { state.withLock { $0.crafts } }
    set { state.withLock { $0.crafts = newValue } }
  }

  var hasLookedUp: Bool {
    get { state.withLock { $0.hasLookedUp } }
    set { state.withLock { $0.hasLookedUp = newValue } }
  }
}

struct NameTheBed: Tool {
  @Generable
  struct Arguments {
    @Guide(description: "What grows there") var plants: [String]
  }

  let name = "name_the_bed"
  let description = "Finds a name for a flower bed."

  func call(arguments: Arguments) -> String {
    "The \(arguments.plants.joined(separator: " and ")) bed"
  }
}

struct ReadAlmanac: Tool {
  @Generable
  struct Arguments {
    var plant: String
  }

  let name = "read_almanac"
  let description = "Looks a plant up in the almanac."

  func call(arguments: Arguments) async throws -> String { "\(arguments.plant): sow in March." }
}

/// A tool that hands over; the profile determines what that means.
struct HandTheTrowel: Tool {
  @Generable
  struct Arguments {}

  let name = "hand_the_trowel"
  let description = "Hands the conversation to the other gardener."

  func call(arguments: Arguments) async throws -> String { "The other gardener answers from here." }
}

struct PruningExpert: DynamicInstructions {
  var body: some DynamicInstructions {
    Instructions("You know when to cut which branch.")
    ReadAlmanac()
  }
}

struct SeasonDreamer: DynamicInstructions {
  var desk: GardenDesk

  var body: some DynamicInstructions {
    Instructions {
      "You dream up gardens with people."
    }
    NameTheBed()
    if desk.crafts.contains(.pruning) {
      PruningExpert()
    }
  }
}

struct SeasonPlanner: DynamicInstructions {
  var body: some DynamicInstructions { Instructions("You plan what is sown when.") }
}

struct GardenHand: DynamicInstructions {
  var body: some DynamicInstructions { Instructions("You help in the garden, in one sentence.") }
}

/// Shorthand for entries in the initial transcripts of tests.
extension Transcript.Entry {
  static func said(_ text: String) -> Self {
    .prompt(.init(segments: [.text(.init(content: text))]))
  }

  static func answered(_ text: String) -> Self {
    .response(.init(segments: [.text(.init(content: text))]))
  }

  static func called(_ tool: String, id: String = "1") -> Self {
    .toolCalls(
      .init([.init(id: id, toolName: tool, arguments: GeneratedContent(properties: [:]))])
    )
  }

  static func returned(_ text: String, by tool: String, id: String = "1") -> Self {
    .toolOutput(.init(id: id, toolName: tool, segments: [.text(.init(content: text))]))
  }
}

extension LanguageModelExecutorGenerationRequest {
  /// The kind of each entry of the request, with its text.
  var outline: [String] { transcript.outline }
}
