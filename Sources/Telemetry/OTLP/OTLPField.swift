/// A field of a message of the OpenTelemetry protocol, for protobuf and JSON alike.
struct OTLPField: Sendable {
  /// The number in protobuf.
  let number: UInt64
  let name: String
  let value: Value

  enum Value: Sendable {
    case string(String)
    /// Bytes, which this protocol writes as hexadecimal digits in JSON.
    case bytes([UInt8])
    case bool(Bool)
    case double(Double)
    case int64(Int64)
    case fixed64(UInt64)
    case fixed32(UInt32)
    case enumeration(Int)
    case message([OTLPField])
    case messages([[OTLPField]])
  }

  init(_ number: UInt64, _ name: String, _ value: Value) {
    (self.number, self.name, self.value) = (number, name, value)
  }
}

extension [OTLPField] {
  // MARK: Protobuf

  /// The message in the binary format of protobuf.
  var protobuf: [UInt8] {
    var bytes: [UInt8] = []
    for field in self { field.write(to: &bytes) }
    return bytes
  }

  // MARK: JSON

  /// The message in protobuf's JSON, as this protocol bends it.
  var json: String {
    var text = ""
    write(to: &text)
    return text
  }

  fileprivate func write(to text: inout String) {
    text += "{"
    for (place, field) in enumerated() {
      if place > 0 { text += "," }
      text += "\"\(field.name)\":"
      field.write(to: &text)
    }
    text += "}"
  }
}

extension OTLPField {
  /// The ways in which protobuf writes a value.
  private enum Wire: UInt64 {
    case varint = 0
    case fixed64 = 1
    case bytes = 2
    case fixed32 = 5
  }

  fileprivate func write(to bytes: inout [UInt8]) {
    switch value {
    case .string(let text): write(Array(text.utf8), to: &bytes)
    case .bytes(let value): write(value, to: &bytes)
    case .message(let fields): write(fields.protobuf, to: &bytes)
    case .messages(let messages): for fields in messages { write(fields.protobuf, to: &bytes) }
    case .bool(let value): write(value ? 1 : 0, to: &bytes)
    // A negative number is written as the 64-bit number with the same bits.
    case .int64(let value): write(UInt64(bitPattern: value), to: &bytes)
    case .enumeration(let value): write(UInt64(value), to: &bytes)
    case .double(let value): write(fixed: value.bitPattern, .fixed64, to: &bytes)
    case .fixed64(let value): write(fixed: value, .fixed64, to: &bytes)
    case .fixed32(let value): write(fixed: value, .fixed32, to: &bytes)
    }
  }

  private func write(_ value: [UInt8], to bytes: inout [UInt8]) {
    Self.append(number << 3 | Wire.bytes.rawValue, to: &bytes)
    Self.append(UInt64(value.count), to: &bytes)
    bytes += value
  }

  private func write(_ value: UInt64, to bytes: inout [UInt8]) {
    Self.append(number << 3 | Wire.varint.rawValue, to: &bytes)
    Self.append(value, to: &bytes)
  }

  private func write(fixed value: some FixedWidthInteger, _ wire: Wire, to bytes: inout [UInt8]) {
    Self.append(number << 3 | wire.rawValue, to: &bytes)
    for shift in stride(from: 0, to: value.bitWidth, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  /// Appends a number as a varint: seven bits a byte, the lowest first.
  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  fileprivate func write(to text: inout String) {
    switch value {
    case .string(let value): text += value.quoted
    case .bytes(let value): text += "\"\(value.hex)\""
    case .bool(let value): text += value ? "true" : "false"
    case .double(let value): text += value.isFinite ? "\(value)" : "\"\(value)\""
    // JavaScript's numbers do not hold 64 bits.
    case .int64(let value): text += "\"\(value)\""
    case .fixed64(let value): text += "\"\(value)\""
    case .fixed32(let value): text += "\(value)"
    case .enumeration(let value): text += "\(value)"
    case .message(let fields): fields.write(to: &text)
    case .messages(let messages):
      text += "["
      for (place, fields) in messages.enumerated() {
        if place > 0 { text += "," }
        fields.write(to: &text)
      }
      text += "]"
    }
  }
}
