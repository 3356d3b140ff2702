import Testing
import Transcripts

@testable import Coordinator

@Suite struct `Where a worker runs` {
  private typealias Candidate = Placement.Candidate

  private func host(
    _ name: String,
    _ readiness: Candidate.Readiness = .up,
    group: String? = nil,
    isWarm: Bool = false,
    cores: Int? = 1,
    memory: Int? = 1000,
    obstacle: String? = nil
  ) -> Candidate {
    Candidate(
      name: name,
      group: group ?? name,
      readiness: readiness,
      obstacle: obstacle,
      isWarm: isWarm,
      freeCores: cores,
      freeMemory: memory
    )
  }

  private func decide(
    _ requirement: HostRequirement?,
    mayLeave: Bool = true,
    cores: Int = 1,
    memory: Int? = 1000,
    _ hosts: Candidate...
  ) -> Placement.Decision {
    Placement(home: .init(freeCores: cores, freeMemory: memory), hosts: hosts)
      .decide(requirement, mayLeave: mayLeave)
  }

  @Test func `is here, where the agent requires nothing and a core is free`() {
    #expect(decide(nil, host("a", isWarm: true)) == .here)
    #expect(decide(nil) == .here)
  }

  @Test func `is where the agent is ready and a core is free, when all cores here compute`() {
    #expect(decide(nil, cores: 0, host("a"), host("b", isWarm: true)) == .host("b"))
    #expect(decide(nil, cores: 0, host("b", isWarm: true, cores: 0)) == .here)
    #expect(decide(nil, cores: 0, host("b", isWarm: true, cores: nil)) == .here)
    #expect(decide(nil, cores: 0, host("b", .off, isWarm: true)) == .here)
    #expect(decide(nil, cores: 0, host("b", isWarm: true, obstacle: "no")) == .here)
    #expect(decide(nil, mayLeave: false, cores: 0, host("b", isWarm: true)) == .here)
  }

  @Test func `is the named host, or the best of its group`() {
    #expect(decide("a", host("a", .off), host("b")) == .host("a"))
    #expect(decide("a", mayLeave: false, host("a")) == .host("a"))
    let group = [
      host("n-1", .off, group: "n"), host("n-2", group: "n"), host("n-3", group: "n", isWarm: true),
      host("n-4", group: "n", cores: 3),
    ]
    func best(_ count: Int, of name: HostRequirement = "n") -> Placement.Decision {
      Placement(home: .init(freeCores: 9), hosts: Array(group.prefix(count))).decide(name)
    }
    #expect(best(1) == .host("n-1"))
    #expect(best(2) == .host("n-2"))
    #expect(best(4) == .host("n-3"))
    #expect(best(4, of: "n-1") == .host("n-1"))
  }

  @Test func `is this machine where the agent requires that`() {
    #expect(decide(.local, cores: 0, host("b", isWarm: true)) == .here)
  }

  @Test func `is nowhere, with the reasons, where the named host cannot be used`() {
    #expect(decide("a", host("a", obstacle: "a is drained.")) == .none(["a is drained."]))
    guard case .none(let reasons) = decide("c", host("a")) else {
      Issue.record("there is no reason")
      return
    }
    #expect(reasons.count == 1)
  }

  @Test func `is any machine with so much free memory, this one first`() {
    let much: HostRequirement = .any(memory: "800")
    #expect(decide(much, host("a")) == .here)
    #expect(decide(much, host("a", isWarm: true)) == .host("a"))
    #expect(decide(much, memory: 10, host("a", memory: 20), host("b", .off)) == .host("b"))
    #expect(decide(much, cores: 0, host("a")) == .host("a"))
    #expect(decide(much, cores: 0, host("a", .off)) == .here)
    #expect(decide(.any(), host("a", .off)) == .here)
    #expect(decide(much, memory: nil, host("a")) == .here)
    guard case .none(let reasons) = decide(much, memory: 10, host("a", memory: 20)) else {
      Issue.record("there is no reason")
      return
    }
    #expect(reasons.count == 1)
  }
}

@Suite struct `A host that fails` {
  @Test func `is left alone for twice as long each time, up to a bound`() {
    var failures = HostFailures()
    let now = ContinuousClock.now
    #expect(failures.obstacle(at: now) == nil)
    failures.record("first", at: now)
    #expect(failures.obstacle(at: now + .seconds(1.9)) == "first")
    #expect(failures.obstacle(at: now + .seconds(2)) == nil)
    failures.record("second", at: now)
    #expect(failures.obstacle(at: now + .seconds(3.9)) == "second")
    #expect(failures.obstacle(at: now + .seconds(4)) == nil)
    for _ in 0..<100 { failures.record("again", at: now) }
    #expect(failures.obstacle(at: now + .seconds(299)) == "again")
    #expect(failures.obstacle(at: now + .seconds(300)) == nil)
    failures.clear()
    #expect(failures.obstacle(at: now) == nil && failures.problem == nil)
  }
}
