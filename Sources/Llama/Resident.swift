/// One line of conversation that a context holds.
struct Resident {
  /// With names for the cells of images.
  var tokens: [Token] = []
  /// Where images are among the tokens.
  var images: [ImageSpan] = []
  /// What the tokens were rendered from, without the answer that followed.
  var outline = Outline()
  /// Counts uses of the context: the smallest is the one that was left alone the longest.
  var lastUse = 0

  /// The position that the model counts at a place.
  func position(of place: Int) -> Int {
    images.reduce(place) { $1.end <= place ? $0 - $1.count + $1.positions : $0 }
  }

  /// So many tokens, or fewer where the last would be a part of an image.
  func wholeCount(_ count: Int) -> Int {
    images.first { $0.start < count && count < $0.end }?.start ?? count
  }
}

/// Where a request's prompt goes, and what stands there already.
struct Placement {
  let sequence: Int32
  /// Tokens of the prompt that need not be computed.
  let cached: Int
  /// Where the prompt leaves what the nearest sequence holds; `nil` where it only goes on from it.
  let cacheBreak: CacheBreak?
  /// Whether the sequence was made for the same instructions and tools.
  let knowsHead: Bool
}

// Several profiles of an agent keep what they have read side by side. They are told from each other
// by nothing but their tokens.

extension LlamaContext {
  /// Fewer tokens than these are computed again rather than kept beside others.
  private static let smallestKept = 32

  /// Chooses the sequence from which a prompt has the least to compute.
  ///
  /// Where the prompt leaves what that sequence holds, another takes over what they have in common,
  /// and the first stays as it is: for the profile that it belongs to.
  func place(_ tokens: [Token], outline: Outline) throws(LlamaError) -> Placement {
    let nearest = nearestResident(to: tokens)
    let held = self.tokens(in: nearest.sequence)
    let cacheBreak = CacheBreak(
      leaving: self.outline(of: nearest.sequence),
      of: held,
      for: outline,
      of: tokens,
      at: nearest.reusable,
      model: model
    )
    let knowsHead = !held.isEmpty && self.outline(of: nearest.sequence).head == outline.head
    var sequence = nearest.sequence
    let loses = held.count - nearest.reusable > Self.smallestKept
    if loses || isOnlyHead(held, in: sequence), let other = leastUsed(besides: sequence) {
      if !loses { noteUse(of: sequence, outline: self.outline(of: sequence)) }
      try copy(sequence, to: other, count: nearest.reusable)
      sequence = other
    }
    noteUse(of: sequence, outline: outline)
    return Placement(
      sequence: sequence,
      cached: reusableCount(of: tokens, in: sequence),
      cacheBreak: cacheBreak,
      knowsHead: knowsHead
    )
  }

  /// Whether a sequence holds what every request begins with, and could not come back to it.
  private func isOnlyHead(_ held: [Token], in sequence: Int32) -> Bool {
    let outline = outline(of: sequence)
    return !model.facts.canRewind && held.count > Self.smallestKept
      && outline.head.count == outline.parts.count
  }

  /// Forgets the sequence that was left alone the longest.
  /// - Returns: False where no other holds anything.
  func makeRoom(besides sequence: Int32) throws(LlamaError) -> Bool {
    let others = sequences(besides: sequence).filter { !tokens(in: $0).isEmpty }
    guard let oldest = others.min(by: { lastUse(of: $0) < lastUse(of: $1) }) else { return false }
    try clear(oldest)
    return true
  }

  private func nearestResident(to tokens: [Token]) -> (sequence: Int32, reusable: Int) {
    let all = (0..<Int32(sequenceCount)).map { sequence in
      let reusable = reusableCount(of: tokens, in: sequence)
      return (sequence, reusable, lost: self.tokens(in: sequence).count - reusable)
    }
    // Of those that serve as well, the one that loses the least.
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
