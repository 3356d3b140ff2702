package import PlatformLibraries

/// The facts about an image that the first bytes of its file reveal.
package struct ImageFile: Sendable, Equatable {
  package enum Format: String, Sendable {
    case png, jpeg

    package var mediaType: String { "image/\(rawValue)" }
  }

  package let format: Format
  package let width: Int
  package let height: Int

  /// The maximum total size of a conversation's images, which go to a worker as text in one
  /// message.
  package static let maximumBytes = 11 << 20
  /// The maximum number of pixels in an image, which takes four bytes per pixel in memory once
  /// decoded.
  package static let maximumPixels = 64_000_000

  /// Reads the header of a PNG or JPEG file; `nil` for anything else.
  package init?(_ data: Data) {
    let bytes = Array(data.prefix(Self.headSize))
    guard let head = Self.png(bytes) ?? Self.jpeg(bytes) else { return nil }
    self = head
  }

  /// The number of bytes to search: a JPEG file may have a preview and a color profile before its
  /// size.
  private static let headSize = 1 << 20

  private init(format: Format, width: Int, height: Int) {
    self.format = format
    self.width = width
    self.height = height
  }

  private static func png(_ bytes: [UInt8]) -> ImageFile? {
    // Decoders take the size from this chunk, which some also find behind another one.
    guard bytes.count >= 24, bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
      bytes[12..<16].elementsEqual("IHDR".utf8)
    else { return nil }
    return ImageFile(
      format: .png,
      width: number(bytes[16..<20]),
      height: number(bytes[20..<24])
    )
  }

  /// Skips from marker to marker until one begins a frame, which contains the size.
  private static func jpeg(_ bytes: [UInt8]) -> ImageFile? {
    guard bytes.starts(with: [0xFF, 0xD8, 0xFF]) else { return nil }
    var place = 2
    while place + 9 <= bytes.count, bytes[place] == 0xFF {
      let marker = bytes[place + 1]
      // 0xC4, 0xC8 and 0xCC are not frames.
      if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
        return ImageFile(
          format: .jpeg,
          width: number(bytes[place + 7..<place + 9]),
          height: number(bytes[place + 5..<place + 7])
        )
      }
      place += marker == 0xFF ? 1 : 2 + number(bytes[place + 2..<place + 4])
    }
    return nil
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reduce(0) { $0 << 8 | Int($1) }
  }
}

extension Transcript.ImageAttachment {
  /// What is wrong with the image, or `nil` if it can be shown to a model.
  package var flaw: String? {
    guard let data else {
      let place = url?.absoluteString ?? "nowhere"
      return "it could not be read from \(place)"
    }
    guard let file = ImageFile(data) else { return "it is neither a PNG nor a JPEG file" }
    guard file.width > 0, file.height > 0,
      file.width <= ImageFile.maximumPixels / file.height
    else {
      return "\(file.width) by \(file.height) pixels is not within the limit of 1 to"
        + " \(ImageFile.maximumPixels / 1_000_000) million"
    }
    return nil
  }

  /// The URL of an image that only a server can retrieve.
  package var webAddress: String? {
    guard data == nil, let url, url.scheme == "https" || url.scheme == "http" else { return nil }
    return url.absoluteString
  }

  /// The image's format and sizes, in words.
  var facts: [String] {
    guard let data else { return [] }
    let size = data.count < 1000 ? "\(data.count) bytes" : "\((data.count + 500) / 1000) kB"
    guard let file = ImageFile(data) else { return [size] }
    return ["\(file.format.rawValue.uppercased())", "\(file.width)×\(file.height)", size]
  }
}

extension Transcript.ImageAttachment {
  /// A URL that contains the image, or the one at which a server finds it.
  var address: String { webAddress ?? dataAddress ?? "" }

  /// A URL that contains the image, or `nil` if its bytes are not known.
  var dataAddress: String? {
    guard let data else { return nil }
    let type = ImageFile(data)?.format.mediaType ?? "application/octet-stream"
    return "data:\(type);base64,\(data.base64EncodedString())"
  }
}
