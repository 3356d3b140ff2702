import Foundation
import Supervision
import TestSupport
import Testing
import Wire

@testable import Outposts

/// Outposts that lie, each a program of its own that speaks the channel.
@Suite(.timeLimit(.minutes(2)), .enabled(if: Program.isPythonHere, "There is no python3."))
struct `An outpost of a hostile program` {
  @Test(arguments: HostileOutpost<OutpostError>.refused)
  func `is refused`(_ outpost: HostileOutpost<OutpostError>) async throws {
    let stage = try HostileStage()
    defer { stage.remove() }
    let neighbor = try await stage.neighbor()
    let hostile = stage.outpost(outpost.way)
    do {
      try await hostile.start()
      Issue.record("It was taken for an outpost.")
    } catch let error as OutpostError {
      #expect(outpost.isExpected(error), "\(error)")
    }
    try await eventually("it is given up", within: .seconds(10)) {
      [.off, .lost].contains(await hostile.status.state)
    }
    try await stage.expectGone(hostile)
    #expect(await neighbor.status.state == .up)
    await neighbor.close()
  }

  @Test(arguments: HostileOutpost<LinkEnding>.givenUp)
  func `is given up once it shows itself`(_ outpost: HostileOutpost<LinkEnding>) async throws {
    try await expectGivenUp(outpost) { hostile, _ in try? await hostile.start() }
  }

  @Test(arguments: HostileOutpost<LinkEnding>.givenUpAtLaunch)
  func `is given up once it is to launch a worker`(
    _ outpost: HostileOutpost<LinkEnding>
  ) async throws {
    try await expectGivenUp(outpost) { hostile, configuration in
      // No launch, and no worker, outlives its host.
      guard let worker = try? await hostile.launch(configuration) else { return }
      var last: WorkerEvent?
      for await event in worker.events { last = event }
      guard case .ended = last else {
        Issue.record("The worker has no end: \(String(describing: last)).")
        return
      }
    }
  }

  private func expectGivenUp(
    _ outpost: HostileOutpost<LinkEnding>,
    after act: (Outpost, WorkerConfiguration) async -> Void
  ) async throws {
    let stage = try HostileStage()
    defer { stage.remove() }
    let neighbor = try await stage.neighbor()
    let hostile = stage.outpost(outpost.way)
    await act(hostile, stage.configuration())
    try await eventually("it is given up", within: .seconds(20)) {
      await hostile.link?.isOver == true
    }
    let ending = await hostile.link?.ending
    #expect(ending.map(outpost.isExpected) == true, "\(String(describing: ending))")
    try await stage.expectGone(hostile)
    #expect(stage.untouched, "no file of others was written to")
    #expect(await neighbor.status.state == .up)
    await neighbor.close()
  }

  @Test func `whose disk is full ends the transfer of a file, and nothing else`() async throws {
    let stage = try HostileStage()
    defer { stage.remove() }
    // More than can be under way.
    try stage.writePlugin(bytes: 4 << 20)
    let full = stage.outpost("full disk")
    do {
      _ = try await full.launch(stage.configuration())
      Issue.record("A worker was launched.")
    } catch OutpostError.notStaged(_, let path, let problem) {
      #expect(path == stage.configuration().plugin)
      #expect(problem == "No space left on device")
    }
    #expect(await full.status.state == .up)
    await full.close()
  }

  @Test(arguments: [
    "floods beats", "unasked worker", "credit without end", "floods a log", "floods a worker",
    "floods strangers", "worker that greets twice", "worker without an end", "log of others",
    "log with a path",
  ])
  func `harms nothing else`(_ way: String) async throws {
    let stage = try HostileStage()
    defer { stage.remove() }
    let neighbor = try await stage.neighbor()
    let hostile = stage.outpost(way)
    try? await hostile.start()
    async let launch = try? hostile.launch(stage.configuration())
    let worker = await launch
    // Several heartbeats of the neighbor.
    for _ in 0..<20 {
      #expect(await neighbor.status.state == .up)
      try await Task.sleep(for: .milliseconds(50))
    }
    worker?.terminate(reason: .hung(seconds: 1))
    await hostile.close()
    #expect(stage.untouched, "no file of others was written to")
    #expect(stage.logBytes < 64 << 20, "what is kept of its words is bounded")
    await neighbor.close()
  }
}

/// A way to lie, and what must come of it.
struct HostileOutpost<Outcome: Sendable>: Sendable, CustomTestStringConvertible {
  let way: String
  let isExpected: @Sendable (Outcome) -> Bool

  var testDescription: String { way }

  init(_ way: String, _ isExpected: @escaping @Sendable (Outcome) -> Bool) {
    self.way = way
    self.isExpected = isExpected
  }
}

extension HostileOutpost<OutpostError> {
  private static let isBreach: @Sendable (OutpostError) -> Bool = {
    if case .breach = $0 { true } else { false }
  }

  private static let isNotGreeted: @Sendable (OutpostError) -> Bool = {
    if case .notGreeted = $0 { true } else { false }
  }

  private static let isIncompatible: @Sendable (OutpostError) -> Bool = {
    if case .incompatible = $0 { true } else { false }
  }

