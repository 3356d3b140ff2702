import Foundation
import TestSupport

/// Breaks a model file in one of the ways in which files break or are broken by a person who knows
/// the format.
struct ModelMutation {
  enum Way: String, CaseIterable {
    case cut, head, number, type, length, name, text, tensor, flippedHead, flippedData, block, size
  }

  private let whole: [UInt8]
  private let layout: GGUFLayout

  init(of whole: [UInt8]) throws {
    self.whole = whole
    layout = try GGUFLayout(whole)
  }

  /// What a size, a count or an offset may claim.
  private static let claims: [UInt64] = [
    0, 1, 2, 3, 7, 255, 1000, 65_535, 1 << 20, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 1 << 32,
    1 << 40, 1 << 62, UInt64(Int64.max), 1 << 63, .max,
  ]

  private static let texts = [
    "", "llama", "gpt2", "bert", "mamba", "qwen2", "clip", "gemma", "t5", "rwkv6", "spm", "none",
    "{{ messages", "{% for m in messages %}{{ m", "{{ raise_exception('no') }}",
    "{% for i in range(100000000) %}x{% endfor %}", "{{ 'x' * 1000000000 }}",
  ]

  func make(_ way: Way, using random: inout Seeded) -> [UInt8] {
    var bytes = whole
    switch way {
    case .cut:
      let isInHead = Bool.random(using: &random)
      bytes.removeSubrange(
        Int.random(in: 0..<(isInHead ? layout.head : whole.count), using: &random)...
      )
    case .head: claim([0..<4, 4..<8, 8..<16, 16..<24], in: &bytes, using: &random)
    case .number:
      let numbers = layout.fields.filter { $0.kind < GGUFLayout.text || $0.kind > GGUFLayout.array }
      claim(numbers.map(\.value), in: &bytes, using: &random)
    case .type:
      let field = layout.fields.randomElement(using: &random)
      if let field { put(UInt64.random(in: 0...14, using: &random), field.type, &bytes) }
    case .length:
      let lengths = layout.fields.filter { $0.kind == GGUFLayout.text }.map { $0.value.prefix(8) }
      let arrays = layout.fields.filter { $0.kind == GGUFLayout.array }.flatMap { field in
        [field.value.prefix(4), field.value.dropFirst(4).prefix(8)]
      }
      claim(
        (lengths + arrays + layout.fields.map { $0.name[...] }).map { $0.startIndex..<$0.endIndex },
        in: &bytes,
        using: &random
      )
    case .name:
      guard let field = layout.fields.randomElement(using: &random) else { break }
      let letters = field.name.upperBound..<field.type.lowerBound
      if let place = letters.randomElement(using: &random) { bytes[place] ^= 0x01 }
    case .text: rewrite(&bytes, using: &random)
    case .tensor:
      let parts = layout.tensors.flatMap { tensor in
        let sizes = stride(from: tensor.sizes.lowerBound, to: tensor.sizes.upperBound, by: 8)
        return [tensor.name, tensor.dimensions, tensor.type, tensor.offset]
          + sizes.map { $0..<$0 + 8 }
      }
      claim(parts, in: &bytes, using: &random)
    case .flippedHead: flip(&bytes, 0..<layout.head, using: &random)
    case .flippedData: flip(&bytes, layout.head..<whole.count, using: &random)
    case .block:
      let start = Int.random(in: 0..<whole.count, using: &random)
      let end = min(whole.count, start + Int.random(in: 1...65_536, using: &random))
      for place in start..<end { bytes[place] = UInt8.random(in: 0...255, using: &random) }
    case .size: resize(&bytes, using: &random)
    }
    return bytes
  }

  /// Replaces a number by one that is not checked.
  private func claim(_ places: [Range<Int>], in bytes: inout [UInt8], using random: inout Seeded) {
    guard let place = places.randomElement(using: &random) else { return }
    put(Self.claims.randomElement(using: &random) ?? 0, place, &bytes)
  }

  private func put(_ number: UInt64, _ place: Range<Int>, _ bytes: inout [UInt8]) {
    for (index, byte) in place.enumerated() {
      bytes[byte] = index < 8 ? UInt8(truncatingIfNeeded: number >> (8 * UInt64(index))) : 0
    }
  }

  /// Replaces a text by another one with the right length.
  private func rewrite(_ bytes: inout [UInt8], using random: inout Seeded) {
    let texts = layout.fields.filter { $0.kind == GGUFLayout.text }
    guard let field = texts.randomElement(using: &random) else { return }
    let text = Array((Self.texts.randomElement(using: &random) ?? "").utf8)
    let length = (0..<8).map { UInt8(truncatingIfNeeded: text.count >> (8 * $0)) }
    bytes.replaceSubrange(field.value, with: length + text)
    // The weights begin at a multiple of 32, wherever the descriptions end.
    let shift = bytes.count - whole.count
    let (old, new) = (layout.head, layout.head + shift)
    let (oldStart, newStart) = ((old + 31) / 32 * 32, (new + 31) / 32 * 32)
    bytes.replaceSubrange(
      new..<oldStart + shift,
      with: [UInt8](repeating: 0, count: newStart - new)
    )
  }

  private func flip(_ bytes: inout [UInt8], _ range: Range<Int>, using random: inout Seeded) {
    for _ in 0..<Int.random(in: 1...64, using: &random) {
      guard let place = range.randomElement(using: &random) else { return }
      bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    }
  }

  private func resize(_ bytes: inout [UInt8], using random: inout Seeded) {
    let start = Int.random(in: 0..<whole.count, using: &random)
    let end = min(whole.count, start + Int.random(in: 1...4096, using: &random))
    if Bool.random(using: &random) {
      bytes.removeSubrange(start..<end)
    } else {
      bytes.insert(contentsOf: whole[start..<end], at: start)
    }
  }
}
