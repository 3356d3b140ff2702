package import Transcripts

package struct OfferedTool: Sendable, Equatable {
  package var name: String
  package var title: String
  package var description: String
  /// The schema of the arguments, an object.
  package var input: GeneratedContent
  /// The schema of the structured result.
  package var output: GeneratedContent
  package var hints: Hints

  /// What a client may assume about calls, to decide whether to ask a person first.
  package struct Hints: Sendable, Equatable {
    package var isReadOnly: Bool
    package var isDestructive: Bool
    package var isIdempotent: Bool
    /// Whether calls reach other machines.
    package var isOpenWorld: Bool

    package init(isReadOnly: Bool, isDestructive: Bool, isIdempotent: Bool, isOpenWorld: Bool) {
      self.isReadOnly = isReadOnly
      self.isDestructive = isDestructive
      self.isIdempotent = isIdempotent
      self.isOpenWorld = isOpenWorld
    }
  }

  package init(
    name: String,
    title: String,
    description: String,
    input: GeneratedContent,
    output: GeneratedContent,
    hints: Hints
  ) {
    self.name = name
    self.title = title
    self.description = description
    self.input = input
    self.output = output
    self.hints = hints
  }
}

/// A prompt that a server offers, with arguments that are all texts.
package struct OfferedPrompt: Sendable, Equatable {
  package var name: String
  package var title: String
  package var description: String
  package var arguments: [Argument]

  package struct Argument: Sendable, Equatable {
    package var name: String
    package var description: String
    package var isRequired: Bool

    package init(name: String, description: String, isRequired: Bool) {
      self.name = name
      self.description = description
      self.isRequired = isRequired
    }
  }

  package init(name: String, title: String, description: String, arguments: [Argument]) {
    self.name = name
    self.title = title
    self.description = description
    self.arguments = arguments
  }
}

/// A resource that a server offers, or the form of many.
package struct OfferedResource: Sendable, Equatable {
  /// The address, or its template.
  package var uri: String
  package var name: String
  package var description: String
  package var mediaType: String
  /// When it last changed, in the form of ISO 8601.
  package var lastModified: String?

  package init(
    uri: String,
    name: String,
    description: String,
    mediaType: String,
    lastModified: String? = nil
  ) {
    self.uri = uri
    self.name = name
    self.description = description
    self.mediaType = mediaType
    self.lastModified = lastModified
  }
}

// Fields that a version does not know are left out: clients may validate what they get.

extension OfferedTool {
  func content(for version: ProtocolVersion) -> GeneratedContent {
    .members([
      ("name", name.json),
      ("title", version >= .june2025 ? title.json : nil),
      ("description", description.json),
      ("inputSchema", input),
      ("outputSchema", version >= .june2025 ? output : nil),
      ("annotations", version >= .june2025 ? hints.content(title: title) : nil),
    ])
  }
}

extension OfferedTool.Hints {
  fileprivate func content(title: String) -> GeneratedContent {
    .members([
      ("title", title.json),
      ("readOnlyHint", isReadOnly.json),
      ("destructiveHint", isDestructive.json),
      ("idempotentHint", isIdempotent.json),
      ("openWorldHint", isOpenWorld.json),
    ])
  }
}

extension OfferedPrompt {
  func content(for version: ProtocolVersion) -> GeneratedContent {
    .members([
      ("name", name.json),
      ("title", version >= .june2025 ? title.json : nil),
      ("description", description.json),
      (
        "arguments",
        .list(
          arguments.map {
            .members([
              ("name", $0.name.json), ("description", $0.description.json),
              ("required", $0.isRequired.json),
            ])
          }
        )
      ),
    ])
  }
}

extension OfferedResource {
  func content(for version: ProtocolVersion) -> GeneratedContent {
    let annotations = lastModified.map { GeneratedContent.members([("lastModified", $0.json)]) }
    return .members([
      ("uri", uri.json), ("name", name.json), ("description", description.json),
      ("mimeType", mediaType.json), ("annotations", version >= .june2025 ? annotations : nil),
    ])
  }

  var templateContent: GeneratedContent {
    .members([
      ("uriTemplate", uri.json), ("name", name.json), ("description", description.json),
      ("mimeType", mediaType.json),
    ])
  }
}
