extension Transcript: RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
  /// Creates an empty transcript.
  public init() {
    self.init(entries: [])
  }

  /// The index of the first entry.
  public var startIndex: Int { entries.startIndex }

  /// The index after the last entry.
  public var endIndex: Int { entries.endIndex }

  /// The entry at an index.
  public subscript(position: Int) -> Entry {
    get { entries[position] }
    set { entries[position] = newValue }
  }

  /// Replaces a range of entries with others.
  public mutating func replaceSubrange(
    _ range: Range<Int>,
    with newElements: some Collection<Entry>
  ) {
    entries.replaceSubrange(range, with: newElements)
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
    get { HistoryView(entries[entries.leading.endIndex...]) }
    set { entries = entries.leading + newValue.entries }
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

    fileprivate var entries: [Entry]
    private var base = 0

    /// Creates an empty history.
    public init() { entries = [] }

    /// Creates a history from entries.
    public init(_ entries: some Sequence<Entry>) { self.entries = Array(entries) }

    /// Creates a history from a literal.
    public init(arrayLiteral elements: Entry...) { entries = elements }

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
        let range = bounds.lowerBound.offset - base..<bounds.upperBound.offset - base
        var view = HistoryView(entries[range])
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
