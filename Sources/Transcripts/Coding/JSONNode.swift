import PlatformLibraries

/// A value while it is encoded.
///
/// Objects and arrays are shared with the containers that still fill them.
enum JSONNode {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  /// A value that is JSON already.
  case json(String)
  case object(Object)
  case array(Elements)

  final class Object {
    var members: [(key: String, value: JSONNode)] = []
  }

  final class Elements {
    var nodes: [JSONNode] = []
  }

  init<Value: Encodable>(_ value: Value) throws {
    // Foundation's coders have forms of their own for these.
    if Value.self == Data.self, let data = value as? Data {
      self = .string(data.base64EncodedString())
    } else if Value.self == URL.self, let url = value as? URL {
      self = .string(url.absoluteString)
    } else if Value.self == Decimal.self, let decimal = value as? Decimal {
      self = .number(decimal.description)
    } else {
      let encoder = JSONNodeEncoder()
      try value.encode(to: encoder)
      self = encoder.node ?? .object(Object())
    }
  }

  init(number: some BinaryFloatingPoint & LosslessStringConvertible) throws {
    guard number.isFinite else {
      let problem = "JSON has no number for \(number)."
      throw EncodingError.invalidValue(number, .init(codingPath: [], debugDescription: problem))
    }
    let text = number.description
    self = .number(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
  }

  func write(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .number(let text), .json(let text): bytes += text.utf8
    case .string(let text): bytes.appendJSONString(text)
    case .object(let object):
      bytes.append(UInt8(ascii: "{"))
      for (place, member) in object.members.sorted(by: { $0.key < $1.key }).enumerated() {
        if place > 0 { bytes.append(UInt8(ascii: ",")) }
        bytes.appendJSONString(member.key)
        bytes.append(UInt8(ascii: ":"))
        member.value.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    case .array(let array):
      bytes.append(UInt8(ascii: "["))
      for (place, element) in array.nodes.enumerated() {
        if place > 0 { bytes.append(UInt8(ascii: ",")) }
        element.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    }
  }
}
