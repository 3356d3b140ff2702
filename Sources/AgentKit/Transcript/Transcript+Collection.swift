extension Transcript: RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
  /// Makes an empty transcript.
  public init() {
    self.init(entries: [])
  }

  /// Where the entries begin.
  public var startIndex: Int { entries.startIndex }

  /// Where the entries end.
  public var endIndex: Int { entries.endIndex }

  /// One entry.
  public subscript(position: Int) -> Entry {
    get { entries[position] }
    set { entries[position] = newValue }
  }

  /// Puts other entries in the place of some.
  public mutating func replaceSubrange(
    _ range: Range<Int>,
    with newElements: some Collection<Entry>
  ) {
    entries.replaceSubrange(range, with: newElements)
  }
}

extension Collection<Transcript.Entry> {
  /// The instructions that the entries begin with; `nil` where they begin with something else.
  var leadingInstructions: Transcript.Instructions? {
    if case .instructions(let instructions) = first { instructions } else { nil }
  }

  /// What comes before the history: instructions, or nothing.
  var leading: SubSequence { prefix(leadingInstructions == nil ? 0 : 1) }
}

extension Transcript {
  /// The entries after the leading instructions.
  ///
  /// Writing replaces everything but the leading instructions, for every profile that uses the
  /// transcript.
  public var history: HistoryView {
    get { HistoryView(entries[entries.leading.endIndex...]) }
    set { entries = entries.leading + newValue.entries }
  }

  /// The entries of a transcript after its leading instructions.
  public struct HistoryView: Sendable, Equatable, RandomAccessCollection, MutableCollection,
    RangeReplaceableCollection, ExpressibleByArrayLiteral
  {
    /// A place in the history.
    public struct Index: Sendable, Comparable, Strideable {
      fileprivate let offset: Int

      /// Whether one place comes before another.
      public static func < (left: Self, right: Self) -> Bool { left.offset < right.offset }
      /// How many entries lie between two places.
      public func distance(to other: Self) -> Int { other.offset - offset }
      /// The place some entries further on.
      public func advanced(by distance: Int) -> Self { .init(offset: offset + distance) }
    }

    /// A part of a history is a history.
    public typealias SubSequence = HistoryView

    fileprivate var entries: [Entry]
    private var base = 0

    /// Makes an empty history.
    public init() { entries = [] }

    /// Makes a history of entries.
    public init(_ entries: some Sequence<Entry>) { self.entries = Array(entries) }

    /// Makes a history from a literal.
    public init(arrayLiteral elements: Entry...) { entries = elements }

    /// Where the history begins.
    public var startIndex: Index { Index(offset: base) }

    /// Where the history ends.
    public var endIndex: Index { Index(offset: base + entries.count) }

    /// One entry.
    public subscript(position: Index) -> Entry {
      get { entries[position.offset - base] }
      set { entries[position.offset - base] = newValue }
    }

    /// A part of the history, with the places of the whole.
    public subscript(bounds: Range<Index>) -> HistoryView {
      get {
        let range = bounds.lowerBound.offset - base..<bounds.upperBound.offset - base
        var view = HistoryView(entries[range])
        view.base = bounds.lowerBound.offset
        return view
      }
      set { replaceSubrange(bounds, with: newValue) }
    }

    /// Puts other entries in the place of some.
    public mutating func replaceSubrange(
      _ bounds: Range<Index>,
      with newElements: some Collection<Entry>
    ) {
      let range = bounds.lowerBound.offset - base..<bounds.upperBound.offset - base
      entries.replaceSubrange(range, with: newElements)
    }

    /// Equal when the entries are.
    public static func == (left: Self, right: Self) -> Bool { left.entries == right.entries }
  }
}
