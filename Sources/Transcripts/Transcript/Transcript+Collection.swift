extension Transcript: RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
  /// Creates an empty transcript.
  public init() {
    self.init(entries: [])
  }

  /// The index of the first entry.
  public var startIndex: Int { 0 }

  /// The index after the last entry.
  public var endIndex: Int { leadingCount + past.count }

  private var leadingCount: Int { leadingInstructions == nil ? 0 : 1 }

  /// The entry at an index.
  public subscript(position: Int) -> Entry {
    get {
      if position == 0, let leadingInstructions { return .instructions(leadingInstructions) }
      return past[position - leadingCount]
    }
    set {
      guard position > 0 else { return replaceSubrange(0..<1, with: CollectionOfOne(newValue)) }
      past[position - leadingCount] = newValue
    }
  }

  /// Replaces a range of entries with others.
  public mutating func replaceSubrange(
    _ range: Range<Int>,
    with newElements: some Collection<Entry>
  ) {
    guard range.lowerBound > 0 else {
      self = Transcript(entries: Array(newElements) + self[range.upperBound...])
      return
    }
    let places = range.lowerBound - leadingCount..<range.upperBound - leadingCount
    past.replaceSubrange(places, with: newElements)
  }
}

extension Collection<Transcript.Entry> {
  /// The leading instructions, or `nil` if the entries begin with something else.
  package var leadingInstructions: Transcript.Instructions? {
    if case .instructions(let instructions) = first { instructions } else { nil }
  }

  /// The entries that precede the history: instructions, or nothing.
  package var leading: SubSequence { prefix(leadingInstructions == nil ? 0 : 1) }
}

extension Transcript {
  /// The entries after the leading instructions.
  ///
  /// Writing replaces everything except the leading instructions, for every profile that uses the
  /// transcript.
  public var history: HistoryView {
    get { HistoryView(past) }
    set {
      past = newValue.entries
      guard leadingInstructions == nil, let instructions = past.leadingInstructions else { return }
      leadingInstructions = instructions
      past.removeFirst()
    }
  }

  /// The entries of a transcript after its leading instructions.
  public struct HistoryView: Sendable, Equatable, RandomAccessCollection, MutableCollection,
    RangeReplaceableCollection, ExpressibleByArrayLiteral
  {
    /// An index in the history.
    public struct Index: Sendable, Comparable, Strideable {
      fileprivate let offset: Int

      /// Returns whether one index precedes another.
      public static func < (left: Self, right: Self) -> Bool { left.offset < right.offset }
      /// Returns the number of entries between two indices.
      public func distance(to other: Self) -> Int { other.offset - offset }
      /// Returns the index at a distance from this one.
      public func advanced(by distance: Int) -> Self { .init(offset: offset + distance) }
    }

    /// The type of a slice, which is a history too.
    public typealias SubSequence = HistoryView

    package private(set) var entries = ChunkedArray<Entry>()
    private var base = 0

    /// Creates an empty history.
    public init() {}

    /// Creates a history from entries.
    public init(_ entries: some Sequence<Entry>) {
      self.entries = (entries as? HistoryView)?.entries ?? ChunkedArray(entries)
    }

    /// Creates a history from a literal.
    public init(arrayLiteral elements: Entry...) { self.init(elements) }

    /// The index of the first entry.
    public var startIndex: Index { Index(offset: base) }

    /// The index after the last entry.
    public var endIndex: Index { Index(offset: base + entries.count) }

    /// The entry at an index.
    public subscript(position: Index) -> Entry {
      get { entries[position.offset - base] }
      set { entries[position.offset - base] = newValue }
    }

    /// A slice of the history, which shares the indices of the whole.
    public subscript(bounds: Range<Index>) -> HistoryView {
      get {
        var view = self
        view.entries.removeSubrange((bounds.upperBound.offset - base)...)
        view.entries.removeSubrange(..<(bounds.lowerBound.offset - base))
        view.base = bounds.lowerBound.offset
        return view
      }
      set { replaceSubrange(bounds, with: newValue) }
    }

    /// Replaces a range of entries with others.
    public mutating func replaceSubrange(
      _ bounds: Range<Index>,
      with newElements: some Collection<Entry>
    ) {
      let range = bounds.lowerBound.offset - base..<bounds.upperBound.offset - base
      entries.replaceSubrange(range, with: newElements)
    }

    /// Returns whether two histories have equal entries.
    public static func == (left: Self, right: Self) -> Bool { left.entries == right.entries }
  }
}
