/// A reference by a model to an image, using the label with which it was attached.
///
/// Use it in a generated value, so that a model can say which of several images its answer is
/// about.
public struct ImageReference: Generable, Sendable, Equatable {
  /// The label of the image.
  public let attachmentLabel: String

  /// Creates a reference to the image with the given label.
  public init(attachmentLabel: String) {
    self.attachmentLabel = attachmentLabel
  }

  /// Reads a reference from generated content.
  public init(_ content: GeneratedContent) throws {
    attachmentLabel = try content.value(String.self, forProperty: "attachmentLabel")
  }

  /// The schema of a reference.
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
    /// The identity of the value throughout its generation.
    public var id: GenerationID
    /// The label of the image, as far as it is known.
    public var attachmentLabel: String?

    /// Reads the available part of a reference.
    public init(_ content: GeneratedContent) throws {
      id = content.id ?? GenerationID()
      attachmentLabel = try content.growingValue(forProperty: "attachmentLabel")
    }
  }

  /// The reference as generated content.
  public var generatedContent: GeneratedContent {
    GeneratedContent(properties: ["attachmentLabel": attachmentLabel])
  }

  /// Returns the last image that was attached with the label, or `nil` if there is none.
  public func resolved(
    in entries: some Sequence<Transcript.Entry>
  ) -> Transcript.ImageAttachment? {
    entries.flatMap(\.segments.attachments).last { $0.label == attachmentLabel }?.image
  }
}
