/// The growing text of an answer, cut off at the first stop.
struct OutputText {
  /// Everything up to the stop, if there was one.
  private(set) var bytes: [UInt8] = []
  private(set) var isStopped = false

  private let stops: [[UInt8]]

  init(stops: [String]) {
    self.stops = stops.map { Array($0.utf8) }.filter { !$0.isEmpty }
  }

  mutating func append(_ piece: [UInt8]) {
    guard !isStopped else { return }
    let seen = bytes.count
    bytes += piece
    let ends = stops.compactMap { stop in
      // A stop may have begun in earlier pieces.
      firstIndex(of: stop, from: max(0, seen - stop.count + 1))
    }
    if let end = ends.min() {
      bytes.removeSubrange(end...)
      isStopped = true
    }
  }

  /// The text that no later piece can change: without an incomplete character and without a
  /// possible beginning of a stop.
  var settled: ArraySlice<UInt8> {
    isStopped ? bytes[...] : bytes.dropLast(max(openCharacterLength, openStopLength))
  }

  private func firstIndex(of stop: [UInt8], from start: Int) -> Int? {
    guard bytes.count - start >= stop.count else { return nil }
    return (start...(bytes.count - stop.count)).first { bytes[$0...].starts(with: stop) }
  }

  private var openStopLength: Int {
    stops.map { stop in
      (1..<max(1, stop.count)).last { length in
        length <= bytes.count && bytes.suffix(length).elementsEqual(stop.prefix(length))
      } ?? 0
    }.max() ?? 0
  }

  /// The number of bytes at the end that begin an incomplete character.
  private var openCharacterLength: Int {
    let tail = bytes.suffix(3)
    guard let lead = tail.lastIndex(where: { $0 & 0b1100_0000 != 0b1000_0000 }) else { return 0 }
    let length = bytes.endIndex - lead
    let needed =
      switch bytes[lead] {
      case 0b1100_0000..<0b1110_0000: 2
      case 0b1110_0000..<0b1111_0000: 3
      case 0b1111_0000...: 4
      default: 1
      }
    return length < needed ? length : 0
  }
}
