import Foundation
import Synchronization

/// The figures at the start of a GGUF file that tell how much memory its model takes.
///
/// The coordinator loads no model; it reads only these few numbers of an untrusted file, and checks
/// each of them. Whatever cannot be read stays unknown.
struct GGUFHeader: Equatable {
  private(set) var layers: Int?
  private(set) var embedding: Int?
  private(set) var heads: LayerFigure?
  private(set) var keyHeads: LayerFigure?
  private(set) var keyLength: Int?
  private(set) var valueLength: Int?
  private(set) var trainedContextSize: Int?
  private(set) var vocabularySize: Int?

  /// These figures precede the vocabulary, which is what makes a header long.
  private static let maximumBytes = 64 * 1024
  private static let bytesOfCachedNumber = 2

  /// The headers read so far: every worker start asks, and a changed file has another version.
  private static let known = Mutex<[FileVersion: GGUFHeader]>([:])

  /// Returns the header of a file, reading it only once per version.
  static func known(_ path: String) -> GGUFHeader {
    guard let version = FileVersion(path) else { return GGUFHeader(start: []) }
    if let header = known.withLock({ $0[version] }) { return header }
    let header = GGUFHeader(path: path)
    known.withLock { $0[version] = header }
    return header
  }

  init(path: String) {
    let file = try? FileHandle(forReadingFrom: URL(filePath: path))
    self.init(start: [UInt8]((try? file?.read(upToCount: Self.maximumBytes)) ?? Data()))
  }

  init(start: [UInt8]) {
    var reader = Reader(bytes: start[...])
    guard reader.take(4)?.elementsEqual("GGUF".utf8) == true, reader.take(12) != nil,
      let count = reader.number(8)
    else { return }
    for _ in 0..<count {
      guard let key = reader.text(), let type = reader.number(4) else { return }
      if key == "tokenizer.ggml.tokens" {
        vocabularySize = reader.take(4).flatMap { _ in reader.number(8) }
        return
      }
      guard let value = reader.value(ofType: type) else { return }
      note(key.split(separator: ".", maxSplits: 1).last ?? "", value)
    }
  }

  /// The bytes that the keys and values of one token take; `nil` when the file does not say.
  var cacheBytesPerToken: Int? {
    guard let layers, let embedding, let heads, heads.first > 0 else { return nil }
    // Heads have the same size in every layer, however many there are.
    let head = embedding / heads.first
    let (pair, isTooLarge) = (keyLength ?? head).addingReportingOverflow(valueLength ?? head)
    if isTooLarge { return nil }
    return (keyHeads ?? heads).total(of: layers)
      .flatMap { product(pair, $0, Self.bytesOfCachedNumber) }
  }

  private mutating func note(_ name: Substring, _ value: LayerFigure) {
    switch name {
    case "block_count": layers = value.first
    case "embedding_length": embedding = value.first
    case "attention.head_count": heads = value
    case "attention.head_count_kv": keyHeads = value
    case "attention.key_length": keyLength = value.first
    case "attention.value_length": valueLength = value.first
    case "context_length": trainedContextSize = value.first
    default: break
    }
  }
}

/// A figure of a model that is either the same for all layers or given per layer.
///
/// Layers without attention have no heads.
struct LayerFigure: Equatable {
  /// The figure of the first layer that has one; 0 where none does.
  let first: Int
  /// The sum over all layers; `nil` where all have the same figure.
  let sum: Int?

  /// Returns the sum over this many layers; `nil` when it overflows.
  func total(of layers: Int) -> Int? { sum ?? product(first, layers) }
}

/// Multiplies unchecked numbers; `nil` when the product overflows.
func product(_ factors: Int...) -> Int? {
  factors.reduce(1) { product, factor in
    product.flatMap { product in
      let (next, isTooLarge) = product.multipliedReportingOverflow(by: factor)
      return isTooLarge ? nil : next
    }
  }
}

/// Reads GGUF values without ever passing the end of the input.
private struct Reader {
  /// Larger than any real size.
  private static let maximum = 1 << 48

  var bytes: ArraySlice<UInt8>

  mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count <= bytes.count else { return nil }
    defer { bytes = bytes.dropFirst(count) }
    return bytes.prefix(count)
  }

  /// Reads an unsigned number; `nil` for one larger than any size.
  mutating func number(_ size: Int) -> Int? {
    guard let piece = take(size) else { return nil }
    let number = piece.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return number < UInt64(Self.maximum) ? Int(number) : nil
  }

  mutating func text() -> String? {
    number(8).flatMap { take($0) }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Reads a value as a number; an array yields its sum, and a value that is no number yields 0.
  mutating func value(ofType type: Int) -> LayerFigure? {
    if type == 9 { return array() }
    return single(ofType: type).map { LayerFigure(first: $0, sum: nil) }
  }

  private mutating func single(ofType type: Int) -> Int? {
    switch type {
    case 0, 1, 7: number(1)
    case 2, 3: number(2)
    case 4, 5: number(4)
    case 10, 11: number(8)
    case 6: take(4).map { _ in 0 }
    case 12: take(8).map { _ in 0 }
    case 8: text().map { _ in 0 }
    default: nil
    }
  }

  /// Reads an array; each element takes at least one byte, so a false count soon runs out of input.
  private mutating func array() -> LayerFigure? {
    guard let type = number(4), let count = number(8) else { return nil }
    var (first, sum) = (0, 0)
    for _ in 0..<count {
      guard let value = single(ofType: type) else { return nil }
      if first == 0 { first = value }
      sum = min(Self.maximum, sum + value)
    }
    return LayerFigure(first: first, sum: sum)
  }
}
