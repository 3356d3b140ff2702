extension GeneratedContent {
  /// The content as JSON on one line, with keys in order and a space after each comma and colon.
  ///
  /// The writer is our own because its output reaches prompts: an encoder whose key order varies
  /// between processes would break every cached prefix. Chat templates space JSON in this way.
  public var jsonString: String {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func write(to bytes: inout [UInt8]) {
    switch kind {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    // JSON has no infinity and no NaN; like JavaScript, write null for them.
    case .number: bytes += (number?.text ?? "null").utf8
    case .string(let value): bytes.appendJSONString(value)
    case .array(let elements):
      bytes += "[".utf8
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes += ", ".utf8 }
        element.write(to: &bytes)
      }
      bytes += "]".utf8
    case .structure(let properties, let orderedKeys):
      bytes += "{".utf8
      var isFirst = true
      for key in orderedKeys {
        guard let value = properties[key] else { continue }
        if !isFirst { bytes += ", ".utf8 }
        isFirst = false
        bytes.appendJSONString(key)
        bytes += ": ".utf8
        value.write(to: &bytes)
      }
      bytes += "}".utf8
    }
  }
}
