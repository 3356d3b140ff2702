package import Foundation
package import Journal
import Transcripts

/// A person's decision about a call, or the answer to what its server wants to know.
package struct ApprovalAnswer: Codable, Sendable, Equatable {
  package var id: Int64
  /// Why the call is denied; `nil` approves it.
  package var denial: String?
  /// The answer to a form, as a JSON object; `nil` for one without anything.
  package var content: String?
  /// Whether a form is closed without an answer, which is no refusal either.
  package var isCancelled: Bool
  /// Where the person answers; if omitted, through a door.
  package var by: ApprovalRecord.Answerer?

  package init(
    id: Int64,
    denial: String?,
    content: String? = nil,
    isCancelled: Bool = false,
    by answerer: ApprovalRecord.Answerer?
  ) {
    self.id = id
    self.denial = denial
    self.content = content
    self.isCancelled = isCancelled
    by = answerer
  }

  private enum CodingKeys: String, CodingKey, CaseIterable {
    case id, approve, denial, content, cancel, by
  }

  /// Reads a decision that was sent; nothing is approved unless it says so.
  package init(from decoder: any Decoder) throws {
    try decoder.refuseFields(beside: CodingKeys.self)
    let values = try decoder.container(keyedBy: CodingKeys.self)
    id = try values.decode(Int64.self, forKey: .id)
    denial = try values.decodeIfPresent(String.self, forKey: .denial)
    content = try values.decodeIfPresent(CodableContent.self, forKey: .content)?.content.jsonString
    by = try values.decodeIfPresent(ApprovalRecord.Answerer.self, forKey: .by)
    isCancelled = try values.decodeIfPresent(Bool.self, forKey: .cancel) ?? false
    guard content == nil || (denial == nil && !isCancelled) else {
      throw InvalidBody(#"What is denied or cancelled has no "content"."#)
    }
    // An undecided call is asked about again after a restart, and could then be made again.
    guard by != .coordinator, by != .unanswered else {
      throw InvalidBody(
        #"A call is decided by a person: "by" must be "chat" or "control"."#
      )
    }
    let approves = try values.decodeIfPresent(Bool.self, forKey: .approve) ?? false
    guard [approves, denial != nil, isCancelled].count(where: \.self) == 1 else {
      throw InvalidBody(
        #"An answer needs one of "approve": true, a "denial" with the reason, and "cancel": true."#
      )
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(id, forKey: .id)
    if isCancelled {
      try values.encode(true, forKey: .cancel)
    } else if denial == nil {
      try values.encode(true, forKey: .approve)
    }
    try values.encodeIfPresent(denial, forKey: .denial)
    if let content {
      try values.encode(CodableContent(try GeneratedContent(json: content)), forKey: .content)
    }
    try values.encodeIfPresent(by, forKey: .by)
  }
}

extension ApprovalAnswer {
  /// Parses a decision that was sent.
  package static func read(_ body: Data) throws(InvalidBody) -> ApprovalAnswer {
    try ServiceJSON.read(
      body,
      "An answer is JSON with 'id' and one of 'approve', 'denial' and 'cancel'"
    )
  }
}
