import Coordinator
import Terminal

/// What the live list shows, and what keys change about it.
struct TopState {
  enum View: Equatable {
    case table
    /// A question whether to cancel the turn of a session.
    case question(session: String)
    case log(TopLog)
  }

  /// What a key asks for beyond the list.
  enum Action: Equatable {
    case none, quit, closeLog
    case openLog(of: String)
    case cancel(session: String)
  }

  private(set) var view = View.table
  private(set) var tree: ProcessTree?
  private(set) var sort: TopSort
  private(set) var isReversed = false
  /// What a person should know, in place of the keys.
  private(set) var message: String?
  /// The log name of the selected process.
  private var selected: String?
  /// How many rows of processes or of a log there is room for.
  var room = 10

  init(sort: TopSort) { self.sort = sort }

  var rows: [ProcessRow] { tree?.rows(sort, isReversed: isReversed) ?? [] }

  /// The place of the selected process; the first if it is gone.
  func place(in rows: [ProcessRow]) -> Int { rows.firstIndex { $0.log == selected } ?? 0 }

  // MARK: News

  mutating func update(_ tree: ProcessTree) {
    let isBack = self.tree == nil
    self.tree = tree
    if isBack { message = nil }
  }

  /// Shows why there are no processes, or why nothing was done.
  mutating func report(_ problem: String, isLost: Bool = false) {
    message = problem
    if isLost { tree = nil }
  }

  /// Adds to a log, unless it has been closed meanwhile.
  mutating func addToLog(_ text: String, of process: String) {
    guard case .log(var log) = view, log.process == process else { return }
    log.add(text)
    view = .log(log)
  }

  // MARK: Keys

  mutating func handle(_ key: Key) -> Action {
    switch view {
    case .table: return handleInTable(key)
    case .question(let session):
      view = .table
      return key == .character("y") ? .cancel(session: session) : .none
    case .log(var log):
      if [.escape, .character("q"), .character("l")].contains(key) {
        view = .table
        return .closeLog
      }
      log.scroll(key, room: room)
      view = .log(log)
      return .none
    }
  }

  private mutating func handleInTable(_ key: Key) -> Action {
    message = nil
    let rows = rows
    let place = place(in: rows)
    switch key {
    case .up, .character("k"): select(place - 1, rows)
    case .down, .character("j"): select(place + 1, rows)
    case .pageUp: select(place - room, rows)
    case .pageDown: select(place + room, rows)
    case .home: select(0, rows)
    case .end: select(rows.count - 1, rows)
    case .character("q"), .escape: return .quit
    case .character("r"): isReversed.toggle()
    case .enter, .character("l"):
      guard rows.indices.contains(place) else { break }
      view = .log(TopLog(of: rows[place]))
      return .openLog(of: rows[place].log)
    case .character("x"):
      guard rows.indices.contains(place) else { break }
      if let session = rows[place].session {
        view = .question(session: session)
      } else {
        message = "\(rows[place].name) works for no session: there is no turn to cancel."
      }
    case .character(let character):
      guard let chosen = TopSort.allCases.first(where: { $0.key == character }) else { break }
      (sort, isReversed) = (chosen, false)
    case .backspace: break
    }
    return .none
  }

  private mutating func select(_ place: Int, _ rows: [ProcessRow]) {
    guard !rows.isEmpty else { return }
    selected = rows[min(max(place, 0), rows.count - 1)].log
  }
}

/// The log of a process, followed until a person scrolls back.
struct TopLog: Equatable {
  /// Older lines are forgotten; 'orchestrator logs' has them.
  static let maximumLines = 5000
  /// A longer line is cut: no screen shows it.
  static let maximumLength = 2000

  /// The name by which it is read.
  let process: String
  let title: String
  private(set) var lines: [String] = []
  /// What follows the last line end.
  private var open = ""
  /// How many lines below the screen have not been seen.
  private(set) var below = 0

  init(of row: ProcessRow) { (process, title) = (row.log, "\(row.name) (\(row.log))") }

  mutating func add(_ text: String) {
    let before = count
    let pieces = (open + text).lines
    lines += pieces.dropLast().map { Self.shown($0) }
    open = String((pieces.last ?? "").prefix(Self.maximumLength))
    // What was scrolled to stays where it is.
    if below > 0 { below += count - before }
    if lines.count > Self.maximumLines { lines.removeFirst(lines.count - Self.maximumLines) }
    below = min(below, lines.count)
  }

  private var count: Int { lines.count + (open.isEmpty ? 0 : 1) }

  /// The lines that a screen with room for so many shows.
  func shown(room: Int) -> [String] {
    let all = open.isEmpty ? lines : lines + [Self.shown(Substring(open))]
    return all.dropLast(below).suffix(room)
  }

  mutating func scroll(_ key: Key, room: Int) {
    let change =
      switch key {
      case .up, .character("k"): 1
      case .down, .character("j"): -1
      case .pageUp: room
      case .pageDown: -room
      case .home: lines.count
      case .end: -lines.count
      default: 0
      }
    below = min(max(0, below + change), max(0, lines.count - room))
  }

  private static func shown(_ line: Substring) -> String {
    String(line.prefix(maximumLength)).replacing("\t", with: "    ").withInvisiblesShown
  }
}
