import Foundation
import TestSupport
import Testing

@testable import Supervision

@Suite(.timeLimit(.minutes(5))) struct `Facts about processes` {
  @Test func `report the memory of this process`() throws {
    let memory = try #require(ProcessMemory.proportional(of: getpid()))
    #expect(memory > 1024 * 1024)
  }

  @Test func `are nil for a process that does not exist`() {
    #expect(ProcessMemory.proportional(of: .max) == nil)
  }

  @Test func `include descendants that have left the process group`() async throws {
    let child = try await RunningChild.shell("setsid sh -c 'echo $$; exec sleep 600' & wait")
    let grandchild = try #require(Int32(await child.firstLine()))
    #expect(getpgid(grandchild) != child.pid)
    let family = ProcessTable(ProcessFacts.all()).family(of: child.pid)
    #expect(Set(family.map(\.pid)) == [child.pid, grandchild])
    #expect(family.map(\.threads) == [1, 1])
    #expect(ProcessFacts(of: .max) == nil)
    kill(grandchild, SIGKILL)
    child.signal(SIGKILL)
    _ = await child.life()
  }

  @Test func `count deleted files that are open or mapped, each once`() throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    func bytes() -> UInt64 { DeletedFiles(of: [getpid(), getpid()]).bytes(below: folder) }
    let file = open(folder + "/file", O_RDWR | O_CREAT, 0o600)
    let room = [UInt8](repeating: 1, count: 1 << 20)
    #expect(write(file, room, room.count) == room.count)
    let page = mmap(nil, 4096, PROT_READ, MAP_SHARED, file, 0)
    defer { munmap(page, 4096) }
    fsync(file)
    #expect(bytes() == 0, "it has a name")
    unlink(folder + "/file")
    let occupied = bytes()
    #expect((1 << 20..<2 << 20).contains(occupied))
    close(file)
    // Without superuser rights, only the limit is still known.
    #expect([occupied, 1 << 30].contains(bytes()))
  }

  @Test func `pass only listed variables to a worker`() {
    let variables = WorkerEnvironment.variables(of: [
      "PATH": "/bin", "HOME": "/h", "LANG": "C", "LD_PRELOAD": "evil.so", "OPENAI_API_KEY": "k",
      "SWIFT_BACKTRACE": "enable=yes", "ORCHESTRATOR_TOKEN": "t", "https_proxy": "http://p:1",
      "NO_PROXY": "localhost", "ftp_proxy": "http://f:1",
    ])
    #expect(
      variables == [
        "PATH": "/bin", "HOME": "/h", "LANG": "C", "https_proxy": "http://p:1",
        "NO_PROXY": "localhost", "GGML_NO_BACKTRACE": "1",
        "SWIFT_BACKTRACE": "enable=no,swift-backtrace=/dev/null",
        "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
      ]
    )
  }
}
