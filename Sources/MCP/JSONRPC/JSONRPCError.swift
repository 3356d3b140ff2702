package import Transcripts

/// Why a request failed, as JSON-RPC says it.
package struct JSONRPCError: Error, Sendable, Equatable {
  package var code: Code
  package var message: String
  package var data: GeneratedContent?

  package init(_ code: Code, _ message: String, data: GeneratedContent? = nil) {
    self.code = code
    self.message = message
    self.data = data
  }

  /// A number that says what kind of failure it is.
  package struct Code: RawRepresentable, Sendable, Hashable {
    package let rawValue: Int

    package init(rawValue: Int) {
      self.rawValue = rawValue
    }

    package static let unreadable = Self(rawValue: -32700)
    package static let invalidRequest = Self(rawValue: -32600)
    package static let unknownMethod = Self(rawValue: -32601)
    package static let invalidParameters = Self(rawValue: -32602)
    package static let internalError = Self(rawValue: -32603)
    /// A header of the HTTP request differs from the message in its body.
    package static let headerMismatch = Self(rawValue: -32020)
    /// The client lacks a capability, which `data.requiredCapabilities` names.
    package static let missingClientCapability = Self(rawValue: -32021)
    /// The server does not speak the version; `data.supported` lists those that it does.
    package static let unsupportedVersion = Self(rawValue: -32022)
  }
}

extension JSONRPCError {
  /// Reads the `error` of a response; `nil` if it is none.
  init?(_ content: GeneratedContent) {
    guard let code = content["code"]?.integer else { return nil }
    self.init(
      Code(rawValue: code),
      content["message"]?.text ?? "",
      data: content["data"]
    )
  }

  var content: GeneratedContent {
    var members: [(String, GeneratedContent)] = [
      ("code", GeneratedContent(number: JSONNumber(code.rawValue))),
      ("message", GeneratedContent(kind: .string(message))),
    ]
    if let data { members.append(("data", data)) }
    return .object(members)
  }
}
