import AgentKit

/// One conversation that a context holds.
struct CachedSequence {
  /// The tokens, including names for the cells of images.
  var tokens: [Token] = []
  /// Where images are among the tokens.
  var images: [ImageSpan] = []
  /// How many of the first tokens were computed at least two at a time.
  ///
  /// llama.cpp rounds differently where it computes a single token, as it does for each of an
  /// answer's. Any other division of the tokens into steps gives the same numbers.
  var together = 0
  /// What the tokens were rendered from, without the answer that followed.
  var segments = PromptSegments()
  /// The context's use count at the last use: the smallest is the least recently used.
  var lastUse = 0

  /// Returns the position that the model counts at a place.
  func position(of place: Int) -> Int {
    images.reduce(place) { $1.end <= place ? $0 - $1.count + $1.positions : $0 }
  }

  /// Returns this many tokens, or fewer where the last would be inside an image.
  func wholeCount(_ count: Int) -> Int {
    images.first { $0.start < count && count < $0.end }?.start ?? count
  }
}

/// Where a request's prompt goes, and what is already there.
struct SequenceAllocation {
  let sequence: Int32
  /// The number of the prompt's tokens that need not be computed.
  let cached: Int
  /// Where the prompt diverges from what the nearest sequence holds; `nil` where it only continues
  /// it.
  let cacheBreak: CacheBreak?
  /// Whether the sequence was computed for the same instructions and tools.
  let knowsHead: Bool
}

extension CachedSequence {
  /// Adds tokens that were computed in one step.
  mutating func append(_ added: ArraySlice<Token>) {
    if together == tokens.count, added.count > 1 { together += added.count }
    tokens += added
  }
}

// Several profiles of an agent keep what they have read side by side. Only their tokens tell them
// apart.

extension LlamaContext {
  /// Fewer tokens than this are recomputed rather than kept beside others.
  private static let smallestKept = 32

  /// Chooses the sequence from which a prompt has the least to compute.
  ///
  /// Where the prompt diverges from that sequence, another one takes over what they have in common,
  /// and the first stays unchanged for the profile it belongs to.
  func allocateSequence(for tokens: [Token], segments: PromptSegments) throws(LlamaError)
    -> SequenceAllocation
  {
    let nearest = nearestSequence(to: tokens)
    let held = self.tokens(in: nearest.sequence)
    let cacheBreak = CacheBreak(
      leaving: self.segments(of: nearest.sequence),
      of: held,
      for: segments,
      of: tokens,
      at: nearest.reusable,
      model: model
    )
    let knowsHead = !held.isEmpty && self.segments(of: nearest.sequence).head == segments.head
    var sequence = nearest.sequence
    let loses = held.count - nearest.reusable > Self.smallestKept
    if loses || isOnlyHead(held, in: sequence), let other = leastUsed(besides: sequence) {
      if !loses { noteUse(of: sequence, segments: self.segments(of: sequence)) }
      try copy(sequence, to: other, count: nearest.reusable)
      sequence = other
    }
    noteUse(of: sequence, segments: segments)
    return SequenceAllocation(
      sequence: sequence,
      cached: reusableCount(of: tokens, in: sequence),
      cacheBreak: cacheBreak,
      knowsHead: knowsHead
    )
  }

  /// Returns whether a sequence holds only what every request begins with and could not rewind to
  /// it.
  private func isOnlyHead(_ held: [Token], in sequence: Int32) -> Bool {
    let segments = segments(of: sequence)
    return !model.facts.canRewind && held.count > Self.smallestKept
      && segments.head.count == segments.parts.count
  }

  /// Forgets the least recently used sequence.
  ///
  /// - Returns: `false` when no other sequence holds anything.
  func makeRoom(besides sequence: Int32) throws(LlamaError) -> Bool {
    let others = sequences(besides: sequence).filter { !tokens(in: $0).isEmpty }
    guard let oldest = others.min(by: { lastUse(of: $0) < lastUse(of: $1) }) else { return false }
    try clear(oldest)
    return true
  }

  private func nearestSequence(to tokens: [Token]) -> (sequence: Int32, reusable: Int) {
    let all = (0..<Int32(sequenceCount)).map { sequence in
      let reusable = reusableCount(of: tokens, in: sequence)
      return (sequence, reusable, lost: self.tokens(in: sequence).count - reusable)
    }
    // Among equally useful sequences, take the one that loses the least.
    let nearest = all.max { ($0.1, -$0.lost) < ($1.1, -$1.lost) }
    return nearest.map { ($0.0, $0.1) } ?? (0, 0)
  }

  private func leastUsed(besides sequence: Int32) -> Int32? {
    let others = sequences(besides: sequence)
    return others.first { tokens(in: $0).isEmpty }
      ?? others.min { lastUse(of: $0) < lastUse(of: $1) }
  }

  func sequences(besides sequence: Int32) -> [Int32] {
    (0..<Int32(sequenceCount)).filter { $0 != sequence }
  }
}
