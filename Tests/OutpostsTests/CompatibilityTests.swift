import Testing
import Wire

@testable import Outposts

@Suite struct `Another machine` {
  private func problem(_ change: (inout OutpostMachine) -> Void) -> OutpostError? {
    var machine = OutpostMachine.example
    change(&machine)
    return Compatibility.problem(with: machine, on: "there", fingerprint: "abc")
  }

  @Test func `of the same build and with all features is used`() {
    #expect(problem { _ in } == nil)
  }

  @Test func `that speaks another version is refused, with both versions`() {
    let expected = OutpostError.otherVersion(
      host: "there",
      found: 3,
      expected: WireLimits.version
    )
    #expect(problem { $0.version = 3 } == expected)
  }

  @Test func `with another build is refused, because plugins would not load`() {
    #expect(
      problem { $0.fingerprint = "abd" }
        == .otherBuild(host: "there", found: "abd", expected: "abc")
    )
  }

  @Test func `whose processor lacks what libllama was compiled for is refused`() {
    guard case .incompatible(_, let words) = problem({ $0.features = ["avx"] }) else {
      Issue.record("it was accepted")
      return
    }
    #expect(words.contains("AVX2"))
  }
}

extension OutpostMachine {
  static let example = OutpostMachine(
    version: WireLimits.version,
    fingerprint: "abc",
    libllama: "CPU : AVX = 1 | AVX2 = 1 | LLAMAFILE = 1 | REPACK = 1",
    architecture: "x86_64",
    features: ["avx", "avx2"],
    cores: 2,
    memory: 1 << 30,
    system: "Linux 6.1",
    pid: 2,
    landlock: 4,
    engine: [:]
  )
}
