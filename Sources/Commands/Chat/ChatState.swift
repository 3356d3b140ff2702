import Coordination
import Foundation
import Terminal

/// A typed prompt with the images attached before it.
struct TypedPrompt: Sendable {
  let text: String
  let images: [PromptImage]
}

struct ChatState {
  enum Meaning {
    case answer(ApprovalDialog.Answer)
    /// An answer that came after its question was settled.
    case overtaken(settled: Int64)
    case attached(PromptImage)
    /// A prompt that cannot be asked as intended.
    case refused(String)
    case prompt
    case nothing

    /// Whether the line's place is free for another.
    ///
    /// A prompt keeps its place until it begins, and a question makes room for its own answer.
    var isDone: Bool {
      switch self {
      case .attached, .refused, .nothing: true
      case .answer, .overtaken, .prompt: false
      }
    }
  }

  /// The most bytes of a line that a terminal delivers; it drops what is typed beyond them.
  private static let lineBytes = 4095

  var dialog = ApprovalDialog()
  private(set) var allAnswered = true
  private var prompts: [TypedPrompt] = []
  private var images: [PromptImage] = []
  /// Whether a person types the lines in a terminal.
  private let isTyped: Bool
  private var isResponding = false
  private var isClosed = false
  /// Whether the answers have no reader.
  private var isUnread = false
  /// Whether the next prompt lacks an image that it refers to.
  private var lacksImage = false

  init(isTyped: Bool) { self.isTyped = isTyped }

  var isIdle: Bool { !isResponding && prompts.isEmpty }
  var isOver: Bool { isIdle && (isClosed || isUnread) }

  /// Interprets a line: as an answer if something is asked, else as an image or as the next prompt.
  mutating func interpret(_ line: InputLine) throws(CommandError) -> Meaning {
    if isTyped, line.bytes.count >= Self.lineBytes { throw .cutLine(bytes: Self.lineBytes) }
    switch dialog.interpret(line) {
    case .answer(let answer): return .answer(answer)
    case .overtaken(let settled): return .overtaken(settled: settled)
    case nil: break
    }
    guard let whole = line.text else { throw .unreadableLine(number: line.number) }
    let text = whole.trimmingCharacters(in: .whitespaces)
    if let path = ImageArgument.path(in: text) {
      let image = try ImageArgument.read(path)
      images.append(image)
      return .attached(image)
    }
    if isTyped, let word = Self.unknownWord(in: whole) { throw .unknownWord(word) }
    guard !text.isEmpty else { return .nothing }
    if lacksImage {
      (lacksImage, images) = (false, [])
      return .refused(text)
    }
    prompts.append(TypedPrompt(text: text, images: images))
    images = []
    return .prompt
  }

  /// Returns the leading word of a line if it looks like an unknown chat command.
  private static func unknownWord(in line: String) -> String? {
    let word = line.prefix { !$0.isWhitespace }
    let isWord = word.count > 1 && word.hasPrefix("/") && word.dropFirst().allSatisfy(\.isLetter)
    return isWord ? String(word) : nil
  }

  /// Skips a line that could not be interpreted, so that not everything is answered.
  ///
  /// Without its image, the next prompt is skipped too, and with a prompt, its images are.
  mutating func skip(_ line: InputLine) {
    allAnswered = false
    let text = String(decoding: line.bytes, as: UTF8.self).trimmingCharacters(in: .whitespaces)
    lacksImage = ImageArgument.path(in: text) != nil
    if !lacksImage { images = [] }
  }

  mutating func close() -> [ApprovalDialog.Answer] {
    isClosed = true
    return dialog.leave()
  }

  /// Drops the prompts that have not begun, because the answers have no reader any more.
  mutating func giveUp() {
    if !isOver { allAnswered = false }
    isUnread = true
    prompts = []
  }

  /// Begins the next prompt if there is one and none is being answered.
  mutating func begin() -> TypedPrompt? {
    guard !isResponding, !prompts.isEmpty else { return nil }
    isResponding = true
    return prompts.removeFirst()
  }

  /// Marks an earlier turn as being finished, before any prompt begins.
  mutating func beginResuming() { isResponding = true }

  mutating func finish(_ isAnswered: Bool) {
    isResponding = false
    if !isAnswered { allAnswered = false }
  }
}
