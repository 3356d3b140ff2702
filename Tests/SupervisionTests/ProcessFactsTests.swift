import Foundation
import Supervision
import Testing

@Suite struct `Facts about processes` {
  @Test func `tell what this process occupies`() throws {
    let memory = try #require(ProcessMemory.proportional(of: getpid()))
    #expect(memory > 1024 * 1024)
  }

  @Test func `tell nothing of a process that is not there`() {
    #expect(ProcessMemory.proportional(of: .max) == nil)
  }

  @Test func `let only what is on the list into a worker's environment`() {
    let variables = WorkerEnvironment.variables(of: [
      "PATH": "/bin", "HOME": "/h", "LANG": "C", "LD_PRELOAD": "evil.so", "OPENAI_API_KEY": "k",
      "SWIFT_BACKTRACE": "enable=yes", "ORCHESTRATOR_TOKEN": "t", "https_proxy": "http://p:1",
      "NO_PROXY": "localhost", "ftp_proxy": "http://f:1",
    ])
    #expect(
      variables == [
        "PATH": "/bin", "HOME": "/h", "LANG": "C", "https_proxy": "http://p:1",
        "NO_PROXY": "localhost", "GGML_NO_BACKTRACE": "1",
        "SWIFT_BACKTRACE": "enable=no", "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
      ]
    )
  }
}
