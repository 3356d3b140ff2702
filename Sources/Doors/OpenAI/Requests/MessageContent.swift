import Coordination
import Foundation
import Transcripts

/// The content of a message: a text, or a list of texts and images.
struct MessageContent: Equatable {
  private(set) var text = ""
  private(set) var images: [PromptImage] = []

  init(_ field: RequestField) throws(OpenAIError) {
    if let text = field.text {
      self.text = text
      return
    }
    guard let parts = field.elements else { throw field.wrong("a string or a list of parts") }
    var texts: [String] = []
    for part in parts {
      let type = try part.required("type")
      switch try type.string() {
      case "text", "input_text", "output_text": texts.append(try part.required("text").string())
      case "refusal": texts.append(try part.required("refusal").string())
      case "image_url", "input_image": images.append(try Self.image(part))
      case let other:
        throw .unsupported(type.path, "Content of the type '\(other)' is not supported.")
      }
    }
    text = texts.joined(separator: "\n")
  }

  private static func image(_ part: RequestField) throws(OpenAIError) -> PromptImage {
    // A file that was uploaded elsewhere has no URL here.
    let field = try part.required("image_url")
    let url = try field.isObject ? field.required("url") : field
    let image = PromptImage(data: try data(url))
    if let flaw = image.flaw {
      throw OpenAIError(400, "invalid_image", "The image cannot be used: \(flaw).", param: url.path)
    }
    return image
  }

  /// Reads a URL that contains an image.
  ///
  /// Others are refused: fetching them would let a client reach what only this machine can reach.
  private static func data(_ url: RequestField) throws(OpenAIError) -> Data {
    let text = try url.string()
    guard text.utf8.starts(with: "data:".utf8) else {
      throw OpenAIError(
        400,
        "invalid_image",
        "Images are not fetched. Send the image itself as 'data:image/png;base64,…'.",
        param: url.path
      )
    }
    let comma = text.firstIndex(of: ",") ?? text.endIndex
    let type = text[..<comma].dropFirst("data:".count).lowercased()
    guard ["image/png;base64", "image/jpeg;base64", "image/jpg;base64"].contains(type),
      comma < text.endIndex,
      let data = Data(base64Encoded: String(text[text.index(after: comma)...]))
    else {
      throw OpenAIError(
        400,
        "invalid_image",
        "An image must be a PNG or JPEG file in base64, as 'data:image/png;base64,…'.",
        param: url.path
      )
    }
    return data
  }
}
