import Foundation

/// What a receiver says about spans that it was sent.
struct OTLPResponse: Equatable {
  /// How many it did not take.
  private(set) var rejected = 0
  private(set) var reason = ""

  /// Reads the body of a successful response; one that cannot be read says nothing.
  ///
  /// Some receivers answer with JSON whatever they were sent.
  init(_ body: [UInt8]) {
    if body.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") {
      guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(body)),
        let partial = answer.partialSuccess
      else { return }
      rejected = partial.rejectedSpans?.value ?? 0
      reason = partial.errorMessage ?? ""
    } else {
      read(body[...])
    }
    reason = reason.bounded(toBytes: 512)
    rejected = max(0, rejected)
  }

  private struct Answer: Decodable {
    let partialSuccess: Partial?

    struct Partial: Decodable {
      let rejectedSpans: Count?
      let errorMessage: String?
    }

    /// A 64-bit number, which may be written as a string.
    struct Count: Decodable {
      let value: Int

      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) {
          value = number
        } else {
          value = Int(try container.decode(String.self)) ?? 0
        }
      }
    }
  }

  private mutating func read(_ body: ArraySlice<UInt8>) {
    var reader = Reader(rest: body)
    while let (number, value) = reader.next() {
      guard number == 1, case .bytes(let partial) = value else { continue }
      var inner = Reader(rest: partial)
      while let (number, value) = inner.next() {
        switch (number, value) {
        case (1, .number(let count)): rejected = Int(clamping: Int64(bitPattern: count))
        case (2, .bytes(let text)): reason = String(decoding: text, as: UTF8.self)
        default: break
        }
      }
    }
  }

  /// Reads the fields of a protobuf message; ends at the first that cannot be read.
  private struct Reader {
    var rest: ArraySlice<UInt8>

    enum Value {
      case number(UInt64)
      case bytes(ArraySlice<UInt8>)
    }

    mutating func next() -> (number: UInt64, Value)? {
      guard let tag = varint() else { return nil }
      switch tag & 7 {
      case 0: return varint().map { (tag >> 3, .number($0)) }
      case 1: return take(8).map { (tag >> 3, .bytes($0)) }
      case 2:
        return varint().flatMap(Int.init(exactly:)).flatMap { take($0) }
          .map { (tag >> 3, .bytes($0)) }
      case 5: return take(4).map { (tag >> 3, .bytes($0)) }
      default: return nil
      }
    }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
      guard count <= rest.count else { return nil }
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }

    private mutating func varint() -> UInt64? {
      var value: UInt64 = 0
      for shift in stride(from: UInt64(0), to: 64, by: 7) {
        guard let byte = rest.popFirst() else { return nil }
        value |= UInt64(byte & 0x7f) << shift
        if byte < 0x80 { return value }
      }
      return nil
    }
  }
}
