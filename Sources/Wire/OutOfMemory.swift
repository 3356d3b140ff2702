/// An end for lack of memory; figures are in bytes, and `nil` where unknown.
package struct OutOfMemory: Sendable, Equatable, Codable {
  package enum Kind: String, Sendable, Codable {
    /// The kernel killed it to free memory for others.
    case killed
    /// It asked for more than it may have, and could not continue without it.
    case refused
  }

  package var kind: Kind
  /// What it had in the end, or at its peak.
  package var had: Int?
  /// What it could have: by its own bound, or together with others by that of its group or machine.
  package var bound: Int?
  /// What it asked for when it was refused.
  package var wanted: Int?

  package init(_ kind: Kind, had: Int? = nil, bound: Int? = nil, wanted: Int? = nil) {
    self.kind = kind
    self.had = had
    self.bound = bound
    self.wanted = wanted
  }
}

extension OutOfMemory: CustomStringConvertible {
  package var description: String {
    var parts = ["it ran out of memory"]
    if kind == .killed { parts[0] += " and the kernel killed it" }
    switch (had, bound) {
    case (let had?, let bound?): parts.append("it had \(Self.size(had)) of \(Self.size(bound))")
    case (let had?, nil): parts.append("it had \(Self.size(had))")
    case (nil, let bound?): parts.append("there were \(Self.size(bound))")
    case (nil, nil): break
    }
    if let wanted { parts.append("it asked for \(Self.size(wanted)) more") }
    return parts[0] + (parts.count > 1 ? ": " : "")
      + parts.dropFirst().joined(separator: ", and ")
  }

  private static func size(_ bytes: Int) -> String {
    bytes < 1_000_000 ? "\(bytes) bytes" : "\(bytes / 1_000_000) MB"
  }
}
