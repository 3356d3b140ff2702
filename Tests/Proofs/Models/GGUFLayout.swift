import Foundation

/// Where things lie in a GGUF file, so that they can be broken one by one.
struct GGUFLayout {
  struct Field {
    /// The places of its name's length, its type and its value.
    let name: Range<Int>
    let type: Range<Int>
    let value: Range<Int>
    /// The number of its type.
    let kind: Int
  }

  struct Tensor {
    let name: Range<Int>
    let dimensions: Range<Int>
    let sizes: Range<Int>
    let type: Range<Int>
    let offset: Range<Int>
  }

  private(set) var fields: [Field] = []
  private(set) var tensors: [Tensor] = []
  /// Where the descriptions end.
  private(set) var head = 0
  private let bytes: [UInt8]

  private static let widths = [
    0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8,
  ]
  static let text = 8
  static let array = 9

  /// - Throws: `Broken` for anything but a complete GGUF file.
  init(_ bytes: [UInt8]) throws {
    self.bytes = bytes
    var place = 24
    let (tensorCount, fieldCount) = (try number(at: 8, 8), try number(at: 16, 8))
    for _ in 0..<fieldCount {
      let name = place..<place + 8
      place += 8 + (try number(at: place, 8))
      let kind = try number(at: place, 4)
      let type = place..<place + 4
      place += 4
      let start = place
      place = try end(ofValueAt: place, kind)
      fields.append(Field(name: name, type: type, value: start..<place, kind: kind))
    }
    for _ in 0..<tensorCount {
      let name = place..<place + 8
      place += 8 + (try number(at: place, 8))
      let count = try number(at: place, 4)
      let (sizes, type) = (place + 4, place + 4 + 8 * count)
      tensors.append(
        Tensor(
          name: name,
          dimensions: place..<sizes,
          sizes: sizes..<type,
          type: type..<type + 4,
          offset: type + 4..<type + 12
        )
      )
      place = type + 12
    }
    head = place
  }

  private func end(ofValueAt place: Int, _ kind: Int) throws -> Int {
    switch kind {
    case Self.text: return place + 8 + (try number(at: place, 8))
    case Self.array:
      let (element, count) = (try number(at: place, 4), try number(at: place + 4, 8))
      var end = place + 12
      for _ in 0..<count { end = try self.end(ofValueAt: end, element) }
      return end
    default:
      guard let width = Self.widths[kind] else {
        throw Broken(description: "The model that ships has a value of the type \(kind).")
      }
      return place + width
    }
  }

  private func number(at place: Int, _ count: Int) throws -> Int {
    guard place + count <= bytes.count else {
      throw Broken(description: "The model that ships is no whole GGUF file.")
    }
    return bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
