#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Something that is not text, as a part of a prompt, of instructions, or of what a tool returns.
///
/// ```swift
/// try await session.respond {
///   "Which model is this?"
///   Attachment(imageURL: photo).label("the finished crane")
/// }
/// ```
///
/// Only a model that sees can be asked with one.
public struct Attachment<Content>: PromptRepresentable, InstructionsRepresentable {
  private var segment: Transcript.AttachmentSegment

  /// Names the attachment for the model, which can then refer to it.
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

extension Attachment where Content == Transcript.ImageAttachment {
  /// Attaches the image at an address, as `Transcript.ImageAttachment` takes it.
  public init(imageURL: URL) {
    segment = .init(content: .image(.init(imageURL: imageURL)))
  }

  /// Attaches an image from the bytes of its PNG or JPEG file.
  public init(imageData: Data) {
    segment = .init(content: .image(.init(imageData: imageData)))
  }
}
