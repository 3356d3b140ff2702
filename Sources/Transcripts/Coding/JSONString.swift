extension [UInt8] {
  /// Adds a text as a string of JSON, escaping only what JSON does not allow in one.
  mutating func appendJSONString(_ text: String) {
    append(UInt8(ascii: "\""))
    if text.utf8.contains(where: { $0.isEscapedInJSON }) {
      for byte in text.utf8 {
        if byte.isEscapedInJSON { self += byte.escapedInJSON.utf8 } else { append(byte) }
      }
    } else {
      self += text.utf8
    }
    append(UInt8(ascii: "\""))
  }
}

extension UInt8 {
  fileprivate var isEscapedInJSON: Bool {
    self < 0x20 || self == UInt8(ascii: "\"") || self == UInt8(ascii: "\\")
  }

  fileprivate var escapedInJSON: String {
    switch self {
    case UInt8(ascii: "\""): "\\\""
    case UInt8(ascii: "\\"): "\\\\"
    case 0x08: "\\b"
    case 0x0C: "\\f"
    case UInt8(ascii: "\n"): "\\n"
    case UInt8(ascii: "\r"): "\\r"
    case UInt8(ascii: "\t"): "\\t"
    default: "\\u" + String(self, radix: 16).zeroPadded(to: 4)
    }
  }
}
