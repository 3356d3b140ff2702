package import Foundation

/// A PNG file of one or more areas of color.
package struct PNGFile {
  package let width: Int
  package let height: Int
  /// The color of a pixel, with components from 0 to 255.
  package let colour: (_ x: Int, _ y: Int) -> (UInt8, UInt8, UInt8)

  package init(
    width: Int,
    height: Int,
    colour: @escaping (_ x: Int, _ y: Int) -> (UInt8, UInt8, UInt8)
  ) {
    self.width = width
    self.height = height
    self.colour = colour
  }

  /// Returns an image in which nothing resembles anything else.
  package static func noise(_ width: Int, _ height: Int, seed: UInt64) -> Data {
    var noise = Noise(seed: seed)
    let values = (0..<width * height * 3).map { _ in UInt8((noise.next() + 1) * 127) }
    return PNGFile(width: width, height: height) { x, y in
      let place = (y * width + x) * 3
      return (values[place], values[place + 1], values[place + 2])
    }.data
  }

  package var data: Data {
    var pixels: [UInt8] = []
    for y in 0..<height {
      pixels.append(0)
      for x in 0..<width {
        let (red, green, blue) = colour(x, y)
        pixels += [red, green, blue]
      }
    }
    var data = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    data += Self.chunk("IHDR", Self.bytes(width) + Self.bytes(height) + [8, 2, 0, 0, 0])
    data += Self.chunk("IDAT", Self.stored(pixels))
    data += Self.chunk("IEND", [])
    return data
  }

  private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let named = Array(name.utf8) + content
    return bytes(content.count) + named + bytes(Int(checksum(named)))
  }

  /// Returns a zlib stream without compression.
  private static func stored(_ content: [UInt8]) -> [UInt8] {
    var result: [UInt8] = [0x78, 0x01]
    var rest = content[...]
    while !rest.isEmpty {
      let block = rest.prefix(65535)
      rest = rest.dropFirst(block.count)
      let (low, high) = (UInt8(block.count & 0xFF), UInt8(block.count >> 8))
      result += [rest.isEmpty ? 1 : 0, low, high, ~low, ~high] + block
    }
    var (a, b) = (1, 0)
    for byte in content {
      a = (a + Int(byte)) % 65521
      b = (b + a) % 65521
    }
    return result + bytes(b << 16 | a)
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~UInt32(0)) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in
        sum & 1 == 1 ? 0xEDB8_8320 ^ (sum >> 1) : sum >> 1
      }
    }
  }

  private static func bytes(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}
