import AgentKit
import Coordination
import Coordinator
import Foundation
import Supervision
import TestSupport
import Testing
import Wire

@Suite(.timeLimit(.minutes(5)), .serialized) struct `A worker behind bubblewrap` {
  /// The installed Bubblewrap, if it works here.
  private static let installed: Bubblewrap? = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    guard let found = Bubblewrap(in: path), found.problem() == nil else { return nil }
    return found
  }()
  private static let reason: Comment = "there is no bwrap in PATH, or it starts nothing here"

  @Test func `sees what it needs, and what a person has allowed`() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    #expect(Bubblewrap(in: "\(folder):/nonexistent") == nil)
    // A script in its place records its arguments and starts the worker.
    let script = """
      #!/bin/sh
      printf '%s\\n' "$@" > \(folder)/arguments
      while [ "$1" != -- ]; do shift; done
      shift
      exec "$@"
      """
    try script.write(toFile: folder + "/bwrap", atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o700],
      ofItemAtPath: folder + "/bwrap"
    )
    let bubblewrap = try #require(Bubblewrap(in: "/nonexistent:\(folder)"))
    let troupe = try await Troupe.shared()
    let scratch = folder + "/scratch"
    let roster = try Roster(
      executable: troupe.worker,
      launcher: bubblewrap,
      sandbox: SandboxPolicy(templates: Confinement(mode: .default, scratch: scratch))
    )
    func arguments(_ permissions: [Permission]) async throws -> [String] {
      let configuration = WorkerConfiguration(
        run: .new(agent: "puppet"),
        plugin: troupe.plugin("puppet"),
        model: nil,
        contextSize: nil,
        confinement: Confinement(permissions: permissions)
      )
      let worker = try await roster.launch(configuration, log: "/dev/null")
      for await case .message(.ready) in worker.events { break }
      await worker.end(by: .retire)
      let text = try String(contentsOfFile: folder + "/arguments", encoding: .utf8)
      return text.split(separator: "\n").map(String.init)
    }
    func place(of access: String, _ path: String, in arguments: [String]) -> Int? {
      arguments.indices.dropLast(2).last {
        arguments[$0...].starts(with: [access, path, path])
      }
    }
    func has(_ access: String, _ path: String, _ arguments: [String]) -> Bool {
      place(of: access, path, in: arguments) != nil
    }
    let bare = try await arguments([])
    for word in ["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop"] {
      #expect(bare.contains(word))
    }
    #expect(!bare.contains("--share-net"))
    #expect(has("--ro-bind-try", troupe.plugin("puppet"), bare))
    #expect(has("--ro-bind-try", troupe.worker, bare))
    #expect(bare.filter { $0 == "--bind-try" }.count == 1)
    let own = try #require(bare.firstIndex(of: "--bind-try").map { bare[$0 + 1] })
    #expect(own.hasPrefix(scratch + "/puppet-"))
    // No bind may expose everything.
    for path in ["/", "/home", "/root", "/etc", "/run", "/var"] {
      #expect(!has("--ro-bind", path, bare) && !has("--ro-bind-try", path, bare), "\(path)")
    }

    let allowed = try await arguments([
      .network, .reading("/srv/notes"), .writing("/srv/out"), .running("/opt/tool"),
      .reading("/srv/large-00001-of-00002.gguf"),
    ])
    #expect(allowed.contains("--share-net"))
    #expect(has("--ro-bind-try", "/srv/notes", allowed))
    #expect(has("--ro-bind-try", "/opt/tool", allowed))
    #expect(has("--ro-bind-try", "/srv/large-00002-of-00002.gguf", allowed))
    #expect(has("--bind-try", "/srv/out", allowed))

    // Each of these hides what was mounted before it at or below its path.
    let plugins = (troupe.plugin("puppet") as NSString).deletingLastPathComponent
    let around = try await arguments([.writing(plugins), .reading(folder), .reading("/")])
    let inside = try #require(around.last { $0.hasPrefix(scratch + "/puppet-") })
    let places = [
      around.firstIndex(of: "--tmpfs"),
      place(of: "--ro-bind-try", folder, in: around),
      place(of: "--ro-bind-try", "/", in: around),
      place(of: "--bind-try", plugins, in: around),
      around.lastIndex(of: "--proc"),
      place(of: "--ro-bind-try", troupe.worker, in: around),
      place(of: "--ro-bind-try", troupe.plugin("puppet"), in: around),
      place(of: "--bind-try", inside, in: around),
    ].compactMap(\.self)
    #expect(places.count == 8)
    #expect(places == places.sorted(), "\(around)")
    await roster.close()
  }

  @Test func `is killed when the trial exceeds its timeout`() throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    func problem(of script: String, within patience: Duration) throws -> String? {
      try "#!/bin/sh\n\(script)".write(
        toFile: folder + "/bwrap",
        atomically: true,
        encoding: .utf8
      )
      chmod(folder + "/bwrap", 0o700)
      return try #require(Bubblewrap(in: folder)).problem(within: patience)
    }
    let words = try #require(
      try problem(of: "echo $$ > \(folder)/pid; exec sleep 60", within: .seconds(1))
    )
    #expect(words.contains("did not exit within 1 s"))
    let pid = try String(contentsOfFile: folder + "/pid", encoding: .utf8)
    #expect(!Stranger.isRunning(try #require(Int32(pid.filter(\.isNumber)))))
    #expect(try problem(of: "echo no >&2; exit 3", within: .seconds(20)) == "no")
    // A process that it leaves behind may hold its pipe open.
    #expect(try problem(of: "sleep 5 & echo late >&2; exit 3", within: .seconds(20)) == "late")
    #expect(try problem(of: "exit 0", within: .seconds(20)) == nil)
  }

  @Test(.enabled(if: installed != nil, reason)) func `is alone in its PID namespace, and works`()
    async throws
  {
    try await Stage.set(isConfined: true, launcher: try #require(Self.installed)) { stage in
      // The answer is the worker's own pid.
      let answer = try #require(try await stage.ask("do nothing").answer)
      #expect((1...9).contains(Int32(answer) ?? 0), "\(answer)")
      #expect(try await stage.ask("recite").answer?.contains("do nothing") == true)
      let line = try #require(stage.traffic.lines.first)
      let inside = Self.descendants(of: line.pid)
      #expect(!inside.isEmpty)
      // The reported memory is the worker's, not its launcher's.
      #expect((ProcessMemory.proportional(of: line.pid) ?? 0) > 4_000_000)
    }
  }

  @Test(.enabled(if: installed != nil, reason), arguments: `A worker that dies`.ways)
  func `dies as any other, and is replaced`(way: `A worker that dies`.Way) async throws {
    try await Stage.set(isConfined: true, launcher: try #require(Self.installed)) { stage in
      let turn = try await stage.ask("do \(way.act)")
      #expect(turn.exit == .answered)
      #expect(stage.traffic.lines(of: "puppet").map(\.death?.cause) == [way.cause, nil])
    }
  }

  @Test(.enabled(if: installed != nil, reason))
  func `is not left by a coordinator that is killed`() async throws {
    let result = await #expect(
      processExitsWith: .signal(SIGKILL),
      observing: [\.standardOutputContent]
    ) {
      let troupe = try await Troupe.shared()
      let roster = try Roster(
        executable: troupe.worker,
        launcher: try #require(Self.installed)
      )
      let configuration = WorkerConfiguration(
        run: RunID("orphan-1"),
        plugin: troupe.plugin("puppet"),
        model: nil,
        contextSize: nil
      )
      let worker = try await roster.launch(configuration, log: "/dev/null")
      for await case .message(.ready) in worker.events { break }
      let pids = [worker.pid] + Self.descendants(of: worker.pid)
      guard pids.count > 1, pids.allSatisfy(Stranger.isRunning) else { exit(1) }
      let line = Array(pids.map { "\npid \($0)\n" }.joined().utf8)
      _ = write(1, line, line.count)
      kill(getpid(), SIGKILL)
    }
    let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
    let pids = output.split(separator: "\n").filter { $0.hasPrefix("pid ") }
      .compactMap { Int32($0.dropFirst(4)) }
    #expect(pids.count > 1)
    for pid in pids { #expect(await Stranger.hasGone(pid)) }
  }

  private static func descendants(of pid: Int32) -> [Int32] {
    let path = "/proc/\(pid)/task/\(pid)/children"
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    let children = text.split(separator: " ").compactMap { Int32($0) }
    return children + children.flatMap(descendants)
  }
}
