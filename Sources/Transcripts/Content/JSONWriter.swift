extension GeneratedContent {
  /// The content as JSON on one line, with keys in order and a space after each comma and colon.
  ///
  /// The writer is our own because its output reaches prompts: an encoder whose key order varies
  /// between processes would break every cached prefix. Chat templates space JSON in this way.
  public var jsonString: String {
    var text = ""
    write(to: &text)
    return text
  }

  private func write(to text: inout String) {
    switch kind {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    // JSON has no infinity and no NaN; like JavaScript, write null for them.
    case .number: text += number?.text ?? "null"
    case .string(let value): Self.writeJSONString(value, to: &text)
    case .array(let elements):
      text += "["
      for (index, element) in elements.enumerated() {
        if index > 0 { text += ", " }
        element.write(to: &text)
      }
      text += "]"
    case .structure(let properties, let orderedKeys):
      text += "{"
      var isFirst = true
      for key in orderedKeys {
        guard let value = properties[key] else { continue }
        if !isFirst { text += ", " }
        isFirst = false
        Self.writeJSONString(key, to: &text)
        text += ": "
        value.write(to: &text)
      }
      text += "}"
    }
  }

  static func writeJSONString(_ value: String, to text: inout String) {
    text += "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case "\u{8}": text += "\\b"
      case "\u{C}": text += "\\f"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
