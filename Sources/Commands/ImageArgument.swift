import AgentKit
import Coordination
import Foundation

/// An image that a person attaches to a prompt.
///
/// It is read in the person's own process, because workers see none of their files.
enum ImageArgument {
  /// The word with which a chat line attaches an image to the next prompt.
  static let word = "/image"

  /// Reads the images of one prompt.
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

  /// Reads an image.
  static func read(_ path: String) throws(CommandError) -> PromptImage {
    guard !path.isEmpty else { throw .namelessImage }
    let file = URL(filePath: (path as NSString).expandingTildeInPath)
    let image: PromptImage
    var status = stat()
    guard stat(file.path, &status) == 0, access(file.path, R_OK) == 0 else {
      let reason = errno == ENOENT ? "it does not exist" : String(cString: strerror(errno))
      throw .badImage(file.path, reason)
    }
    // Foundation reads neither a pipe nor a device, and says that they are not permitted.
    guard [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else {
      throw .badImage(file.path, "it is not a file")
    }
    do {
      // The size is checked first, so that nothing large is read in vain.
      let facts = try file.resolvingSymlinksInPath().resourceValues(
        forKeys: [.fileSizeKey, .isDirectoryKey]
      )
      guard facts.isDirectory != true else {
        throw CommandError.badImage(file.path, "it is a folder")
      }
      let size = facts.fileSize ?? 0
      guard size <= ImageFile.maximumBytes else {
        throw CommandError.badImage(file.path, "it is too large, with \(size) bytes")
      }
      image = PromptImage(path: file.path, data: try Data(contentsOf: file))
    } catch let error as CommandError {
      throw error
    } catch {
      throw .badImage(file.path, error.localizedDescription)
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
