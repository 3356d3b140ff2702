/// An image that a model means, by the label that it was attached with.
///
/// A part of a generated value, so that a model can say which of several images its answer is about.
public struct ImageReference: Generable, Sendable, Equatable {
  /// The label of the image.
  public let attachmentLabel: String

  /// Refers to the image with a label.
  public init(attachmentLabel: String) {
    self.attachmentLabel = attachmentLabel
  }

  /// Reads a reference.
  public init(_ content: GeneratedContent) throws {
    attachmentLabel = try content.value(String.self, forProperty: "attachmentLabel")
  }

  /// The form of a reference.
  public static var generationSchema: GenerationSchema {
    GenerationSchema(
      type: Self.self,
      properties: [
        .init(
          name: "attachmentLabel",
          description: "The label of the image.",
          type: String.self
        )
      ]
    )
  }

  /// A reference that is being generated.
  public struct PartiallyGenerated: Identifiable, ConvertibleFromGeneratedContent, Equatable,
    Sendable
  {
    /// The identity of the value through all of its generation.
    public var id: GenerationID
    /// The label of the image, as far as it is known.
    public var attachmentLabel: String?

    /// Reads what there is of a reference.
    public init(_ content: GeneratedContent) throws {
      id = content.id ?? GenerationID()
      attachmentLabel = try content.growingValue(forProperty: "attachmentLabel")
    }
  }

  /// The reference as content.
  public var generatedContent: GeneratedContent {
    GeneratedContent(properties: ["attachmentLabel": attachmentLabel])
  }

  /// The image that is meant: the last that was attached with the label; `nil` when none was.
  public func resolved(
    in entries: some Sequence<Transcript.Entry>
  ) -> Transcript.ImageAttachment? {
    entries.flatMap(\.segments.attachments).last { $0.label == attachmentLabel }?.image
  }
}
