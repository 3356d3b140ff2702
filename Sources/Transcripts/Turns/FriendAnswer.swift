/// The result of phoning a friend.
///
/// A failure is information for the model, not a fault.
package struct FriendAnswer: Sendable, Equatable, Codable {
  /// The friend's answer, or `nil` if it did not give one.
  package var text: String?
  /// Why the friend's turn ended.
  package var exit: TurnExit
  /// The input tokens of the friend and of the friends that it phoned.
  package var input: TokenUsage.Input
  /// The output tokens of the friend and of the friends that it phoned.
  package var output: TokenUsage.Output

  package init(
    _ text: String?,
    exit: TurnExit,
    usage: TokenUsage = TokenUsage()
  ) {
    self.text = text
    self.exit = exit
    input = usage.input
    output = usage.output
  }

  package static func answered(_ text: String) -> FriendAnswer {
    FriendAnswer(text, exit: .answered)
  }

  package static func failed(_ problem: String) -> FriendAnswer {
    FriendAnswer(nil, exit: .failed(problem))
  }

  package var usage: TokenUsage { .init(input: input, output: output) }
}
