import Foundation
import Transcripts

/// A request to a receiver of traces: spans, and the process that they come from.
package struct OTLPTraces: Sendable {
  /// The name under which the spans are made.
  private static let scope = "orchestrator"

  private let fields: [OTLPField]

  package init(_ spans: [Span], of resource: [Attribute]) {
    let scope: [OTLPField] = [
      OTLPField(1, "scope", .message([OTLPField(1, "name", .string(Self.scope))])),
      OTLPField(2, "spans", .messages(spans.map(\.fields))),
    ]
    let resourceFields: [OTLPField] = [
      OTLPField(1, "resource", .message([resource.field(1)])),
      OTLPField(2, "scopeSpans", .messages([scope])),
    ]
    fields = [OTLPField(1, "resourceSpans", .messages([resourceFields]))]
  }

  package var protobuf: [UInt8] { fields.protobuf }
  package var json: String { fields.json }
}

extension Span {
  fileprivate var fields: [OTLPField] {
    var attributes = attributes
    attributes.set("error.type", failure?.kind)
    var fields = [
      OTLPField(1, "traceId", .bytes(trace.bytes)),
      OTLPField(2, "spanId", .bytes(id.bytes)),
    ]
    if let parent { fields.append(OTLPField(4, "parentSpanId", .bytes(parent.bytes))) }
    fields += [
      OTLPField(5, "name", .string(name)),
      OTLPField(6, "kind", .enumeration(kind.rawValue)),
      OTLPField(7, "startTimeUnixNano", .fixed64(start.nanoseconds)),
      OTLPField(8, "endTimeUnixNano", .fixed64(end.nanoseconds)),
      attributes.field(9),
    ]
    if !events.isEmpty { fields.append(OTLPField(11, "events", .messages(events.map(\.fields)))) }
    if !links.isEmpty {
      let links = links.map { link in
        [
          OTLPField(1, "traceId", .bytes(trace.bytes)), OTLPField(2, "spanId", .bytes(link.bytes)),
        ]
      }
      fields.append(OTLPField(13, "links", .messages(links)))
    }
    if let failure {
      let status = [
        OTLPField(2, "message", .string(failure.reason)), OTLPField(3, "code", .enumeration(2)),
      ]
      fields.append(OTLPField(15, "status", .message(status)))
    }
    fields.append(OTLPField(16, "flags", .fixed32(UInt32(flags))))
    return fields
  }
}

extension Span.Event {
  fileprivate var fields: [OTLPField] {
    [
      OTLPField(1, "timeUnixNano", .fixed64(at.nanoseconds)),
      OTLPField(2, "name", .string(name)),
      attributes.field(3),
    ]
  }
}

extension [Attribute] {
  fileprivate func field(_ number: UInt64) -> OTLPField {
    OTLPField(
      number,
      "attributes",
      .messages(
        map { attribute in
          [
            OTLPField(1, "key", .string(attribute.name)),
            OTLPField(2, "value", .message([attribute.value.field])),
          ]
        }
      )
    )
  }
}

extension Attribute.Value {
  fileprivate var field: OTLPField {
    switch self {
    case .string(let text): OTLPField(1, "stringValue", .string(text))
    case .bool(let value): OTLPField(2, "boolValue", .bool(value))
    case .int(let value): OTLPField(3, "intValue", .int64(Int64(value)))
    case .double(let value): OTLPField(4, "doubleValue", .double(value))
    case .strings(let texts):
      OTLPField(
        5,
        "arrayValue",
        .message([
          OTLPField(
            1,
            "values",
            .messages(texts.map { [OTLPField(1, "stringValue", .string($0))] })
          )
        ])
      )
    }
  }
}

extension Date {
  /// The nanoseconds since 1970; 0 before.
  fileprivate var nanoseconds: UInt64 {
    let seconds = timeIntervalSince1970
    guard seconds > 0, seconds < 1e10 else { return 0 }
    // In two steps, because a double does not hold today's nanoseconds exactly.
    let whole = seconds.rounded(.down)
    return UInt64(whole) * 1_000_000_000 + UInt64((seconds - whole) * 1e9)
  }
}

extension String {
  /// The text as a JSON string.
  var quoted: String { GeneratedContent(self).jsonString }
}
