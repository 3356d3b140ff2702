// Swift's own matching would do, if it took a class such as `\w` by scalars in the same way whatever
// follows: Swift 6.3 finds no match for it in the "3" of "3α". It also tries every way to match, which
// for a text that does not match can take forever.

extension PatternTerm {
  /// Returns where matches end that begin at one of some positions.
  func ends(in text: [Unicode.Scalar], from starts: Set<Int>) -> Set<Int> {
    switch self {
    case .one(let set):
      return Set(
        starts.filter { $0 < text.count && set.scalars.contains(text[$0]) }.map { $0 + 1 }
      )
    case .sequence(let terms): return terms.reduce(starts) { $1.ends(in: text, from: $0) }
    case .choice(let terms):
      return terms.reduce(into: []) { $0.formUnion($1.ends(in: text, from: starts)) }
    case .group(let term): return term.ends(in: text, from: starts)
    case .anchor: return starts
    case .repetition(let term, let count):
      var (current, ends) = (starts, count.least == 0 ? starts : [])
      var times = 0
      while times < count.most ?? .max, !current.isEmpty {
        let next = term.ends(in: text, from: current)
        times += 1
        if times >= count.least {
          if next.isSubset(of: ends) { break }
          ends.formUnion(next)
        } else if next == current {
          return next
        }
        current = next
      }
      return ends
    }
  }
}
