import Coordination
import Foundation
import Transcripts

/// What identifies a conversation by what was said in it.
///
/// Clients of chat completions send no name of a session, only all messages again. The key makes it
/// impossible to find messages by which to come into the session of another.
struct Fingerprint: Hashable, Sendable {
  private let halves: [Int]

  private init(_ halves: [Int]) { self.halves = halves }

  /// Makes fingerprints that only this coordinator can make.
  ///
  /// A hasher is keyed with a number of this process; the salt makes it two keys.
  struct Maker: Sendable {
    private let salts = [UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max)]

    /// - Parameter scope: The session that the client named; `nil` for none.
    func fingerprint(
      of messages: some Sequence<ClientMessage>,
      model: ModelName,
      scope: String?
    ) -> Fingerprint {
      var hashers = hashers()
      func add(_ text: String) { Self.add(text, to: &hashers) }
      add(model.text)
      add(scope.map { "session \($0)" } ?? "")
      for message in Array(messages).merged {
        add(message.role.rawValue)
        // Clients trim what they show.
        add(message.text.trimmed)
        // Data hashes only its first bytes.
        for image in message.images { add(image.data.base64EncodedString()) }
        for call in message.calls {
          for text in ["call", call.id, call.name, call.arguments.canonicalJSON] { add(text) }
        }
        add(message.callID ?? "")
      }
      return Fingerprint(hashers.map { $0.finalize() })
    }

    func fingerprint(of body: some Collection<UInt8>) -> Fingerprint {
      var hashers = hashers()
      Self.add(String(decoding: body, as: UTF8.self), to: &hashers)
      return Fingerprint(hashers.map { $0.finalize() })
    }

    private func hashers() -> [Hasher] {
      salts.map { salt in
        var hasher = Hasher()
        hasher.combine(salt)
        return hasher
      }
    }

    /// A text is hashed at once, with a mark at its end; an array of bytes would be one by one.
    private static func add(_ text: String, to hashers: inout [Hasher]) {
      for index in hashers.indices { hashers[index].combine(text) }
    }
  }
}

extension StringProtocol {
  /// The text without whitespace around it.
  var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}

extension String {
  /// JSON without what clients change, such as the order of keys; other text as it is.
  var canonicalJSON: String { (try? GeneratedContent(json: self))?.canonicalJSON ?? self }
}
