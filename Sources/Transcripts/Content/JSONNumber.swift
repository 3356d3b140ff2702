import PlatformLibraries

/// A number with the digits that JSON has for it.
///
/// JSON does not limit the digits of a number, and no Swift type holds all of them. A number is
/// therefore stored as it was written, and converted when its type is known: exactly, or not at
/// all. Equality and order are those of the values, so that `1.0` equals `1`.
package struct JSONNumber: Sendable {
  /// The number in the grammar of JSON.
  package let text: String

  /// Creates a number from text that has the grammar of a JSON number.
  package init(written text: some StringProtocol) {
    self.text = String(text)
  }

  package init(_ value: some BinaryInteger) {
    text = String(value)
  }

  /// Creates a number from a binary one, in the fewest digits that identify it; `nil` if it is not
  /// finite.
  package init?<Value: BinaryFloatingPoint>(_ value: Value) {
    guard value.isFinite else { return nil }
    // Whole numbers are written in digits, as readers expect.
    let whole = value == 0 && value.sign == .minus ? nil : Int64(exactly: value)
    let digits = whole.map { String($0) } ?? "\(value)"
    text = digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits
  }

  /// Creates a number from a decimal one; `nil` if it is not a number.
  init?(_ value: Decimal) {
    guard !value.isNaN else { return nil }
    text = value.description
  }
}

extension JSONNumber: Comparable {
  /// The value, as a sign and a decimal fraction from 0.1 to 1 that is shifted by some places.
  struct Value: Equatable {
    /// Whether the value is less than zero.
    var isNegative = false
    /// The digits, without zeros at either end; none for zero.
    var digits: [UInt8] = []
    /// How many places the decimal point is to the right of its place before the first digit.
    var point = 0

    var isWhole: Bool { digits.count <= point }

    fileprivate func isLess(than other: Value) -> Bool {
      guard isNegative == other.isNegative else { return isNegative }
      let (less, more) = isNegative ? (other, self) : (self, other)
      guard !less.digits.isEmpty, !more.digits.isEmpty, less.point != more.point else {
        return less.digits.lexicographicallyPrecedes(more.digits)
      }
      return less.point < more.point
    }
  }

  /// Exponents are limited to this size, beyond which no number is written.
  private static let farthestPoint = 1 << 40

  var value: Value {
    var value = Value()
    var isAfterPoint = false
    var rest = text.utf8[...]
    let mantissa = rest.prefix { $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "E") }
    rest = rest[mantissa.endIndex...].dropFirst()
    for byte in mantissa {
      switch byte {
      case UInt8(ascii: "-"): value.isNegative = true
      case UInt8(ascii: "."): isAfterPoint = true
      case UInt8(ascii: "0") where value.digits.isEmpty: value.point -= isAfterPoint ? 1 : 0
      default:
        value.digits.append(byte &- UInt8(ascii: "0"))
        value.point += isAfterPoint ? 0 : 1
      }
    }
    while value.digits.last == 0 { value.digits.removeLast() }
    guard !value.digits.isEmpty else { return Value() }
    if !rest.isEmpty {
      let limit = Self.farthestPoint
      let shift = Int(Substring(rest)) ?? (rest.first == UInt8(ascii: "-") ? -limit : limit)
      value.point += min(max(shift, -limit), limit)
    }
    return value
  }

  package var isWhole: Bool { value.isWhole }

  /// The number in the one form that all ways to write its value share.
  package var canonical: JSONNumber {
    let value = self.value
    let sign = value.isNegative ? "-" : ""
    let digits = value.digits.isEmpty ? "0" : value.digits.map { String($0) }.joined()
    let shift = value.point - value.digits.count
    return JSONNumber(written: sign + digits + (shift == 0 ? "" : "e\(shift)"))
  }

  /// Whether the number is less than zero.
  package var isNegative: Bool { value.isNegative }

  /// Returns the digits before the decimal point and those after it, which end in none or in one
  /// that is not zero.
  ///
  /// - Parameter limit: How many digits there may be. More of them after the point are cut off.
  /// - Returns: The digits, or `nil` if there are too many before the point.
  package func places(limit: Int) -> (whole: [Int], fraction: [Int])? {
    let value = self.value
    guard value.point <= limit else { return nil }
    let digits = value.digits.map { Int($0) }
    let whole = (0..<max(0, value.point)).map { $0 < digits.count ? digits[$0] : 0 }
    let zeros = Array(repeating: 0, count: min(limit, max(0, -value.point)))
    var fraction = Array((zeros + digits.dropFirst(whole.count)).prefix(limit))
    while fraction.last == 0 { fraction.removeLast() }
    return (whole.isEmpty ? [0] : whole, fraction)
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.text == right.text || left.value == right.value
  }

  package static func < (left: Self, right: Self) -> Bool {
    left.value.isLess(than: right.value)
  }
}

