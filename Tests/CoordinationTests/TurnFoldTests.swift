import AgentKit
import Foundation
import TestSupport
import Testing
import Wire

@testable import Coordination
@testable import Journal

/// A turn is the fold of its facts.
///
/// Random turns are played without workers, a journal or a clock: what the turn wants done is done by
/// a table of values, and what happens next is drawn by a seed.
@Suite(.timeLimit(.minutes(5)))
struct TurnFoldTests {
  private static let seeds = 0..<2000

  @Test func `Resumed from every prefix of its facts, it is as it was then`() async {
    var kinds: Set<Fact.Event.Kind> = []
    var count = 0
    for seed in Self.seeds {
      // Others run beside this test.
      await Task.yield()
      var play = TurnPlay(seed: UInt64(seed))
      let past = play.past
      play.run()
      // The fold of a prefix is the state that the turn had when its last fact was written.
      var state = past
      for fact in play.facts {
        state.apply(fact)
        // Facts that are written together are learned together.
        guard let lived = play.states[fact.id] else { continue }
        if state != lived { Issue.record("seed \(seed), fact \(fact.id): \(fact.event)") }
        kinds.insert(fact.event.kind)
        count += 1
      }
    }
    #expect(count > 20_000)
    let expected: Set<Fact.Event.Kind> = [
      .recorded, .returnedEarly, .changedState, .passedBaton, .phoned, .friendEnded, .askedApproval,
      .answeredApproval, .askedClient, .answeredClient, .abandonedRequest, .died, .resumed, .ended,
    ]
    #expect(expected.isSubset(of: kinds), "\(kinds)")
  }

  @Test func `Whatever happens, nothing is done twice`() async {
    var (turns, restarts, replies) = (0, 0, 0)
    for seed in Self.seeds {
      // Others run beside this test.
      await Task.yield()
      var play = TurnPlay(seed: UInt64(seed))
      play.run()
      #expect(play.faults == [], "seed \(seed)")
      turns += play.isOver ? 1 : 0
      restarts += play.restarts
      replies += play.replies.count
    }
    #expect(turns == Self.seeds.count)
    #expect(restarts > 500)
    #expect(replies > 5000)
  }

  @Test func `The check above would notice what is done twice`() {
    var play = TurnPlay(seed: 1)
    play.run()
    #expect(play.faults.isEmpty)
    play.repeatLastFact()
    #expect(!play.faults.isEmpty)
  }
}

/// Plays one turn by chance.
struct TurnPlay {
  private var random: Seeded
  private(set) var facts: [Fact] = []
  /// The states of the turn that goes on, by the last facts of which it has learned.
  private(set) var states: [Int64: TurnState] = [:]
  private(set) var restarts = 0
  /// The requests that were answered, by worker and number.
  private(set) var replies: [String: Int] = [:]
  private(set) var isOver = false
  let past: TurnState
  private var turn: Turn
  private var calls = 0
  private var requests = 0
  private var workers = 0
  private var friends: [(conversation: Int64, share: Budget, run: RunID)] = []
  private var questions: [Int64] = []
  private let agents = ["a", "b"]

  init(seed: UInt64) {
    random = Seeded(seed)
    var caps = Caps()
    (caps.rounds, caps.calls, caps.tokens) = (6, 8, 400)
    past = TurnState(id: 1, budget: Budget(caps), history: [], properties: [:], holder: "a")
    turn = Self.turn(past, isResumed: false)
  }

  private static func turn(_ state: TurnState, isResumed: Bool) -> Turn {
    Turn(
      state,
      Team(windows: [:], policy: RestartPolicy(maximum: 100)),
      isAttended: true,
      settings: Turn.Settings(
        isFriend: false,
        isResumed: isResumed,
        delay: nil,
        session: "play",
        traceparent: nil,
        stopPatience: .seconds(1),
        fitPatience: .seconds(1),
        approvalPatience: .seconds(1)
      ),
      clock: clock
    )
  }

  private static let clock = TurnClock(now: .now, left: .seconds(60))

