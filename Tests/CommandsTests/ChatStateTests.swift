import Foundation
import Testing

@testable import Commands
@testable import Terminal

@Suite struct `What a chat has read` {
  @Test func `waits until it is begun, one prompt after the other`() throws {
    var state = ChatState(isTyped: false)
    for line in ["one", "two"] {
      let taken = try state.interpret(line)
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
    let blank = try state.interpret("  ")
    #expect(blank.isDone)
    state.skip(InputLine("/image none.png"))
    let refused = try state.interpret("What is on it?")
    #expect(refused.isDone)
    #expect(state.isIdle)
  }

  @Test func `is not asked where a terminal has cut it off`() throws {
    var state = ChatState(isTyped: true)
    let (whole, cut) = (String(repeating: "a", count: 4094), String(repeating: "a", count: 4095))
    #expect(try state.interpret(whole).isPrompt)
    #expect(throws: CommandError.cutLine(bytes: 4095)) { try state.interpret(cut) }
    // The cut split a character, whose remaining bytes are lost.
    #expect(throws: CommandError.cutLine(bytes: 4095)) { try state.interpret(whole + "\u{FFFD}") }
    var piped = ChatState(isTyped: false)
    #expect(try piped.interpret(cut).isPrompt)
  }

  @Test(arguments: [true, false])
  func `is not asked where it is not UTF-8, and what comes next is`(isTyped: Bool) throws {
    var state = ChatState(isTyped: isTyped)
    let line = InputLine.foreign("caf", number: 7)
    #expect(throws: CommandError.unreadableLine(number: 7)) { try state.interpret(line) }
    #expect(state.isIdle)
    let words = "\(CommandError.unreadableLine(number: 7))"
    #expect(words.hasPrefix("Line 7 is not valid UTF-8, so it was not sent."))
    #expect(try state.interpret("café").isPrompt)
    #expect(state.begin()?.text == "café")
  }

  /// A PNG image of one pixel.
  private static let pixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    + "gg=="

  @Test func `counts as unanswered when it is skipped, and takes its images with it`() throws {
    let photo = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).png")
    try #require(Data(base64Encoded: Self.pixel)).write(to: photo)
    defer { try? FileManager.default.removeItem(at: photo) }
    var state = ChatState(isTyped: false)
    _ = try state.interpret("/image \(photo.path)")
    #expect(state.allAnswered)
    state.skip(.foreign("What is this, caf"))
    #expect(!state.allAnswered)
    #expect(try state.interpret("Hello").isPrompt)
    #expect(state.begin()?.images.count == 0)
  }

  @Test func `is not asked without the image whose name is not UTF-8`() throws {
    var state = ChatState(isTyped: false)
    let image = InputLine.foreign("/image caf")
    #expect(throws: CommandError.unreadableLine(number: 1)) { try state.interpret(image) }
    state.skip(image)
    #expect(try !state.interpret("What is on it?").isPrompt)
    #expect(try state.interpret("Hello").isPrompt)
  }

  @Test(arguments: ["/quit", "/help me", "/imag photo.png"])
  func `is not a prompt if it looks like a chat command`(line: String) throws {
    var state = ChatState(isTyped: true)
    let word = String(line.prefix { $0 != " " })
    #expect(throws: CommandError.unknownWord(word)) { try state.interpret(line) }
    #expect(try state.interpret(" " + line).isPrompt)
    var piped = ChatState(isTyped: false)
    #expect(try piped.interpret(line).isPrompt)
  }

  @Test(arguments: ["/etc/passwd is what?", "/ or \\?", "/1 of 2", "a /quit"])
  func `is asked where it only begins with a slash`(line: String) throws {
    var state = ChatState(isTyped: true)
    #expect(try state.interpret(line).isPrompt)
  }

  @Test func `attaches nothing where the image has no name or is a folder`() throws {
    var state = ChatState(isTyped: true)
    #expect(throws: CommandError.namelessImage) { try state.interpret("/image ") }
    let fault = CommandError.badImage("/tmp", "it is a folder")
    #expect(throws: fault) { try state.interpret("/image /tmp") }
  }
}

extension InputLine {
  fileprivate init(_ text: String) { self.init(number: 1, bytes: Array(text.utf8)) }

  /// A line of another encoding.
  fileprivate static func foreign(_ start: String, number: Int = 1) -> InputLine {
    InputLine(number: number, bytes: Array(start.utf8) + [0xE9])
  }
}

extension ChatState {
  fileprivate mutating func interpret(_ text: String) throws(CommandError) -> Meaning {
    try interpret(InputLine(text))
  }
}

extension ChatState.Meaning {
  fileprivate var isPrompt: Bool { if case .prompt = self { true } else { false } }
}