// MARK: Conversion

extension JSONNumber {
  /// Why a number is not a value of a type, in words that follow "The content".
  struct Misfit: Error {
    let problem: String
  }

  /// The nearest double-precision number; infinite beyond their range.
  var nearestDouble: Double { Double(text) ?? .nan }

  func integer<Value: FixedWidthInteger>(_: Value.Type = Value.self) throws(Misfit) -> Value {
    let value = self.value
    guard value.isWhole else { throw Misfit(problem: "is not a whole number") }
    var (result, place, overflows) = (Value.zero, 0, false)
    while place < value.point, !overflows {
      let digit = place < value.digits.count ? Value(value.digits[place]) : 0
      let shifted = result.multipliedReportingOverflow(by: 10)
      let sum =
        value.isNegative
        ? shifted.partialValue.subtractingReportingOverflow(digit)
        : shifted.partialValue.addingReportingOverflow(digit)
      (result, overflows) = (sum.partialValue, shifted.overflow || sum.overflow)
      place += 1
    }
    guard !overflows else {
      throw Misfit(problem: "does not fit in \(Value.bitWidth) bits")
    }
    return result
  }

  /// The binary number nearest to the number.
  ///
  /// Rounding is what these types are for, except where it changes the digits before the decimal
  /// point, or makes a number zero or infinite.
  func floating<Value>(_: Value.Type = Value.self) throws(Misfit) -> Value
  where Value: BinaryFloatingPoint & LosslessStringConvertible {
    guard let nearest = Value(text), nearest.isFinite, nearest != 0 || value.digits.isEmpty else {
      throw Misfit(problem: "is beyond the range of a \(Value.self)")
    }
    // From here on not every whole number has a value of its own.
    let limit = Value(
      sign: .plus,
      exponent: Value.Exponent(Value.significandBitCount) + 1,
      significand: 1
    )
    guard nearest.magnitude < limit || isWritten(for: nearest) else {
      throw Misfit(problem: "has more digits than a \(Value.self) can hold")
    }
    return nearest
  }

  /// Whether the number is one of the two ways to write a large binary number: with its exact
  /// digits, or with the fewest that identify it.
  private func isWritten(for binary: some BinaryFloatingPoint) -> Bool {
    if self == JSONNumber(written: "\(binary)") { return true }
    guard let exact = Int128(exactly: binary) else { return false }
    return self == JSONNumber(exact)
  }

  func decimal() throws(Misfit) -> Decimal {
    let value = self.value
    let digits = value.digits.map { String($0) }.joined()
    let shift = value.point - value.digits.count
    guard !digits.isEmpty else { return 0 }
    // Foundation rounds where there are too many digits.
    guard abs(shift) < 256,
      let decimal = Decimal(string: "\(value.isNegative ? "-" : "")\(digits)e\(shift)"),
      JSONNumber(decimal) == self
    else { throw Misfit(problem: "has more digits than a Decimal can hold") }
    return decimal
  }
}
