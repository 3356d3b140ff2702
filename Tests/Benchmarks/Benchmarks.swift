import ArgumentParser
import Foundation

/// Runs benchmarks; each row is a ratio of two things measured alternately in one run.
@main
struct Benchmarks: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "benchmarks",
    abstract: "Measures orchestrator against its goals and its peers, each row in one run.",
    discussion: """
      Without names all are run, which takes about half an hour on two cores; the machine should do \
      nothing else. What the first run makes (a model, llama.cpp's programs, a Python environment) \
      lies in the cache afterwards.

      \(Catalog.benchmarks.map { "  \($0.name): \($0.about)" }.joined(separator: "\n"))
      """
  )

  @Argument(help: "The benchmarks to run.")
  var names: [String] = []

  @Flag(help: "Measure less often, and keep nothing: to see that it works.")
  var quick = false

  @Flag(help: "Make what the benchmarks need and do not measure, and end.")
  var prepare = false

  @Option(help: "The lengths of shared history in the table of costs, in tokens.")
  var history = "250,500,1000,2000,4000,8000"

  @Option(help: "The folder of the findings.")
  var results = Products.root.appending(path: "Tests/Benchmarks/Results").path

  func validate() throws {
    for name in names where !Catalog.benchmarks.contains(where: { $0.name == name }) {
      throw ValidationError("There is no benchmark '\(name)'.")
    }
    guard !history.isEmpty, lengths.count == history.split(separator: ",").count else {
      throw ValidationError("'\(history)' is no list of numbers of tokens.")
    }
  }

  private var lengths: [Int] { history.split(separator: ",").compactMap { Int($0) } }

  func run() async throws {
    let chosen = Catalog.benchmarks.filter { names.isEmpty || names.contains($0.name) }
    let needsFixtures = prepare || chosen.contains(where: \.needsFixtures)
    let fixtures = needsFixtures ? try Fixtures() : .none
    if prepare { return }
    Self.takeServersAlong()
    let plan = Plan(fixtures: fixtures, isQuick: quick, history: lengths)
    let report = Report(folder: URL(filePath: results))
    for benchmark in chosen {
      show("\(benchmark.name): \(benchmark.about)")
      let outcome = try await benchmark.run(plan)
      for row in outcome.rows { show("  " + row.cells.joined(separator: " | ")) }
      for line in outcome.table?.lines ?? [] {
        show("  " + line.map(Sample.short).joined(separator: " | "))
      }
      if quick { continue }
      try report.keep(
        Finding(
          benchmark: benchmark.name,
          machine: Report.machine,
          rows: outcome.rows,
          table: outcome.table
        )
      )
    }
    if !quick, needsFixtures {
      show(try Products.output(of: fixtures.python, [Fixtures.tool("plot.py"), results]))
    }
  }
}

extension Benchmarks {
  /// Prints a line at once, even into a file.
  private func show(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  /// Ends the servers when this program is ended; workers notice by themselves.
  private static func takeServersAlong() {
    for number in [SIGTERM, SIGINT, SIGHUP] {
      signal(number) { number in
        LlamaServer.endAll()
        _exit(128 + number)
      }
    }
  }
}

/// What a benchmark is given.
struct Plan: Sendable {
  let fixtures: Fixtures
  let isQuick: Bool
  /// The tokens of shared history for the table of costs.
  let history: [Int]

  /// Returns how often to measure something.
  func runs(_ count: Int) -> Int { isQuick ? min(count, 2) : count }
}

/// What a benchmark finds.
struct Outcome: Sendable {
  var rows: [Row] = []
  var table: Finding.Table?
}

/// One benchmark.
struct Benchmark: Sendable {
  let name: String
  let about: String
  /// Whether it needs a model, a peer, or Python.
  var needsFixtures = true
  let run: @Sendable (Plan) async throws -> Outcome
}

/// All benchmarks, in the order of the table.
enum Catalog {
  static let benchmarks = [
    Benchmark(
      name: "launch",
      about: "a worker without a model, to its greeting",
      run: LaunchRow.run
    ),
    Benchmark(name: "decode", about: "tokens a second in a worker", run: DecodeRow.run),
    Benchmark(name: "friend", about: "a friend, to its first words", run: FriendRows.run),
    Benchmark(name: "cold", about: "a friend without templates", run: FriendRows.runCold),
    Benchmark(
      name: "isolation",
      about: "what a process of its own costs",
      run: FriendRows.runAlone
    ),
    Benchmark(name: "baton", about: "the baton comes back", run: BatonRow.run),
    Benchmark(
      name: "baton-one-slot",
      about: "the same against a server that keeps one prompt",
      run: BatonRow.runOneSlot
    ),
    Benchmark(name: "team-memory", about: "four agents on one model", run: MemoryRows.runTeam),
    Benchmark(name: "friend-memory", about: "one more friend of eight", run: MemoryRows.runFriends),
    Benchmark(
      name: "repacking",
      about: "weights repacked for this CPU",
      run: RepackingRow.run
    ),
    Benchmark(name: "step", about: "a step outside the model", run: StepRow.run),
    Benchmark(name: "windows", about: "a step that is looked at", run: WindowsRow.run),
    Benchmark(name: "append", about: "a long transcript against a short one", run: AppendRow.run),
    Benchmark(name: "eight", about: "eight friends at once", run: EightRow.run),
    Benchmark(
      name: "cost",
      about: "passing the baton against phoning a friend",
      run: CostTable.run
    ),
    Benchmark(
      name: "host",
      about: "a friend on another machine, to its first words",
      run: HostRows.run
    ),
    Benchmark(
      name: "simulate",
      about: "what a coordinator costs per host, worker and turn",
      needsFixtures: false,
      run: SimulateRow.run
    ),
  ]
}
