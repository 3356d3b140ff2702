import Coordination
import Foundation

/// A prompt as it was typed, with what was attached before.
struct TypedPrompt: Sendable {
  let text: String
  let images: [PromptImage]
}

/// Where a chat stands.
struct ChatState {
  /// What a line was taken for.
  enum Taken {
    case answer(ApprovalDialog.Answer)
    /// An answer that came after its question was settled.
    case overtaken(settled: Int64)
    case attached(PromptImage)
    /// A prompt that cannot be asked as it was meant.
    case refused(String)
    case prompt
    case nothing

    /// Whether another line may be read in its place: a prompt keeps it until it is begun, and a
    /// question comes with room for its answer.
    var isDone: Bool {
      switch self {
      case .attached, .refused, .nothing: true
      case .answer, .overtaken, .prompt: false
      }
    }
  }

  /// Bytes of a line that a terminal hands over; what is typed beyond them it drops.
  private static let lineBytes = 4095

  var dialog = ApprovalDialog()
  private(set) var allAnswered = true
  private var prompts: [TypedPrompt] = []
  private var images: [PromptImage] = []
  /// Whether somebody types the lines in a terminal.
  private let isTyped: Bool
  private var isResponding = false
  private var isClosed = false
  /// Whether nobody reads the answers.
  private var isUnread = false
  /// Whether an image is missing that the next prompt is about.
  private var lacksImage = false

  init(isTyped: Bool) { self.isTyped = isTyped }

  var isIdle: Bool { !isResponding && prompts.isEmpty }
  var isOver: Bool { isIdle && (isClosed || isUnread) }

  /// Takes what was typed: an answer where something is asked, an image for the next prompt, or that
  /// prompt.
  mutating func take(_ line: String) throws(CommandError) -> Taken {
    if isTyped, line.utf8.count >= Self.lineBytes { throw .cutLine(bytes: Self.lineBytes) }
    switch dialog.take(line) {
    case .answer(let answer): return .answer(answer)
    case .overtaken(let settled): return .overtaken(settled: settled)
    case nil: break
    }
    let text = line.trimmingCharacters(in: .whitespaces)
    if let path = ImageArgument.path(in: text) {
      let image = try ImageArgument.read(path)
      images.append(image)
      return .attached(image)
    }
    if isTyped, let word = Self.unknownWord(in: line) { throw .unknownWord(word) }
    guard !text.isEmpty else { return .nothing }
    if lacksImage {
      (lacksImage, images) = (false, [])
      return .refused(text)
    }
    prompts.append(TypedPrompt(text: text, images: images))
    images = []
    return .prompt
  }

  /// What a line begins with that looks as if it were for the chat, and not for its agents.
  private static func unknownWord(in line: String) -> String? {
    let word = line.prefix { !$0.isWhitespace }
    let isWord = word.count > 1 && word.hasPrefix("/") && word.dropFirst().allSatisfy(\.isLetter)
    return isWord ? String(word) : nil
  }

  /// The next prompt is not asked, and so not everything is answered.
  mutating func missImage() {
    allAnswered = false
    lacksImage = true
  }

  mutating func close() -> [ApprovalDialog.Answer] {
    isClosed = true
    return dialog.leave()
  }

  /// Nobody reads answers any more: what is not begun is not answered.
  mutating func giveUp() {
    if !isOver { allAnswered = false }
    isUnread = true
    prompts = []
  }

  /// The prompt to answer now, if there is one and none is being answered.
  mutating func begin() -> TypedPrompt? {
    guard !isResponding, !prompts.isEmpty else { return nil }
    isResponding = true
    return prompts.removeFirst()
  }

  /// An earlier turn is finished before any prompt is begun.
  mutating func beginResuming() { isResponding = true }

  mutating func finish(_ isAnswered: Bool) {
    isResponding = false
    if !isAnswered { allAnswered = false }
  }
}
