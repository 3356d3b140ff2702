import AgentKit
import Foundation
import Testing
import Wire

@testable import Coordination
@testable import Journal

/// The turn decides which worker it gets, and knows them by its inputs alone.
struct WorkerChoiceTests {
  private static let clock = TurnClock(now: .now, left: .seconds(60))
  private var turn: Turn

  init() { self.init(Team(windows: [:], policy: .never)) }

  private init(_ team: Team) {
    let state = TurnState(id: 1, budget: Budget(Caps()), history: [], properties: [:], holder: "a")
    let settings = Turn.Settings(
      isFriend: false,
      isResumed: false,
      delay: nil,
      session: "talk",
      traceparent: nil,
      stopPatience: .zero,
      fitPatience: .zero,
      approvalPatience: .zero
    )
    turn = Turn(state, team, isAttended: false, settings: settings, clock: Self.clock)
    _ = turn.handle(.begin, at: Self.clock)
  }

  private static func agent(_ plugin: String) -> LaunchableAgent {
    LaunchableAgent(name: "a", plugin: plugin, model: nil, contextSize: nil)
  }

  private static func worker(_ agent: LaunchableAgent) -> LaunchedWorker {
    LaunchedWorker(agent: agent, run: RunID("a-1"), pid: 1, launched: Date())
  }

  /// What the turn does about an input, in short.
  private mutating func effects(of input: Input) -> [String] {
    turn.handle(input, at: Self.clock).compactMap { effect in
      switch effect {
      case .findAgent(let name, _): "find \(name)"
      case .launch(let agent, _): "launch \(agent.plugin)"
      case .retire(let run): "retire \(run)"
      case .order(let run, _, .turn): "order \(run)"
      default: nil
      }
    }
  }

  @Test func `One that is there gets the turn, and one with another plugin is replaced`() {
    let (old, new) = (Self.agent("a-1.so"), Self.agent("a-2.so"))
    var team = Team(windows: [:], policy: .never)
    team.add(Self.worker(old), turn: 0, isFriend: false)
    var choice = Self(team)
    #expect(choice.effects(of: .agentFound(old, name: "a", .answer(attempt: 1))) == ["order a-1"])
    choice = Self(team)
    let replaced = choice.effects(of: .agentFound(new, name: "a", .answer(attempt: 1)))
    #expect(replaced == ["retire a-1", "launch a-2.so"])
  }

  @Test mutating func `None is launched or retired for a pass of the baton that is not waited for`()
  {
    let (old, new) = (Self.agent("a-1.so"), Self.agent("a-2.so"))
    #expect(effects(of: .agentFound(old, name: "a", .answer(attempt: 1))) == ["launch a-1.so"])
    #expect(effects(of: .launched(Self.worker(old), .answer(attempt: 1))) == ["order a-1"])
    #expect(effects(of: .agentFound(new, name: "a", .fit)) == [])
  }

  @Test
  mutating func `None is launched for a turn that was stopped, and one that comes is retired`() {
    let agent = Self.agent("a-1.so")
    _ = turn.handle(.stop(.cancelled), at: Self.clock)
    #expect(effects(of: .agentFound(agent, name: "a", .answer(attempt: 1))) == [])
    #expect(effects(of: .launched(Self.worker(agent), .answer(attempt: 1))) == ["retire a-1"])
    #expect(turn.team.slots.isEmpty)
  }

  @Test mutating func `Facts that could not be written change nothing`() {
    let before = turn.state
    let change = StateChange(properties: ["n": "1"])
    _ = turn.handle(
      .writeFailed(CancellationError(), .approvalDelivery(callID: "1")),
      at: Self.clock
    )
    #expect(turn.state == before)
    let event = Fact.Event.changedState(change)
    let fact = Fact(id: 1, conversation: 1, turn: 1, at: Date(), event: event)
    _ = turn.handle(.written([fact], .approvalDelivery(callID: "1")), at: Self.clock)
    #expect(turn.state.properties == ["n": "1"])
  }
}
