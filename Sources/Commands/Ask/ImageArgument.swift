import Coordination
import Coordinator
import Foundation
import Transcripts

/// An image that a person attaches to a prompt.
///
/// It is read in the person's own process, because workers see none of their files.
enum ImageArgument {
  /// The word with which a chat line attaches an image to the next prompt.
  static let word = "/image"

  static func read(_ paths: [String]) throws(CommandError) -> [PromptImage] {
    var images: [PromptImage] = []
    var bytes = 0
    for path in paths {
      let image = try read(path)
      images.append(image)
      bytes += image.data.count
      // Checked here, because a coordinator would stop listening partway through.
      guard bytes <= ImageFile.maximumBytes else { throw .imagesTooLarge(bytes: bytes) }
    }
    return images
  }

  static func read(_ path: String) throws(CommandError) -> PromptImage {
    guard !path.isEmpty else { throw .namelessImage }
    let file = URL(filePath: (path as NSString).expandingTildeInPath)
    let image: PromptImage
    do throws(FileAccessError) {
      let data = try FileContent.content(of: file.path, atMost: ImageFile.maximumBytes)
      image = PromptImage(path: file.path, data: data)
    } catch {
      throw .badImage(file.path, "\(error)")
    }
    if let flaw = image.flaw { throw .badImage(file.path, flaw) }
    return image
  }

  /// Returns the path in a chat line that attaches an image; `nil` for any other line.
  static func path(in line: String) -> String? {
    let words = line.split(separator: " ", maxSplits: 1)
    guard words.first == Substring(word) else { return nil }
    return words.count == 2 ? words[1].trimmingCharacters(in: .whitespaces) : ""
  }
}
