/// Spans that wait to be sent, bounded: the oldest make room for new ones.
struct SpanQueue: Sendable {
  private let limit: TelemetrySettings.Limit
  private var spans: [(span: Span, size: Int)?] = []
  /// Where the oldest that waits is; before it are only empty places.
  private var first = 0
  private var bytes = 0
  /// How many were dropped because there was no room.
  private(set) var dropped = 0

  init(_ limit: TelemetrySettings.Limit) { self.limit = limit }

  var count: Int { spans.count - first }

  mutating func append(_ span: Span) {
    let size = span.size
    spans.append((span, size))
    bytes += size
    while count > limit.spans || (bytes > limit.bytes && count > 0) {
      removeFirst()
      dropped += 1
    }
  }

  /// Removes the oldest spans, as many as one request takes.
  mutating func next(_ batch: TelemetrySettings.Limit) -> [Span] {
    var (taken, size): ([Span], Int) = ([], 0)
    while first < spans.count, taken.count < batch.spans, let oldest = spans[first],
      taken.isEmpty || size + oldest.size <= batch.bytes
    {
      size += oldest.size
      taken.append(oldest.span)
      removeFirst()
    }
    return taken
  }

  private mutating func removeFirst() {
    bytes -= spans[first]?.size ?? 0
    spans[first] = nil
    first += 1
    // Seldom, because it moves what waits.
    if first > 512 || first == spans.count {
      spans.removeSubrange(..<first)
      first = 0
    }
  }
}