  /// What the log says was done twice.
  var faults: [String] {
    var faults = replies.filter { $0.value > 1 }.map { "request \($0.key) has \($0.value) replies" }
    var ended: Set<Int64> = []
    var open: [String] = []
    var (ends, decided) = (0, Set<Int64>())
    var performed: Set<String> = []
    for fact in facts {
      switch fact.event {
      case .recorded(let entry, _):
        if case .toolCalls(let calls) = entry.entry { open = calls.map(\.id) }
        guard case .toolOutput(let output) = entry.entry else { continue }
        guard let index = open.firstIndex(of: output.id) else {
          faults.append("\(output.id) has a second output")
          continue
        }
        open.remove(at: index)
      case .friendEnded(let end):
        if !ended.insert(end.conversation).inserted { faults.append("a friend ends twice") }
      case .answeredApproval(let question, _):
        if !decided.insert(question).inserted { faults.append("\(question) is decided twice") }
      case .answeredClient(let outputs, _):
        for output in outputs where !performed.insert(output.callID).inserted {
          faults.append("\(output.callID) is answered twice")
        }
      case .ended: ends += 1
      default: break
      }
    }
    if ends != 1 { faults.append("\(ends) ends") }
    return faults
  }

  mutating func repeatLastFact() {
    if let last = facts.last { facts.append(last) }
  }

  // MARK: What happens

  mutating func run() {
    let options = TurnOptions(
      clientTools: ["look0", "look1"].map { name in
        ClientTool(name: name, description: "", parameters: JSONSchema(GeneratedContent(true)))
      }
    )
    append([.prompted(raw(.prompt("go")), caps: "", options: options)], agent: nil, run: nil)
    turn = Self.turn(past.applying(facts), isResumed: false)
    handle(.begin)
    for _ in 0..<400 where !isOver { step() }
    // Something always ends a turn at last.
    if !isOver { handle(.stop(.cancelled)) }
    if !isOver, let run = turn.run { handle(.timer(.stop(run, seconds: 1))) }
  }

  private mutating func step() {
    switch random.below(24) {
    case 0: restart()
    case 1: if let run = turn.run { handle(.died(run, Death(cause: .signaled(9), lastLines: []))) }
    case 2: if random.below(20) == 0 { handle(.stop(.cap("seconds"))) }
    case 3, 4: decide()
    case 5, 6: endFriend()
    case 7: handle(.timer(.restart))
    case 8, 9, 10: answerForClient()
    case 11: if random.below(20) == 0 { handle(.superseded) }
    default: say()
    }
  }

  /// Has the worker that has the turn do something that a worker may do.
  private mutating func say() {
    guard let run = turn.run else { return handle(.timer(.restart)) }
    let open = turn.state.round?.open ?? []
    guard let call = open.first else {
      switch random.below(9) {
      case 0: ask(.admission(.summary), run)
      case 6: handle(.message(.unusedAdmission(turn: 1), run))
      case 1: ask(.recordState(StateChange(properties: ["n": "\(random.below(9))"])), run)
      case 2, 3: return answer(run)
      case 4: handle(.message(text, run))
      case 5: ask(.admission(.round), run)
      default:
        ask(.admission(.round), run)
        record(calls: 1 + random.below(3), run)
      }
      return
    }
    switch random.below(8) {
    case 0: ask(.hostTool(callID: call.id, .approval), run)
    case 4:
      let calls = open.filter { turn.state.round?.mayRun($0.id) == true }.map(\.id)
      guard let first = calls.first else { return }
      ask(.hostTool(callID: first, .client(also: Array(calls.dropFirst()))), run)
    case 5:
      let request = MCPRequest.call(server: "git", tool: "log", arguments: "{}")
      ask(.hostTool(callID: call.id, .mcp(request, window: nil)), run)
    case 1:
      let prompt = "\(random.below(2))"
      ask(.hostTool(callID: call.id, .phone(agent: "friend", prompt: prompt)), run)
    case 2:
      let agent = agents[random.below(2)]
      ask(.hostTool(callID: call.id, .passBaton(to: agent)), run)
    case 3:
      let call = open[random.below(open.count)]
      ask(.recordEarly(raw(.output(call.id, call.toolName, "early"))), run)
    default:
      let next: RequestPurpose? = random.below(2) == 0 ? .round : nil
      ask(.record([raw(.output(call.id, call.toolName, "seen"))], nil, then: next), run)
      guard turn.state.round == nil, turn.state.baton.holder != turn.team.agent(of: run) else {
        return
      }
      handle(.message(.ended(turn: 1, .passed), run))
    }
  }

