package import Transcripts

// Messages are read from JSON of which any member may be absent or of another kind than the
// protocol says, so members are optional here rather than decoded into types.

extension GeneratedContent {
  /// The truth value, if the content is one.
  package var flag: Bool? {
    if case .bool(let flag) = kind { flag } else { nil }
  }

  /// The members in their order, if the content is an object.
  package var members: [(name: String, value: GeneratedContent)]? {
    guard case .structure(let members, let names) = kind else { return nil }
    return names.compactMap { name in members[name].map { (name, $0) } }
  }

  /// Returns whether it is the same JSON value, in which the order of members does not count.
  package func isSame(as other: GeneratedContent) -> Bool {
    switch (kind, other.kind) {
    case (.structure(let own, _), .structure(let others, _)):
      own.count == others.count
        && own.allSatisfy { name, value in others[name].map(value.isSame) ?? false }
    case (.array(let own), .array(let others)):
      own.count == others.count && zip(own, others).allSatisfy { $0.isSame(as: $1) }
    default: self == other
    }
  }

  /// The number, if the content is one that is finite.
  package var double: Double? {
    (number?.text).flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
  }
}
