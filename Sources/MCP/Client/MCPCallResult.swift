package import PlatformLibraries
import Transcripts

/// What a tool of a server returned.
package struct MCPCallResult: Sendable, Equatable {
  /// What a model reads, however long.
  package let text: String
  /// Whether the tool reports an error, which is information for the model.
  package let isError: Bool
  /// The files of its images that a model can be shown, in order.
  package let images: [Data]

  /// The most images, and bytes of all of them together, that a model is shown of one result.
  private static let maximumImages = 8
  private static let maximumImageBytes = 4 << 20

  init(_ result: GeneratedContent) {
    isError = result["isError"]?.flag ?? false
    let structured = result["structuredContent"].flatMap { $0.kind == .null ? nil : $0 }
    let bare = structured?.bareTexts ?? []
    var parts = (result["content"]?.elements ?? []).compactMap { content in
      content.repeats(structured, bare) ? nil : content.words
    }
    if let structured { parts.insert(structured.jsonString, at: 0) }
    text = parts.joined(separator: "\n")
    var (room, images) = (Self.maximumImageBytes, [Data]())
    for part in result["content"]?.elements ?? [] where images.count < Self.maximumImages {
      guard let image = part.image, image.count <= room else { continue }
      room -= image.count
      images.append(image)
    }
    self.images = images
  }
}

extension GeneratedContent {
  /// The texts that a bare value may have outside structured content, which wraps it in an object.
  fileprivate var bareTexts: [String] {
    guard let members, members.count == 1, let only = members.first?.value else { return [] }
    return (only.text.map { [$0] } ?? []) + [only.jsonString]
  }

  /// Whether a part of a result is only the structured content once more, as text.
  /// - Parameter bare: The bare texts of the structured content.
  fileprivate func repeats(_ structured: GeneratedContent?, _ bare: [String]) -> Bool {
    guard let structured, self["type"]?.text == "text", let text = self["text"]?.text else {
      return false
    }
    if bare.contains(text) { return true }
    guard let same = try? GeneratedContent(json: text), same.isComplete else { return false }
    return same.isSame(as: structured)
  }

  /// The image of a part of a result, if a model can be shown it.
  fileprivate var image: Data? {
    guard self["annotations"]?["audience"]?.elements?.compactMap(\.text) != ["user"] else {
      return nil
    }
    let text =
      switch self["type"]?.text {
      case "image": self["data"]?.text
      case "resource": self["resource"]?["blob"]?.text
      default: String?.none
      }
    guard let data = text.flatMap({ Data(base64Encoded: $0) }),
      Transcript.ImageAttachment(imageData: data).flaw == nil
    else { return nil }
    return data
  }

  /// What a model reads of a part of a result.
  fileprivate var words: String {
    if self["annotations"]?["audience"]?.elements?.compactMap(\.text) == ["user"] {
      return "[content for the person alone]"
    }
    let type = self["type"]?.text ?? "content of no type"
    switch type {
    case "text": return self["text"]?.text ?? ""
    case "image", "audio": return Self.bytes(type, self["mimeType"], self["data"])
    case "resource_link":
      let name = self["name"]?.text ?? ""
      return "[link: \(name), \(self["uri"]?.text ?? "")]"
    case "resource":
      guard let resource = self["resource"] else { return "[resource]" }
      let uri = resource["uri"]?.text ?? ""
      if let text = resource["text"]?.text { return "[resource \(uri)]\n\(text)" }
      return Self.bytes("resource \(uri)", resource["mimeType"], resource["blob"])
    default: return "[\(type.beginning(bytes: 64))]"
    }
  }

  /// Describes data that is not shown.
  private static func bytes(
    _ kind: String,
    _ type: GeneratedContent?,
    _ data: GeneratedContent?
  ) -> String {
    let bytes = (data?.text?.utf8.count ?? 0) * 3 / 4
    let size = bytes < 10_000 ? "\(bytes) bytes" : "\(bytes / 1000) kB"
    return "[\(kind), \(type?.text ?? "unknown type"), \(size)]"
  }
}
