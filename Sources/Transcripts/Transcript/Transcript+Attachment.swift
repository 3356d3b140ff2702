public import PlatformLibraries

extension Transcript {
  /// A segment of an entry that is not text.
  public struct AttachmentSegment: Sendable, Equatable, Identifiable {
    /// The identity of the segment.
    public var id: String
    /// The attached content.
    public var content: Attachment
    /// The name of the attachment that the model is told and can use.
    public var label: String?

    /// Creates a segment.
    public init(id: String = newIdentity(), content: Attachment, label: String? = nil) {
      self.id = id
      self.content = content
      self.label = label
    }
  }

  /// The content of an attachment.
  public enum Attachment: Sendable, Equatable {
    /// An image.
    case image(ImageAttachment)
  }

  /// An image as the bytes of its PNG or JPEG file.
  ///
  /// A transcript holds the bytes, not only their source, so that it reads the same later and in
  /// another process.
  public struct ImageAttachment: Sendable, Equatable {
    /// The source of the image, or `nil` if it was given as bytes.
    public var url: URL?
    /// The bytes of the image's file, or `nil` if only its URL is known or it could not be read.
    public var data: Data?

    /// Creates an attachment from the bytes of an image file.
    ///
    /// It takes the place of Apple's initializers for images in memory, whose types do not exist on
    /// other platforms.
    public init(imageData: Data) {
      data = imageData
    }

    /// Creates an image of which only the URL is known.
    package init(url: URL?) {
      self.url = url
    }
  }
}

extension Transcript.AttachmentSegment {
  /// The attached image.
  package var image: Transcript.ImageAttachment {
    switch content {
    case .image(let image): image
    }
  }
}

extension Transcript.AttachmentSegment: CustomStringConvertible {
  /// A short description of the attachment.
  public var description: String {
    let name = label ?? image.url?.lastPathComponent
    return "[\((["image", name].compactMap(\.self) + image.facts).joined(separator: ", "))]"
  }
}

extension Transcript.Entry {
  /// The segments of the entry; a round of calls has none.
  package var segments: [Transcript.Segment] {
    switch self {
    case .instructions(let entry): entry.segments
    case .prompt(let entry): entry.segments
    case .toolCalls: []
    case .toolOutput(let entry): entry.segments
    case .response(let entry): entry.segments
    case .reasoning(let entry): entry.segments
    }
  }
}

extension Sequence where Element == Transcript.Segment {
  /// Whether any segment is neither text nor structured content.
  package var hasAttachments: Bool { contains(where: \.isAttachment) }

  /// The attachments among the segments.
  package var attachments: [Transcript.AttachmentSegment] {
    compactMap { if case .attachment(let segment) = $0 { segment } else { nil } }
  }
}

extension Transcript.Segment {
  package var isAttachment: Bool { if case .attachment = self { true } else { false } }
}
