public import PlatformLibraries

/// A part of a prompt, of instructions or of a tool's output that is not text.
///
/// ```swift
/// try await session.respond {
///   "Which model is this?"
///   Attachment(imageURL: photo).label("the finished crane")
/// }
/// ```
///
/// Attachments require a model that accepts images.
public struct Attachment<Content>: PromptRepresentable, InstructionsRepresentable {
  private var segment: Transcript.AttachmentSegment

  /// Gives the attachment a name by which the model can refer to it.
  public func label(_ label: String) -> Attachment {
    var labelled = self
    labelled.segment.label = label
    return labelled
  }

  /// The attachment as a prompt.
  public var promptRepresentation: Prompt { Prompt(segments: [.attachment(segment)]) }

  /// The attachment as instructions.
  public var instructionsRepresentation: Instructions {
    Instructions(segments: [.attachment(segment)])
  }
}

extension Attachment: Sendable where Content: Sendable {}

/// The content of an ``Attachment`` that is an image.
///
/// It only names the kind: the attachment's initializers take the image.
public struct ImageAttachmentContent: Sendable, Equatable {
  private init() {}
}

extension Attachment where Content == ImageAttachmentContent {
  /// Attaches the image at a URL, as ``Transcript/ImageAttachment`` does.
  public init(imageURL: URL) {
    segment = .init(content: .image(.init(imageURL: imageURL)))
  }

  /// Attaches an image, given the bytes of a PNG or JPEG file.
  public init(imageData: Data) {
    segment = .init(content: .image(.init(imageData: imageData)))
  }
}

extension Transcript.ImageAttachment {
  /// Creates an attachment from the image at a URL.
  ///
  /// The process that runs the agent reads a file immediately, if a person has allowed the agent
  /// to read it. A file that could not be read causes an error when a model is about to be asked.
  /// A web URL is left to the model's server.
  public init(imageURL: URL) {
    self.init(url: imageURL)
    if imageURL.isFileURL { data = ModelSupply.supplier?.contents(of: imageURL) }
  }
}
