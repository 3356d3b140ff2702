/// The number of tokens that requests to a model used.
public struct TokenUsage: Sendable, Equatable {
  /// The tokens that the model read.
  public struct Input: Sendable, Equatable, Codable {
    /// The total number of input tokens.
    public var totalTokenCount: Int
    /// The number of input tokens that were cached and not computed again.
    public var cachedTokenCount: Int

    /// Creates token counts.
    public init(totalTokenCount: Int, cachedTokenCount: Int) {
      self.totalTokenCount = totalTokenCount
      self.cachedTokenCount = cachedTokenCount
    }
  }

  /// The tokens that the model generated.
  public struct Output: Sendable, Equatable, Codable {
    /// The total number of generated tokens.
    public var totalTokenCount: Int
    /// The number of generated tokens that were reasoning.
    public var reasoningTokenCount: Int

    /// Creates token counts.
    public init(totalTokenCount: Int, reasoningTokenCount: Int) {
      self.totalTokenCount = totalTokenCount
      self.reasoningTokenCount = reasoningTokenCount
    }
  }

  /// The tokens that the model read.
  public var input: Input
  /// The tokens that the model generated.
  public var output: Output
  /// Where the prompt diverged from what the model had cached, if the model reports it.
  package var cacheBreak: CacheBreak?
  /// Additional information from the model, such as timings.
  public var metadata: [String: GeneratedContent]

  /// The total number of tokens, read and generated.
  public var totalTokenCount: Int { input.totalTokenCount + output.totalTokenCount }

  /// Creates a usage value.
  public init(
    input: Input,
    output: Output,
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) {
    self.input = input
    self.output = output
    self.metadata = metadata.mapValues(\.generatedContent)
  }

  package init() {
    self.init(
      input: Input(totalTokenCount: 0, cachedTokenCount: 0),
      output: Output(totalTokenCount: 0, reasoningTokenCount: 0)
    )
  }

  package static func += (left: inout TokenUsage, right: TokenUsage) {
    left.input.totalTokenCount += right.input.totalTokenCount
    left.input.cachedTokenCount += right.input.cachedTokenCount
    left.output.totalTokenCount += right.output.totalTokenCount
    left.output.reasoningTokenCount += right.output.reasoningTokenCount
    left.cacheBreak = left.cacheBreak ?? right.cacheBreak
    left.metadata.merge(right.metadata) { _, last in last }
  }
}
