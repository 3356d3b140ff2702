import Testing
import Transcripts

@Suite struct `A chunked array` {
  @Test(arguments: 0..<20) func `has what an array has after the same changes`(seed: UInt64) {
    var random = Seeded(seed: seed)
    var (chunked, array) = (ChunkedArray<Int>(0..<100), Array(0..<100))
    for _ in 0..<100 {
      let (earlier, before) = (chunked, array)
      let lower = Int.random(in: 0...array.count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        let new = Array(repeating: lower, count: Int.random(in: 0..<150, using: &random))
        chunked += new
        array += new
      case 1 where lower < array.count:
        chunked[lower] = -lower
        array[lower] = -lower
      case 2:
        chunked.append(lower)
        array.append(lower)
      default:
        let upper = Int.random(in: lower...array.count, using: &random)
        let new = Array(repeating: upper, count: Int.random(in: 0..<10, using: &random))
        chunked.replaceSubrange(lower..<upper, with: new)
        array.replaceSubrange(lower..<upper, with: new)
      }
      #expect(chunked.elementsEqual(array))
      #expect(chunked == ChunkedArray(array))
      // A copy has what it had.
      #expect(earlier.elementsEqual(before))
      // What is shared is equal.
      let shared = chunked.sharedCount(with: earlier)
      #expect(array.prefix(shared) == before.prefix(shared))
    }
  }

  @Test func `shares all but its end with a copy to which something is appended`() {
    let array = ChunkedArray(0..<10_000)
    var (longer, shorter, changed) = (array, array, array)
    longer += 0..<100
    shorter.removeLast(5_000)
    changed[3_000] = 0
    #expect(10_000 - longer.sharedCount(with: array) < 64)
    #expect(5_000 - shorter.sharedCount(with: array) < 64)
    #expect(3_000 - changed.sharedCount(with: array) < 64)
    #expect(ChunkedArray(array).sharedCount(with: array) == array.sharedCount(with: array))
    #expect(ChunkedArray(Array(array)).sharedCount(with: array) == 0)
  }
}
