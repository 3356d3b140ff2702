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
    case .string(let text): Self.write(text, to: &bytes)
    case .object(let object):
      bytes.append(UInt8(ascii: "{"))
      for (place, member) in object.members.sorted(by: { $0.key < $1.key }).enumerated() {
        if place > 0 { bytes.append(UInt8(ascii: ",")) }
        Self.write(member.key, to: &bytes)
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

  private static func write(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    if text.utf8.contains(where: isEscaped) {
      for byte in text.utf8 {
        if isEscaped(byte) { bytes += escape(of: byte).utf8 } else { bytes.append(byte) }
      }
    } else {
      bytes += text.utf8
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private static func escape(of byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "\""): "\\\""
    case UInt8(ascii: "\\"): "\\\\"
    case 0x08: "\\b"
    case 0x0C: "\\f"
    case UInt8(ascii: "\n"): "\\n"
    case UInt8(ascii: "\r"): "\\r"
    case UInt8(ascii: "\t"): "\\t"
    default: (byte < 0x10 ? "\\u000" : "\\u00") + String(byte, radix: 16)
    }
  }
}
