import AgentKit
import CSystemCalls
import Synchronization
import Testing
import Wire

@testable import Working

@Suite(.timeLimit(.minutes(5))) struct `The watch of a worker's resources` {
  private static func watch(descriptors: Int, of bound: Int, memory: Int = 0) -> ResourceWatch {
    ResourceWatch { resource in
      resource == csystem_limit_memory
        ? csystem_share(used: UInt64(memory) << 20, bound: 2048 << 20)
        : csystem_share(used: UInt64(descriptors), bound: UInt64(bound))
    }
  }

  @Test(arguments: [(240, 256, 0), (5000, 0, 0), (10, 256, 1984)])
  func `says nothing while something is left`(descriptors: Int, bound: Int, memory: Int) {
    let watch = Self.watch(descriptors: descriptors, of: bound, memory: memory)
    #expect(watch.exhaustion() == nil)
  }

  @Test func `names the bound and the tools that ran last, once`() {
    let watch = Self.watch(descriptors: 241, of: 256)
    watch.note([Self.call("old")])
    watch.note([Self.call("b"), Self.call("a"), Self.call("b")])
    watch.note([])
    #expect(watch.exhaustion() == Exhaustion(.descriptors, bound: 256, tools: ["b", "a"]))
    #expect(watch.exhaustion() == nil)
  }

  @Test func `names memory`() {
    let watch = Self.watch(descriptors: 10, of: 256, memory: 1985)
    #expect(watch.exhaustion() == Exhaustion(.memory, bound: 2048 << 20, tools: []))
  }

  @Test func `is heard before the next request, and before the end of a turn that fails`()
    async throws
  {
    for fails in [false, true] {
      let isUsedUp = Mutex(false)
      let resources = ResourceWatch { resource in
        let used: UInt64 = isUsedUp.withLock { $0 } ? 256 : 10
        return csystem_share(used: used, bound: resource == csystem_limit_memory ? 0 : 256)
      }
      let leak = Leak(fails: fails) { isUsedUp.withLock { $0 = true } }
      let messages = try await WorkerTurn.messages(of: Leaking(leak: leak), resources: resources)
      let place = messages.firstIndex(
        of: .exhausted(Exhaustion(.descriptors, bound: 256, tools: ["leak"]))
      )
      let rest = messages.suffix(from: try #require(place)).map(\.outline)
      let goesOn = ["admission", "record done (1)", "answered"]
      #expect(rest == ["else"] + (fails ? ["failed"] : goesOn))
    }
  }

  @Test func `counts the descriptors that are open, and the memory`() {
    let share = csystem_use_of(csystem_limit_descriptors)
    #expect(share.bound == 0 || (3...share.bound).contains(share.used))
    let memory = csystem_use_of(csystem_limit_memory)
    #expect(memory.bound == 0 || memory.used > 0)
  }

  private static func call(_ tool: String) -> Transcript.ToolCall {
    .init(id: tool, toolName: tool, arguments: GeneratedContent(properties: [:]))
  }
}

private struct Leaking: Agent {
  let name = "leaking"
  let description = "leaks"
  var leak = Leak(fails: false) {}
  // One for all requests, because it counts its steps.
  let model = ScriptedLanguageModel(.call("leak", "{}"), .text("done"))

  var body: some DynamicProfile {
    Profile {
      Instructions("Leak.")
      leak
    }
    .model(model)
  }
}

private struct Leak: Tool {
  struct Problem: Error {}

  let name = "leak"
  let description = "Leaks."
  let fails: Bool
  let act: @Sendable () -> Void

  @Generable struct Arguments {}

  func call(arguments: Arguments) async throws -> String {
    act()
    if fails { throw Problem() }
    return "leaked"
  }
}