  private var text: FromWorker {
    .text(turn: 1, TextChange(entryID: "x", isReasoning: false, keptBytes: 0, added: "x"))
  }

  private mutating func answer(_ run: RunID) {
    ask(.admission(.round), run)
    let usage = RequestUsage(tokensIn: 3, tokensOut: 5, seconds: 0.5)
    ask(.record([raw(.response("done"))], usage), run)
    if random.below(2) == 0 { handle(.message(.ended(turn: 1, .answered), run)) }
  }

  private mutating func record(calls count: Int, _ run: RunID) {
    let ids = (0..<count).map { _ in
      calls += 1
      return "c\(calls)"
    }
    let usage = RequestUsage(tokensIn: 3, tokensOut: 1 + random.below(40), seconds: 0.5)
    let tool = "look\(random.below(2))"
    ask(.record([raw(.response("Hm.")), raw(.calls(ids, tool))], usage), run)
  }

  private mutating func ask(_ request: WorkerRequest, _ run: RunID) {
    guard !isOver else { return }
    requests += 1
    handle(.message(.request(id: requests, turn: 1, request), run))
  }

  private mutating func decide() {
    guard !questions.isEmpty else { return }
    let question = questions.remove(at: random.below(questions.count))
    let denial = random.below(2) == 0 ? nil : "no"
    handle(.decided(question: question, ApprovalDecision(denial: denial, by: .chat)))
  }

  /// Has the client perform some of the calls that wait for it.
  private mutating func answerForClient() {
    let waiting = turn.state.round?.callsForClient ?? []
    guard !waiting.isEmpty, turn.waiting.isPaused else { return }
    let outputs = waiting.prefix(1 + random.below(waiting.count)).map { call in
      ClientToolOutput(callID: call.id, text: "done")
    }
    handle(.clientAnswered(outputs, request: nil))
  }

  private mutating func endFriend() {
    guard !friends.isEmpty else { return }
    let friend = friends.remove(at: random.below(friends.count))
    var rest = friend.share
    _ = rest.admitRound()
    rest.spend(tokens: random.below(9))
    let end = FriendEnd(
      conversation: friend.conversation,
      answer: .answered("so"),
      usage: RequestUsage(tokensOut: 4),
      budget: rest.journaled
    )
    handle(.friendEnded(end, run: friend.run))
  }

  /// Loses the coordinator, and takes the turn up from its facts.
  private mutating func restart() {
    restarts += 1
    let (lived, count) = (turn.state, facts.count)
    for friend in friends {
      let answer: FriendAnswer? = random.below(2) == 0 ? nil : .answered("late")
      let end = FriendEnd(
        conversation: friend.conversation,
        answer: answer,
        usage: RequestUsage(),
        budget: friend.share.journaled
      )
      append([.friendEnded(end)], agent: nil, run: nil)
    }
    (friends, questions) = ([], [])
    append([.resumed(spent: 1)], agent: nil, run: nil)
    if let last = facts.last { states[last.id] = lived.applying(Array(facts[count...])) }
    turn = Self.turn(past.applying(facts), isResumed: true)
    handle(.begin)
  }

  // MARK: What is done about it

  /// What every server answers.
  private static let reply = MCPReply(.returned("so"), request: .init(id: 1, version: "v"))

