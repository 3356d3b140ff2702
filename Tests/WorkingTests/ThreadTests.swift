import Testing

@testable import Working

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite(.timeLimit(.minutes(5))) struct `A dedicated thread` {
  @Test func `that is joined has run elsewhere`() {
    var count = 0
    let thread = JoinedThread.run {
      count += 1
      return pthread_self()
    }
    #expect(count == 1)
    #expect(thread != pthread_self())
  }

  @Test func `that is detached runs to its end`() async {
    let (words, continuation) = AsyncStream<String>.makeStream()
    DetachedThread.start(name: "test") {
      continuation.yield("done")
      continuation.finish()
    }
    var heard: [String] = []
    for await word in words { heard.append(word) }
    #expect(heard == ["done"])
  }
}
