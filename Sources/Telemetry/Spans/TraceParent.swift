/// The span of another program in which a turn was asked for, from its `traceparent` header.
package struct TraceParent: Sendable, Equatable {
  package let trace: TraceID
  package let parent: SpanID
  package let flags: UInt8

  init(trace: TraceID, parent: SpanID, flags: UInt8) {
    (self.trace, self.parent, self.flags) = (trace, parent, flags)
  }

  /// Reads a header as the W3C's Trace Context defines it; `nil` for anything else, which is to be
  /// ignored.
  package init?(_ header: String) {
    let parts = header.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count >= 4, header.utf8.count <= 512,
      // What a later version appends may be anything.
      header.utf8.prefix(55).allSatisfy({ "0123456789abcdef-".utf8.contains($0) }),
      parts[0].utf8.count == 2, parts[0] != "ff",
      // A later version may append parts; this one has four.
      parts[0] != "00" || parts.count == 4,
      let trace = TraceID(hex: parts[1]), let parent = SpanID(hex: parts[2]),
      parts[3].utf8.count == 2, let flags = UInt8(parts[3], radix: 16)
    else { return nil }
    (self.trace, self.parent, self.flags) = (trace, parent, flags)
  }
}
