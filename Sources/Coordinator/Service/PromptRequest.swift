package import Coordination
package import Foundation
import Journal
package import Transcripts

/// A prompt sent to a conversation.
package struct PromptRequest: Codable, Sendable, Equatable {
  /// Identifies the request: one that is sent again joins the turn instead of beginning another.
  package var id: String?
  package var session: String
  package var prompt: String
  /// The agent that begins the session if it is new; if omitted, the coordinator's choice.
  package var agent: String?
  package var images: [PromptImage]?
  /// The caps of the prompt; the coordinator supplies the others.
  package var caps: GivenCaps?
  /// Whether a person can be asked before calls are made; if omitted, the coordinator's setting.
  package var isAttended: Bool?
  /// What else the turn is asked for.
  package var options: TurnOptions?
  /// The entries of a conversation that another program kept, with which a new session begins.
  ///
  /// Calls in it are no sign that a tool ran here.
  package var history: [RawEntry]?
  /// The program that begins the session.
  package var origin: String?
  /// Whether a new session is deleted when the turn ends.
  package var isTemporary: Bool?

  package init(
    id: String? = nil,
    session: String,
    prompt: String,
    agent: String? = nil,
    images: [PromptImage]? = nil,
    caps: GivenCaps?,
    isAttended: Bool? = nil,
    options: TurnOptions? = nil,
    history: [RawEntry]? = nil,
    origin: String? = nil,
    isTemporary: Bool? = nil
  ) {
    self.id = id
    self.session = session
    self.prompt = prompt
    self.agent = agent
    self.images = images
    self.caps = caps
    self.isAttended = isAttended
    self.options = options
    self.history = history
    self.origin = origin
    self.isTemporary = isTemporary
  }

  private enum CodingKeys: String, CodingKey, CaseIterable {
    case id, session, prompt, agent, images, caps, isAttended
    case options, history, origin, isTemporary
  }

  package init(from decoder: any Decoder) throws {
    try decoder.refuseFields(beside: CodingKeys.self)
    let values = try decoder.container(keyedBy: CodingKeys.self)
    id = try values.decodeIfPresent(String.self, forKey: .id)
    session = try values.decode(String.self, forKey: .session)
    prompt = try values.decode(String.self, forKey: .prompt)
    agent = try values.decodeIfPresent(String.self, forKey: .agent)
    images = try values.decodeIfPresent([SentImage].self, forKey: .images)?.map(\.image)
    caps = try values.decodeIfPresent(GivenCaps.self, forKey: .caps)
    isAttended = try values.decodeIfPresent(Bool.self, forKey: .isAttended)
    options = try values.decodeIfPresent(SentOptions.self, forKey: .options)?.options
    history = try values.decodeIfPresent([RawEntry].self, forKey: .history)
    origin = try values.decodeIfPresent(String.self, forKey: .origin)
    isTemporary = try values.decodeIfPresent(Bool.self, forKey: .isTemporary)
  }
}

private struct SentImage: Decodable {
  let image: PromptImage

  private enum CodingKeys: String, CodingKey, CaseIterable {
    case path, label, data
  }

  init(from decoder: any Decoder) throws {
    try decoder.refuseFields(beside: CodingKeys.self)
    image = try PromptImage(from: decoder)
  }
}

private struct SentOptions: Decodable {
  let options: TurnOptions

  private enum CodingKeys: String, CodingKey, CaseIterable {
    case instructions, generation, seed, stop, schema, reasoningLevel, skipsReasoning, clientTools
    case traceparent
  }

  init(from decoder: any Decoder) throws {
    try decoder.refuseFields(beside: CodingKeys.self)
    options = try TurnOptions(from: decoder)
  }
}

extension PromptRequest {
  /// Parses a prompt that was sent, if it can be asked.
  package static func read(_ body: Data) throws(InvalidBody) -> PromptRequest {
    let request: Self = try ServiceJSON.read(body, "A prompt is JSON with 'session' and 'prompt'")
    try request.validate()
    return request
  }

  /// The most bytes of the identity of a request.
  private static let longestID = 512

  /// Throws an error if it cannot be asked.
  func validate() throws(InvalidBody) {
    guard !prompt.allSatisfy(\.isWhitespace) else { throw InvalidBody("The prompt is empty.") }
    do throws(SessionName.Fault) {
      _ = try SessionName.checked(session)
    } catch {
      throw InvalidBody(error.description)
    }
    if let id, !(1...Self.longestID).contains(id.utf8.count) {
      throw InvalidBody("The id of a request has 1 to \(Self.longestID) bytes.")
    }
    do throws(InvalidValue) {
      try options?.validate()
    } catch {
      throw InvalidBody("The options of the turn are not valid: \(error).")
    }
  }
}
