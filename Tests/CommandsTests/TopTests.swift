import Foundation
import Terminal
import Testing
import Wire

@testable import Commands
@testable import Coordination
@testable import Coordinator
@testable import Journal

@Suite struct `The live list of processes` {
  @Test func `keeps friends below those that asked, or sorts by what one asks for`() {
    let tree = Self.tree
    #expect(
      tree.rows(.tree).map(\.name) == ["coordinator", "spare-title", "coach", "title", "clerk"]
    )
    #expect(tree.rows(.tree).map(\.depth) == [0, 1, 1, 2, 1])
    #expect(tree.rows(.memory).map(\.name).prefix(2) == ["clerk", "coach"])
    #expect(tree.rows(.speed).first?.name == "title")
    #expect(
      tree.rows(.age).map(\.name) == ["coordinator", "spare-title", "coach", "title", "clerk"]
    )
    #expect(tree.rows(.name).map(\.name).first == "clerk")
    // What has no such number comes last.
    #expect(tree.rows(.out).map(\.name).suffix(2) == ["coordinator", "spare-title"])
    #expect(tree.rows(.memory, isReversed: true).last?.name == "clerk")
  }

  @Test func `selects by keys, and stays with a process when the order changes`() {
    var state = TopState(sort: .tree)
    state.update(Self.tree)
    #expect(state.press("j", "j") == [.none, .none])
    #expect(state.selected == "coach")
    #expect(state.press("m") == [.none])
    #expect(state.sort == .memory)
    #expect(state.selected == "coach")
    #expect(state.handle(.end) == .none)
    #expect(state.handle(.down) == .none)
    #expect(state.selected == state.rows.last?.name)
    #expect(state.press("r") == [.none])
    #expect(state.isReversed)
  }

  @Test func `cancels a turn only after a yes`() {
    var state = TopState(sort: .tree)
    state.update(Self.tree)
    // The coordinator works for no session.
    #expect(state.press("x") == [.none])
    #expect(state.message != nil)
    #expect(state.press("j", "j", "j", "x", "n") == Array(repeating: .none, count: 5))
    #expect(state.view == .table)
    #expect(state.press("x") == [.none])
    #expect(state.view == .question(session: "crafts"))
    #expect(state.press("y") == [.cancel(session: "crafts")])
    #expect(state.view == .table)
  }

  @Test func `follows a log until a person scrolls back, and keeps only its end`() {
    var state = TopState(sort: .tree)
    state.update(Self.tree)
    state.room = 3
    #expect(state.handle(.enter) == .openLog(of: "coordinator"))
    state.addToLog("1\n2\n3\n4\n5", of: "coordinator")
    state.addToLog("another's\n", of: "coach-1")
    #expect(state.log?.shown(room: 3) == ["3", "4", "5"])
    #expect(state.handle(.up) == .none)
    #expect(state.log?.shown(room: 3) == ["2", "3", "4"])
    // What comes meanwhile moves nothing.
    state.addToLog("\n6\n", of: "coordinator")
    #expect(state.log?.shown(room: 3) == ["2", "3", "4"])
    #expect(state.handle(.end) == .none)
    #expect(state.log?.shown(room: 3) == ["4", "5", "6"])
    state.addToLog(String(repeating: "x\n", count: 3 * TopLog.maximumLines), of: "coordinator")
    #expect(state.log?.lines.count == TopLog.maximumLines)
    state.addToLog(String(repeating: "y", count: 1 << 20) + "\nz\n", of: "coordinator")
    #expect(state.log?.shown(room: 2).map(\.count) == [TopLog.maximumLength, 1])
    #expect(state.press("q") == [.closeLog])
    #expect(state.press("q") == [.quit])
  }

  @Test(arguments: [1, 4, 5, 10, 50])
  func `fits every screen, with the selected process in sight`(rows: Int) {
    var state = TopState(sort: .tree)
    state.update(Self.tree)
    _ = state.handle(.end)
    let lines = TopView(state, rows: rows).lines
    #expect(lines.count <= max(rows, 1))
    if rows > 4 { #expect(lines.contains { $0.text.hasPrefix("▸ ") && $0.text.contains("clerk") }) }
    _ = state.handle(.enter)
    state.addToLog(String(repeating: "line\n", count: 100), of: "clerk-1")
    #expect(TopView(state, rows: rows).lines.count <= max(rows, 1))
  }

  @Test func `says what waits for a person, and why there is nothing to see`() {
    var state = TopState(sort: .tree)
    state.update(Self.tree)
    #expect(
      TopView(state, rows: 20).lines.map(\.text).contains { $0.contains("1 call waits for you") }
    )
    state.report("The coordinator stopped.", isLost: true)
    let lines = TopView(state, rows: 20).lines
    #expect(state.rows.isEmpty)
    #expect(lines.last?.text == "The coordinator stopped.")
    state.update(Self.tree)
    #expect(state.message == nil)
  }

  private static let start = Date(timeIntervalSinceReferenceDate: 1000)

  private static var tree: ProcessTree {
    var coach = worker("coach", "crafts", memory: 20, speed: 5, at: 2)
    coach.friends = [worker("title", "crafts", memory: 10, speed: 9, at: 3)]
    let asked = ApprovalRecord(
      id: 1,
      session: "crafts",
      conversation: 1,
      turn: 1,
      agent: "coach",
      callID: "c",
      tool: "t",
      arguments: "{}",
      asked: start
    )
    return ProcessTree(
      coordinator: CoordinatorStatus(pid: 1, started: start, agents: "Agents"),
      cores: CoreLoad(cores: 2, busy: 1, waiting: 1),
      standbys: [
        StandbyStatus(
          run: "spare-title-1",
          pid: 2,
          name: "spare-title",
          role: "spare",
          isReady: true,
          memory: 5,
          launched: start + 1
        )
      ],
      launches: [],
      workers: [coach, worker("clerk", "office", memory: 30, speed: 0, at: 4)],
      deaths: DeathList(problem: "not read"),
      approvals: [asked],
      clientCalls: []
    )
  }

  private static func worker(
    _ agent: String,
    _ session: String,
    memory: Int,
    speed: Double,
    at seconds: Double
  ) -> WorkerStatus {
    WorkerStatus(
      run: "\(agent)-1",
      pid: 10,
      agent: agent,
      session: session,
      role: .baton,
      state: .responding,
      tools: [],
      tokensIn: 1,
      tokensCached: 1,
      tokensOut: 1,
      tokensPerSecond: speed,
      memory: memory,
      launched: start + seconds,
      launcher: "local",
      friends: []
    )
  }
}

extension TopState {
  fileprivate mutating func press(_ keys: Character...) -> [Action] {
    keys.map { handle(.character($0)) }
  }

  fileprivate var selected: String? { rows[place(in: rows)].name }

  fileprivate var log: TopLog? { if case .log(let log) = view { log } else { nil } }
}