  static let refused = [
    HostileOutpost("no preamble", isBreach),
    HostileOutpost("exits well", isNotGreeted),
    HostileOutpost("exits badly") {
      if case .notGreeted(_, let lines) = $0 {
        lines.last?.contains("Permission denied") == true
      } else {
        false
      }
    },
    HostileOutpost("says nothing", isNotGreeted),
    HostileOutpost("other version") {
      if case .otherVersion(_, 99, WireLimits.version) = $0 { true } else { false }
    },
    HostileOutpost("other build") { if case .otherBuild = $0 { true } else { false } },
    HostileOutpost("fewer features", isIncompatible),
    HostileOutpost("impossible machine", isBreach),
    HostileOutpost("long words", isBreach),
    HostileOutpost("control greeting", isBreach),
    HostileOutpost("never begins", isNotGreeted),
    HostileOutpost("unable", isIncompatible),
  ]
}

extension HostileOutpost<LinkEnding> {
  private static let isBreach: @Sendable (LinkEnding) -> Bool = {
    if case .breach = $0 { true } else { false }
  }

  /// A breach whose description names this.
  private static func breach(naming part: String) -> @Sendable (LinkEnding) -> Bool {
    { if case .breach(let description) = $0 { description.contains(part) } else { false } }
  }

  /// All but the first beat on, so that silence is not what ends them.
  static let givenUp =
    [
      HostileOutpost("falls silent") { $0 == .silent },
      HostileOutpost("second greeting", breach(naming: "greeting")),
      HostileOutpost("old epoch", breach(naming: "epoch")),
    ]
    + [
      "garbage", "long frame", "long control", "unknown stream", "unknown message", "no JSON",
      "endless message",
    ].map { HostileOutpost($0, isBreach) }

  static let givenUpAtLaunch = [
    "impossible pid", "worker with a path", "worker with a log of others",
    "takes nothing of a file", "banner",
  ].map { HostileOutpost($0, isBreach) }
}

/// What hostile outposts are tried on.
private struct HostileStage: Sendable {
  private static let machine = """
    {"version": \(WireLimits.version), "fingerprint": "\(fingerprint)", "libllama": "AVX = 1",
    "architecture": "x86_64", "features": ["avx"], "cores": 4, "memory": 8000000000,
    "system": "Linux 6", "landlock": 5, "engine": {}}
    """
  private static let fingerprint = String(repeating: "a", count: 40)
  private static let script = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "TestSupport/Counterparts/hostile_outpost.py").path

  private let folder: String
  private let eventLoop: ChildEventLoop

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "hostile-\(UUID())").path
    try FileManager.default.createDirectory(
      atPath: folder + "/logs",
      withIntermediateDirectories: true
    )
    eventLoop = try ChildEventLoop()
    try Data("a plugin".utf8).write(to: URL(filePath: folder + "/Plugin.so"))
    try Data("the neighbor's\n".utf8).write(to: URL(filePath: folder + "/logs/neighbor-1.log"))
  }

  func writePlugin(bytes: Int) throws {
    try Data(count: bytes).write(to: URL(filePath: folder + "/Plugin.so"))
  }

  func remove() { try? FileManager.default.removeItem(atPath: folder) }

  func outpost(_ way: String) -> Outpost {
    let logs = folder + "/logs"
    return Outpost(
      HostDefinition(
        name: "hostile",
        launch: [
          "/usr/bin/env", "OUTPOST_MACHINE=\(Self.machine)", Program.python, Self.script, way,
        ]
      ),
      parts: HomeParts(
        executable: "/nonexistent",
        fingerprint: Self.fingerprint,
        confinement: nil,
        environment: ProcessInfo.processInfo.environment,
        log: { "\(logs)/\($0).log" }
      ),
      timeouts: OutpostTimeouts(
        greeting: .seconds(2),
        heartbeat: .milliseconds(100),
        suspect: .seconds(1),
        lost: .seconds(2),
        lease: .seconds(3),
        margin: .seconds(1),
        launch: .seconds(1)
      ),
      eventLoop: eventLoop
    )
  }

  /// An honest outpost, which must not suffer.
  func neighbor() async throws -> Outpost {
    let neighbor = outpost("banner")
    try await neighbor.start()
    return neighbor
  }

  func configuration() -> WorkerConfiguration {
    WorkerConfiguration(
      run: .new(agent: "agent"),
      plugin: folder + "/Plugin.so",
      model: nil,
      contextSize: 4096
    )
  }

  /// Waits until the process of an outpost has ended.
  func expectGone(_ outpost: Outpost) async throws {
    guard let pid = await outpost.status.machine?.pid, pid > 0 else { return }
    try await eventually("process \(pid) is gone", within: .seconds(15)) {
      let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
      return stat?.contains(") Z ") ?? true
    }
  }

  /// Whether nothing outside the logs of its own runs was written.
  var untouched: Bool {
    let text = try? String(contentsOfFile: folder + "/logs/neighbor-1.log", encoding: .utf8)
    return text == "the neighbor's\n"
      && !FileManager.default.fileExists(atPath: folder + "/stolen.log")
  }

  var logBytes: Int {
    let files = FileManager.default
    let names = (try? files.contentsOfDirectory(atPath: folder + "/logs")) ?? []
    return names.reduce(0) { sum, name in
      let attributes = try? files.attributesOfItem(atPath: "\(folder)/logs/\(name)")
      return sum + ((attributes?[.size] as? Int) ?? 0)
    }
  }
}
