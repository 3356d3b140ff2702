package import Transcripts

/// One message of JSON-RPC 2.0.
package enum JSONRPCMessage: Sendable, Equatable {
  case request(id: JSONRPCID, JSONRPCCall)
  case notification(JSONRPCCall)
  case result(id: JSONRPCID, GeneratedContent)
  /// The identifier is `nil` where the sender could not read that of the request.
  case failure(id: JSONRPCID?, JSONRPCError)
}

/// A method with its parameters.
package struct JSONRPCCall: Sendable, Equatable {
  package var method: String
  /// An object, in the order in which it was written; `nil` if absent.
  package var parameters: GeneratedContent?

  package init(_ method: String, _ parameters: GeneratedContent? = nil) {
    self.method = method
    self.parameters = parameters
  }
}

/// What is not a message of JSON-RPC: an object of another form, or text that cannot be read.
package struct InvalidMessage: Error, Sendable, Equatable {
  /// The identifier for the answer, if the object has one.
  package let id: JSONRPCID?
  package let problem: String
  /// What the sender is told.
  package var code = JSONRPCError.Code.invalidRequest

  static let unreadable = Self(
    id: nil,
    problem: "it is not JSON, or is nested too deeply",
    code: .unreadable
  )
}

extension JSONRPCMessage {
  /// Reads a message from a JSON object.
  package init(_ object: GeneratedContent) throws(InvalidMessage) {
    let id = object["id"].flatMap { JSONRPCID($0) }
    guard object["jsonrpc"]?.text == "2.0" else {
      throw InvalidMessage(id: id, problem: #"'jsonrpc' is not "2.0""#)
    }
    if let method = object["method"] {
      guard let name = method.text else {
        throw InvalidMessage(id: id, problem: "'method' is not a string")
      }
      let parameters = object["params"]
      guard parameters == nil || parameters?.members != nil else {
        throw InvalidMessage(id: id, problem: "'params' is not an object")
      }
      let call = JSONRPCCall(name, parameters)
      guard object["id"] != nil else {
        self = .notification(call)
        return
      }
      guard let id else {
        throw InvalidMessage(id: nil, problem: "'id' is neither a string nor a number")
      }
      self = .request(id: id, call)
    } else if let error = object["error"] {
      guard let error = JSONRPCError(error) else {
        throw InvalidMessage(id: id, problem: "'error' has no code")
      }
      self = .failure(id: id, error)
    } else if let result = object["result"] {
      guard let id else { throw InvalidMessage(id: nil, problem: "a result has no 'id'") }
      self = .result(id: id, result)
    } else {
      throw InvalidMessage(id: id, problem: "there is no 'method', 'result' or 'error'")
    }
  }

  /// The message as a JSON object.
  package var content: GeneratedContent {
    var members = [("jsonrpc", GeneratedContent(kind: .string("2.0")))]
    switch self {
    case .request(let id, let call): members += [("id", id.content)] + call.members
    case .notification(let call): members += call.members
    case .result(let id, let result): members += [("id", id.content), ("result", result)]
    case .failure(let id, let error):
      members += [("id", id?.content ?? GeneratedContent(kind: .null)), ("error", error.content)]
    }
    return .object(members)
  }

  /// The message as the one line that a pipe carries, with its newline.
  package var line: [UInt8] { Array(content.jsonString.utf8) + [UInt8(ascii: "\n")] }
}

extension JSONRPCCall {
  fileprivate var members: [(String, GeneratedContent)] {
    let method = [("method", GeneratedContent(kind: .string(method)))]
    return method + (parameters.map { [("params", $0)] } ?? [])
  }
}
