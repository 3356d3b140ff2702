import Testing

@testable import Commands

@Suite struct `What a chat has read` {
  @Test func `waits until it is begun, one prompt after the other`() throws {
    var state = ChatState(isTyped: false)
    for line in ["one", "two"] {
      let taken = try state.take(line)
      #expect(!taken.isDone)
    }
    let first = state.begin()
    #expect(first?.text == "one")
    let early = state.begin()
    #expect(early?.text == nil)
    state.finish(true)
    let second = state.begin()
    #expect(second?.text == "two")
  }

  @Test func `makes room at once when it is no prompt`() throws {
    var state = ChatState(isTyped: false)
    let blank = try state.take("  ")
    #expect(blank.isDone)
    state.missImage()
    let refused = try state.take("What is on it?")
    #expect(refused.isDone)
    #expect(state.isIdle)
  }

  @Test func `is not asked where a terminal has cut it off`() throws {
    var state = ChatState(isTyped: true)
    let (whole, cut) = (String(repeating: "a", count: 4094), String(repeating: "a", count: 4095))
    #expect(try state.take(whole).isPrompt)
    #expect(throws: CommandError.cutLine(bytes: 4095)) { try state.take(cut) }
    // The cut split a character, whose remaining bytes are lost.
    #expect(throws: CommandError.cutLine(bytes: 4095)) { try state.take(whole + "\u{FFFD}") }
    var piped = ChatState(isTyped: false)
    #expect(try piped.take(cut).isPrompt)
  }

  @Test(arguments: ["/quit", "/help me", "/imag photo.png"])
  func `is not asked where somebody takes it for a word of the chat`(line: String) throws {
    var state = ChatState(isTyped: true)
    let word = String(line.prefix { $0 != " " })
    #expect(throws: CommandError.unknownWord(word)) { try state.take(line) }
    #expect(try state.take(" " + line).isPrompt)
    var piped = ChatState(isTyped: false)
    #expect(try piped.take(line).isPrompt)
  }

  @Test(arguments: ["/etc/passwd is what?", "/ or \\?", "/1 of 2", "a /quit"])
  func `is asked where it only begins with a slash`(line: String) throws {
    var state = ChatState(isTyped: true)
    #expect(try state.take(line).isPrompt)
  }

  @Test func `attaches nothing where the image has no name or is a folder`() throws {
    var state = ChatState(isTyped: true)
    #expect(throws: CommandError.namelessImage) { try state.take("/image ") }
    let fault = CommandError.badImage("/tmp", "it is a folder")
    #expect(throws: fault) { try state.take("/image /tmp") }
  }
}

extension ChatState.Taken {
  fileprivate var isPrompt: Bool { if case .prompt = self { true } else { false } }
}
