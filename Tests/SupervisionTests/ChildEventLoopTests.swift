import Foundation
import Supervision
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The event loop` {
  @Test func `reports output and errors in order, and the exit last`() async throws {
    let child = try await RunningChild.shell("echo a; echo b >&2; echo c; echo d >&2; exit 7")
    let life = await child.life()
    #expect(life.text == "a\nc\n")
    #expect(String(decoding: life.error, as: UTF8.self) == "b\nd\n")
    #expect(life.order.last == .exited(.code(7)))
    #expect(life.order.filter { if case .exited = $0 { true } else { false } }.count == 1)
  }

  @Test(arguments: [0, 1, 126, 255] as [Int32])
  func `reports an exit code as it is`(code: Int32) async throws {
    let life = try await RunningChild.shell("exit \(code)").life()
    #expect(life.status == .code(code))
  }

  @Test(arguments: [SIGKILL, SIGTERM, SIGABRT, SIGSEGV, SIGHUP])
  func `reports the signal that ended a child`(signal: Int32) async throws {
    let life = try await RunningChild.shell("kill -\(signal) $$; exit 1").life()
    #expect(life.status == .signal(signal))
  }

  @Test func `passes arguments and environment as they are`() async throws {
    let child = try await RunningChild.start(
      "/bin/sh",
      ["-c", #"printf '%s|' "$@" "$SECRET"; env"#, "x", "a b", "", "ä\n"],
      environment: ["SECRET": "in = out"]
    )
    let text = await child.life().text
    #expect(text.hasPrefix("a b||ä\n|in = out|"))
    // The shell adds its working directory, but nothing of this process is inherited.
    #expect(!text.contains("HOME="))
  }

  @Test func `passes input to a child whole and in order`() async throws {
    let child = try await RunningChild.start("/bin/cat", [])
    let bytes = (0..<20_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 11) }
    child.write("first\n")
    child.write(bytes)
    child.write("last\n")
    child.closeInput()
    let life = await child.life()
    #expect(life.output == Array("first\n".utf8) + bytes + Array("last\n".utf8))
    #expect(life.status == .code(0))
  }

  @Test func `serves others while a child does not read`() async throws {
    let deaf = try await RunningChild.shell("exec sleep 600")
    deaf.write([UInt8](repeating: 0, count: 8 * 1024 * 1024))
    let other = try await RunningChild.start("/bin/cat", [])
    other.write("heard\n")
    other.closeInput()
    #expect(await other.life().text == "heard\n")
    deaf.signal(SIGKILL)
    #expect(await deaf.life().status == .signal(SIGKILL))
  }

  @Test func `serves others while a child floods`() async throws {
    // Output is discarded here; otherwise it would fill the memory of a busy machine.
    let flood = try await RunningChild.start(
      "/bin/sh",
      ["-c", "echo begun; exec yes >&2"],
      keeping: { if case .error = $0 { false } else { true } }
    )
    #expect(await flood.firstLine() == "begun")
    let other = try await RunningChild.start("/bin/cat", [])
    other.write("heard\n")
    other.closeInput()
    #expect(await other.life().text == "heard\n")
    flood.signal(SIGKILL)
    #expect(await flood.life().status == .signal(SIGKILL))
  }

  @Test func `survives a child that is killed while it is written to`() async throws {
    let child = try await RunningChild.shell("head -c 1; kill -9 $$")
    child.write([UInt8](repeating: 0x2E, count: 10 * 1024 * 1024))
    let life = await child.life()
    #expect(life.status == .signal(SIGKILL))
    // Writing to a child that is gone is no error either.
    child.write("more")
    child.closeInput()
    child.signal(SIGTERM)
    #expect(try await RunningChild.shell("exit 0").life().status == .code(0))
  }

  @Test func `writes nothing after the input was closed`() async throws {
    let child = try await RunningChild.start("/bin/cat", [])
    let bytes = [UInt8](repeating: 0x2E, count: 1024 * 1024)
    child.write(bytes)
    child.closeInput()
    child.write("late")
    #expect(await child.life().output == bytes)
  }

  @Test func `kills a child when the event handler says so`() async throws {
    let child = try await RunningChild.start(
      "/bin/sh",
      ["-c", "echo no; exec sleep 600"],
      react: {
        if case .output = $0 { .kill } else { .goOn }
      }
    )
    #expect(await child.life().status == .signal(SIGKILL))
  }

  @Test func `reports the end of output of a child that lives on`() async throws {
    let child = try await RunningChild.shell("exec >&-; echo closed >&2; read x; exit 4")
    // The child ends only when told to, so the order is certain.
    child.write("go\n")
    let life = await child.life()
    #expect(life.order.contains(.outputClosed))
    #expect(life.status == .code(4))
  }

  @Test func `reports why a child cannot be started`() async throws {
    await #expect(throws: LaunchError.self) {
      _ = try await RunningChild.start("/nonexistent/program", [])
    }
    let problem = LaunchError.system(call: "starting x", code: ENOENT)
    #expect(problem.description == "starting x: No such file or directory")
  }
}
