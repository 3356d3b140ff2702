package import Foundation
package import Transcripts

/// An image that comes with a prompt, as bytes: the sender has already read the file.
package struct PromptImage: Codable, Sendable, Equatable {
  /// The path of the file, for readers of the transcript.
  package var path: String?
  /// The name by which the model is told of the image.
  package var label: String?
  /// A PNG or JPEG file.
  package var data: Data

  package init(path: String? = nil, label: String? = nil, data: Data) {
    self.path = path
    self.label = label
    self.data = data
  }

  /// What is wrong with the image; `nil` if a model can be shown it.
  package var flaw: String? { attachment.image.flaw }

  package var attachment: Transcript.AttachmentSegment {
    var image = Transcript.ImageAttachment(imageData: data)
    image.url = path.map { URL(filePath: $0) }
    return .init(content: .image(image), label: label)
  }
}

extension PromptImage: CustomStringConvertible {
  package var description: String { attachment.description }
}
