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
      func add(_ bytes: some Collection<UInt8>) { Self.add(bytes, to: &hashers) }
      add(model.text.utf8)
      add((scope.map { "session \($0)" } ?? "").utf8)
      for message in Array(messages).merged {
        add(message.role.rawValue.utf8)
        // Clients trim what they show.
        add(message.text.trimmed.utf8)
        for image in message.images { add(image.data) }
        for call in message.calls {
          for text in ["call", call.id, call.name, call.arguments.canonicalJSON] { add(text.utf8) }
        }
        add((message.callID ?? "").utf8)
      }
      return Fingerprint(hashers.map { $0.finalize() })
    }

    /// Returns the fingerprint of the body of a request.
    func fingerprint(of body: some Collection<UInt8>) -> Fingerprint {
      var hashers = hashers()
      Self.add(body, to: &hashers)
      return Fingerprint(hashers.map { $0.finalize() })
    }

    private func hashers() -> [Hasher] {
      salts.map { salt in
        var hasher = Hasher()
        hasher.combine(salt)
        return hasher
      }
    }

    private static func add(_ bytes: some Collection<UInt8>, to hashers: inout [Hasher]) {
      // An array hashes its number too, so that no two lists of texts are the same bytes.
      let bytes = Array(bytes)
      for index in hashers.indices { hashers[index].combine(bytes) }
    }
  }
}

extension StringProtocol {
  /// The text without whitespace around it.
  var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}

extension String {
  /// JSON without its spaces and the order of its keys, which clients change; other text as it is.
  var canonicalJSON: String { (try? GeneratedContent(json: self))?.sorted.jsonString ?? self }
}

extension GeneratedContent {
  fileprivate var sorted: GeneratedContent {
    switch kind {
    case .structure(let properties, let keys):
      let sorted = properties.mapValues(\.sorted)
      return GeneratedContent(kind: .structure(properties: sorted, orderedKeys: keys.sorted()))
    case .array(let elements): return GeneratedContent(kind: .array(elements.map(\.sorted)))
    case .null, .bool, .number, .string: return self
    }
  }
}
