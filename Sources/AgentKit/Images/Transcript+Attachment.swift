#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Transcript {
  /// A part of an entry that is not text.
  public struct AttachmentSegment: Sendable, Equatable, Identifiable {
    /// The identity of the segment.
    public var id: String
    /// What is attached.
    public var content: Attachment
    /// What the model is told that it is called, and may call it in turn.
    public var label: String?

    /// Makes a segment.
    public init(id: String = newIdentity(), content: Attachment, label: String? = nil) {
      self.id = id
      self.content = content
      self.label = label
    }
  }

  /// What can be attached to an entry.
  public enum Attachment: Sendable, Equatable {
    /// An image.
    case image(ImageAttachment)
  }

  /// An image as the bytes of its PNG or JPEG file.
  ///
  /// A transcript holds the bytes and not only the place where they were found, so that it reads the
  /// same later and in another process.
  public struct ImageAttachment: Sendable, Equatable {
    /// Where the image is from; `nil` for one that was given as bytes.
    public var url: URL?
    /// The bytes of its file; `nil` for one that is only an address, or could not be read.
    public var data: Data?

    /// Takes the image at an address.
    ///
    /// A file is read at once, by the process that runs the agent, which reads what a person has
    /// allowed it. What could not be read is an error when a model is to be asked. An address in the
    /// web is left to the server of the model.
    public init(imageURL: URL) {
      url = imageURL
      if imageURL.isFileURL { data = ModelSupply.supplier?.contents(of: imageURL) }
    }

    /// Takes an image from the bytes of its file.
    ///
    /// Apple's platforms have images in memory, of types that do not exist elsewhere: this is what
    /// stands in their place.
    public init(imageData: Data) {
      data = imageData
    }

    /// An image that is nowhere but in a transcript that is being read.
    init(url: URL?) {
      self.url = url
    }
  }
}

extension Transcript.AttachmentSegment {
  /// The image that is attached.
  package var image: Transcript.ImageAttachment {
    switch content {
    case .image(let image): image
    }
  }
}

extension Transcript.AttachmentSegment: CustomStringConvertible {
  /// What is attached, in a few words.
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
  /// Whether there is anything but text and structured content.
  package var hasAttachments: Bool { contains(where: \.isAttachment) }

  /// The attachments among the segments.
  package var attachments: [Transcript.AttachmentSegment] {
    compactMap { if case .attachment(let segment) = $0 { segment } else { nil } }
  }
}

extension Transcript.Segment {
  var isAttachment: Bool { if case .attachment = self { true } else { false } }
}
