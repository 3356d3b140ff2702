import Foundation
import Supervision
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A child's group` {
  @Test func `is its own`() async throws {
    let child = try await RunningChild.shell("cut -d' ' -f5 /proc/$$/stat")
    #expect(await child.life().lines == ["\(child.pid)"])
    #expect(getpgrp() != child.pid)
  }

  @Test func `ends with it`() async throws {
    let child = try await RunningChild.shell("sleep 600 & echo $!; read x; exit 5")
    let grandchild = try #require(Int32(await child.firstLine()))
    // Proves that the check works: it sees a living process.
    #expect(Stranger.isRunning(grandchild))
    child.write("go\n")
    #expect(await child.life().status == .code(5))
    #expect(await Stranger.hasGone(grandchild))
  }

  @Test func `does not delay the reported exit when a descendant has left it`() async throws {
    // The grandchild starts its own session before the child ends, and holds its output open.
    let child = try await RunningChild.shell(
      """
      trap 'exit 3' USR1
      setsid sh -c 'echo $$; kill -USR1 $0; exec sleep 600' $$ &
      while :; do wait; done
      """
    )
    let grandchild = try #require(Int32(await child.firstLine()))
    let life = await child.life()
    #expect(life.status == .code(3))
    #expect(Stranger.isRunning(grandchild), "nothing held the output, so nothing was tested")
    #expect(!life.order.contains(.outputClosed))
    kill(grandchild, SIGKILL)
    #expect(await Stranger.hasGone(grandchild))
  }

  @Test func `receives signals as a whole`() async throws {
    let child = try await RunningChild.shell("sleep 600 & echo $!; wait")
    let grandchild = try #require(Int32(await child.firstLine()))
    child.signal(SIGTERM)
    #expect(await child.life().status == .signal(SIGTERM))
    #expect(await Stranger.hasGone(grandchild))
  }
}

@Suite(.timeLimit(.minutes(5))) struct `What a child inherits` {
  @Test func `is only the three standard descriptors`() async throws {
    // This descriptor would be inherited if the launch did not prevent it.
    let open = Foundation.open("/dev/null", O_RDONLY)
    defer { close(open) }
    #expect(fcntl(open, F_GETFD) & FD_CLOEXEC == 0)
    // The shell's glob sees its own descriptor, which is the first free one.
    let script = "ls /proc/$$/fd"
    #expect(try await RunningChild.shell(script).life().lines == ["0", "1", "2"])
    // Proves that the check works: it sees a descriptor that is inherited.
    let seen = try await RunningChild.shell("exec 7</dev/null; \(script)").life().lines
    #expect(seen == ["0", "1", "2", "7"])
  }

  @Test func `is no ignored or blocked signal`() async throws {
    // A shell would not do, because it has masks of its own.
    let child = try await RunningChild.start("/usr/bin/env", ["cat", "/proc/self/status"])
    let own = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    // Proves that the check works: the event loop ignores SIGPIPE in this process.
    let ignored = try #require(Self.masks(own.split(separator: "\n").map(String.init)).last)
    #expect(ignored & 1 << (SIGPIPE - 1) != 0)
    let masks = Self.masks(await child.life().lines)
    // The two bits left out of the mask are the C library's own.
    #expect(masks.map { $0 & ~0x1_8000_0000 } == [0, 0])
  }

  /// The masks of blocked and ignored signals.
  private static func masks(_ status: [String]) -> [UInt64] {
    ["SigBlk:\t", "SigIgn:\t"].compactMap { name in
      status.first { $0.hasPrefix(name) }.flatMap { UInt64($0.dropFirst(name.count), radix: 16) }
    }
  }
}
