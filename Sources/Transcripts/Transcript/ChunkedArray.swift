/// An array whose copies share their chunks.
///
/// Several places hold the history of a conversation at once, such as a turn and what it began with.
/// Appending to one copy of an `Array` copies all of it; here it copies the last chunk and the list
/// of chunks, so that an entry costs about the same in a long conversation as in a short one.
package struct ChunkedArray<Element: Sendable>: Sendable {
  private final class Chunk: Sendable {
    let elements: [Element]

    init(_ elements: [Element]) { self.elements = elements }
  }

  /// The number of elements in every chunk.
  private static var width: Int { 64 }
  private var chunks: [Chunk] = []
  /// The elements after the last chunk, fewer than fill one.
  private var tail: [Element] = []

  package init() {}

  /// The number of leading elements that both arrays share, in whole chunks.
  package func sharedCount(with other: Self) -> Int {
    let most = Swift.min(chunks.count, other.chunks.count)
    return Self.width * ((0..<most).first { chunks[$0] !== other.chunks[$0] } ?? most)
  }

  /// The elements that copies share even when they change at their ends.
  package var inWholeChunks: Self {
    var whole = self
    whole.tail = []
    return whole
  }

  private mutating func truncate(to count: Int) {
    let full = count / Self.width
    if full < chunks.count {
      tail = chunks[full].elements
      chunks.removeSubrange(full...)
    }
    tail.removeSubrange((count % Self.width)...)
  }
}

extension ChunkedArray: RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
  package init(_ elements: some Sequence<Element>) {
    if let same = elements as? Self {
      self = same
    } else {
      append(contentsOf: elements)
    }
  }

  package var startIndex: Int { 0 }

  package var endIndex: Int { chunks.count * Self.width + tail.count }

  package subscript(position: Int) -> Element {
    get {
      let (chunk, place) = (position / Self.width, position % Self.width)
      return chunk < chunks.count ? chunks[chunk].elements[place] : tail[place]
    }
    set {
      let (chunk, place) = (position / Self.width, position % Self.width)
      guard chunk < chunks.count else { return tail[place] = newValue }
      var elements = chunks[chunk].elements
      elements[place] = newValue
      chunks[chunk] = Chunk(elements)
    }
  }

  package mutating func append(_ element: Element) {
    tail.append(element)
    guard tail.count == Self.width else { return }
    chunks.append(Chunk(tail))
    tail = []
  }

  package mutating func replaceSubrange(
    _ range: Range<Int>,
    with newElements: some Collection<Element>
  ) {
    guard !range.isEmpty || !newElements.isEmpty else { return }
    let rest = Array(self[range.upperBound...])
    truncate(to: range.lowerBound)
    append(contentsOf: newElements)
    append(contentsOf: rest)
  }
}

extension ChunkedArray: Equatable where Element: Equatable {
  package static func == (left: Self, right: Self) -> Bool {
    left.count == right.count && left.tail == right.tail
      && zip(left.chunks, right.chunks).allSatisfy { $0 === $1 || $0.elements == $1.elements }
  }
}

extension ChunkedArray: ExpressibleByArrayLiteral {
  package init(arrayLiteral elements: Element...) { self.init(elements) }
}
