import Foundation
import Testing

@testable import Llama

@Suite(.timeLimit(.minutes(5))) struct ThreadTests {
  /// Runs in its own process because other tests in this one start and stop threads.
  @Test func `llama starts no thread`() async {
    await #expect(processExitsWith: .success) {
      let threads = try Threads()
      let generation = Generation(context: try Fixture.context())
      for mode in [GenerationRequest.ToolMode.allowed, .required, .disallowed] {
        var request = Chat.baton.request
        request.toolMode = mode
        _ = try generation.run(request)
      }
      // Refusing a model makes llama.cpp write to its log, which is where a thread would start.
      let folder = TemporaryFolder()
      let path = try folder.write(Data("GGUF and nothing else".utf8), to: "short.gguf")
      #expect(throws: LlamaModelError.self) { try LlamaModel(path: path) }
      #expect(try threads.begun() == 0)
    }
  }

  @Test func `a thread would be noticed`() async {
    await #expect(processExitsWith: .success) {
      let threads = try Threads()
      let running = DispatchSemaphore(value: 0)
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        running.signal()
        done.wait()
      }
      running.wait()
      #expect(try threads.begun(downTo: 1) > 0)
      done.signal()
    }
  }
}

@Suite(.timeLimit(.minutes(10)), .serialized) struct `A computation on several threads` {
  @Test func `says the same as on one, and leaves no threads behind`() async {
    await #expect(processExitsWith: .success) {
      let threads = try Threads()
      var answers: [GeneratedMessage] = []
      for count in [1, 2, 3] {
        let context = try Fixture.context()
        context.coreCount = { count }
        answers.append(try Generation(context: context).run(Chat.baton.request).message)
        #expect(try threads.begun() == 0)
      }
      #expect(answers.allSatisfy { $0 == answers[0] })
    }
  }

  @Test func `says the same on threads that stay, however many, and they go with the context`()
    async
  {
    await #expect(processExitsWith: .success) {
      let threads = try Threads()
      let model = try Fixture.model()
      let answer = try Generation(context: try Fixture.context(model)).run(Chat.baton.request)
        .message
      do {
        let context = try Fixture.context(model)
        context.keepsThreads = true
        for (count, kept) in [(2, 1), (3, 3), (2, 3), (1, 3), (3, 3), (4, 6)] {
          context.coreCount = { count }
          // On a busy machine a step may use fewer of the existing threads.
          context.use(threads: count)
          try context.clear(0)
          #expect(try Generation(context: context).run(Chat.baton.request).message == answer)
          #expect(try threads.begun(downTo: kept) == kept)
        }
        // The threads for many different counts are not all kept.
        for count in 5...12 { context.use(threads: count) }
        #expect(try threads.begun(downTo: 39) < 40)
      }
      #expect(try threads.begun() == 0)
    }
  }

  @Test func `goes on with fewer when others take its cores, and computes the same`() async {
    await #expect(processExitsWith: .success) {
      let model = try Fixture.model()
      let tokens = Fixture.tokens(400, of: model)
      let alone = try Fixture.context(model)
      try alone.prefill(tokens)
      let context = try Fixture.context(model)
      context.coreCount = { 2 }
      // Two for every core: fewer would leave two cores of a large machine free.
      let others = try (0..<2 * ProcessInfo.processInfo.activeProcessorCount).map { _ in
        try Process.run(
          URL(filePath: "/bin/sh"),
          arguments: ["-c", "ulimit -t 60; while :; do :; done"]
        )
      }
      // The starting thread has every signal blocked, and the programs inherit its mask.
      defer { for other in others { kill(other.processIdentifier, SIGKILL) } }
      // This loop runs in its own process, so nothing could end it from outside.
      let deadline = ContinuousClock.now + .seconds(60)
      var count = 2
      while count == 2, ContinuousClock.now < deadline {
        try context.clear(0)
        try context.prefill(tokens)
        count = context.pace.count(upTo: 2)
      }
      #expect(count == 1, "after 60 s beside \(others.count) others it still uses both threads")
      let state = try [alone, context].map { try $0.state(of: 0) }
      #expect(state[0] == state[1])
    }
  }
}

/// The threads of this process.
private struct Threads {
  private let before: Set<String>

  init() throws { before = try Self.all() }

  /// How many have begun since and are there, as soon as they are no more than `count`.
  ///
  /// One that was joined is listed for a moment more. One that was there before may have ended.
  func begun(downTo count: Int = 0) throws -> Int {
    let deadline = ContinuousClock.now + .seconds(10)
    while true {
      let begun = try Self.all().subtracting(before).count
      if begun <= count || ContinuousClock.now > deadline { return begun }
      Thread.sleep(forTimeInterval: 0.001)
    }
  }

  private static func all() throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task"))
  }
}