  private mutating func handle(_ input: Input) {
    guard !isOver else { return }
    let effects = turn.handle(input, at: Self.clock)
    // Deciding changes no fact: what the turn has learned with this input is its state now.
    if let last = input.facts.last { states[last.id] = turn.state }
    perform(effects)
  }

  private mutating func append(_ events: [Fact.Event], agent: String?, run: RunID?) {
    for event in events {
      let fact = Fact(
        id: Int64(facts.count + 1),
        conversation: 1,
        turn: 1,
        agent: agent,
        run: run?.description,
        at: Date(timeIntervalSince1970: 0),
        event: event
      )
      facts.append(fact)
    }
  }

  private mutating func perform(_ effects: [Effect]) {
    for effect in effects {
      switch effect {
      case .write(let events, let agent, let run, let continuation):
        let count = facts.count
        append(events, agent: agent, run: run)
        handle(.written(Array(facts[count...]), continuation))
      case .findAgent(let name, let purpose): handle(.agentFound(agent(name), name: name, purpose))
      case .launch(let agent, let purpose): launch(agent, purpose)
      case .send(let run, .reply(let id, _)): replies["\(run) \(id)", default: 0] += 1
      case .order(let run, _, .fit(let id)):
        handle(.message(.fit(id: id, ContextFit(tokens: 1, window: random.below(4))), run))
      case .beginFriend(let request, let share): begin(request, share)
      case .runFriend(let request, let friend):
        friends.append((friend.conversation.id, friend.share, request.pending.run))
      case .checkApproval(let call):
        handle(.approvalChecked(call, needsApproval: random.below(2) == 0))
      case .askServer(let call, _, _):
        guard random.below(3) == 0 else {
          handle(.serverAnswered(call, Self.reply))
          continue
        }
        let form = ApprovalForm(message: "Which?", schema: JSONSchema(GeneratedContent(true)))
        handle(.serverAsked(FormCall(call: call, number: facts.count), form))
      case .answerForm(let form, _):
        handle(.serverAnswered(form.call, Self.reply))
      case .ask(let question, _): questions.append(question.id)
      case .finish: isOver = true
      case .order, .send, .retire, .kill, .start, .forgetFriend, .pause, .cancelPendingWork, .show,
        .withdraw:
        break
      }
    }
  }

  private func agent(_ name: String) -> LaunchableAgent {
    LaunchableAgent(
      name: name,
      plugin: "",
      model: nil,
      contextSize: nil,
      declaration: .served(name)
    )
  }

  private mutating func launch(_ agent: LaunchableAgent, _ purpose: WorkerPurpose) {
    workers += 1
    let worker = LaunchedWorker(
      agent: agent,
      run: RunID("\(agent.name)-\(workers)"),
      pid: Int32(workers),
      launched: Date(timeIntervalSince1970: 0)
    )
    handle(.launched(worker, purpose))
  }

  private mutating func begin(_ request: FriendRequest, _ share: Budget) {
    let conversation = ConversationRecord(
      id: Int64(100 + facts.count),
      name: nil,
      holder: request.question.friend,
      created: Date(timeIntervalSince1970: 0)
    )
    let call = FriendCall(
      conversation: conversation.id,
      callID: request.question.callID,
      friend: request.question.friend,
      prompt: request.question.prompt
    )
    append([.phoned(call)], agent: request.pending.agent, run: request.pending.run)
    guard let phoned = facts.last else { return }
    let record = TurnRecord(
      id: conversation.id,
      conversation: conversation.id,
      started: Date(timeIntervalSince1970: 0),
      isReverted: false,
      caps: share.journaled,
      resumptions: 0,
      spent: 0,
      isImported: false
    )
    handle(
      .friendBegun(
        request,
        BegunFriend(
          conversation: conversation,
          turn: record,
          facts: [],
          phoned: phoned,
          share: share
        )
      )
    )
  }

  private func raw(_ entry: Transcript.Entry) -> RawEntry {
    do {
      return try RawEntry(entry)
    } catch {
      fatalError("An entry of text can always be encoded: \(error)")
    }
  }
}
