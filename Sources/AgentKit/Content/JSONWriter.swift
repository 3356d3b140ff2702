extension GeneratedContent {
  /// The content as JSON on one line, keys in their order, a space after each comma and colon.
  ///
  /// Written by hand because it reaches prompts: an encoder whose key order changes from process
  /// to process would break every cached prefix, and chat templates space JSON this way.
  public var jsonString: String {
    var text = ""
    write(to: &text)
    return text
  }

  private func write(to text: inout String) {
    switch kind {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .number(let value): text += Self.jsonNumber(value)
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

  static func jsonNumber(_ value: Double) -> String {
    // JSON has no infinity and no NaN; null is what JavaScript writes for them.
    guard value.isFinite else { return "null" }
    guard value.rounded() == value else { return String(value) }
    // In digits, as whoever wrote an integer expects it; beyond 2^53 they are the nearest that a Double
    // can name.
    if let whole = Int64(exactly: value) { return String(whole) }
    // What every bound of an Int comes to.
    return value == 0x1p63 ? String(Int64.max) : String(value)
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
