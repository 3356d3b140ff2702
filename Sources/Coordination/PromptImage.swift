import AgentKit
package import Foundation

/// An image that comes with a prompt, as bytes: whoever sends the prompt has read the file.
package struct PromptImage: Codable, Sendable, Equatable {
  /// The path of its file, for whoever reads the transcript.
  package var path: String?
  /// What the model is told that it is called.
  package var label: String?
  /// A PNG or JPEG file.
  package var data: Data

  package init(path: String? = nil, label: String? = nil, data: Data) {
    self.path = path
    self.label = label
    self.data = data
  }

  /// What is wrong with it; `nil` for one that can be shown to a model.
  package var flaw: String? { attachment.image.flaw }

  var attachment: Transcript.AttachmentSegment {
    var image = Transcript.ImageAttachment(imageData: data)
    image.url = path.map { URL(filePath: $0) }
    return .init(content: .image(image), label: label)
  }
}

extension PromptImage: CustomStringConvertible {
  package var description: String { attachment.description }
}
