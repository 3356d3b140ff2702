import Foundation
import Llama
import Testing

@Suite(.timeLimit(.minutes(1))) struct ThreadTests {
  /// In a process of its own: in this one other tests come and go with their threads.
  @Test func `llama starts no thread`() async {
    await #expect(processExitsWith: .success) {
      let before = try threadCount()
      #expect(before >= 1)
      let generation = Generation(context: try Fixture.context())
      for mode in [GenerationRequest.ToolMode.allowed, .required, .disallowed] {
        var request = Chat.baton.request
        request.toolMode = mode
        _ = try generation.run(request)
      }
      // A refused model makes llama.cpp write to its log, which is where a thread would start.
      let folder = TemporaryFolder()
      let path = try folder.write(Data("GGUF and nothing else".utf8), to: "short.gguf")
      #expect(throws: LlamaModelError.self) { try LlamaModel(path: path) }
      #expect(try threadCount() == before)
    }
  }

  @Test func `a thread would be noticed`() async {
    await #expect(processExitsWith: .success) {
      let before = try threadCount()
      let running = DispatchSemaphore(value: 0)
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        running.signal()
        done.wait()
      }
      running.wait()
      #expect(try threadCount() > before)
      done.signal()
    }
  }
}

private func threadCount() throws -> Int {
  try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
}
