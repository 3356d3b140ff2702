package import Transcripts

/// What a client asks for, beyond what a connection answers by itself.
package enum ServerRequest: Sendable, Equatable {
  case listTools(cursor: String?)
  case callTool(ToolCallRequest)
  case listPrompts(cursor: String?)
  case getPrompt(name: String, arguments: [String: String])
  case listResources(cursor: String?)
  case listResourceTemplates(cursor: String?)
  case readResource(uri: String)
  /// Tells what changes until the request is cancelled.
  case listen(Subscription)
}

/// What a client wants to hear of changes.
package struct Subscription: Sendable, Equatable {
  /// Whether it wants to hear that there are other resources.
  package var listsResources: Bool
  /// The resources of whose changes it wants to hear.
  package var resources: [String]

  package init(listsResources: Bool, resources: [String]) {
    self.listsResources = listsResources
    self.resources = resources
  }

  /// The method with which a client subscribes.
  static let method = "subscriptions/listen"

  /// The subscription as a client and a server write it.
  package var content: GeneratedContent {
    .members([
      ("resourcesListChanged", listsResources ? true.json : nil),
      ("resourceSubscriptions", resources.isEmpty ? nil : .list(resources.map(\.json))),
    ])
  }
}

package struct ToolCallRequest: Sendable, Equatable {
  package var name: String
  /// An object; empty if the client sent none.
  package var arguments: GeneratedContent
  /// What a person entered, where an earlier answer to this call required input.
  package var inputs: [String: ElicitationAnswer] = [:]
  /// The state that came with that answer.
  package var state: String?
}

extension ServerRequest {
  /// Reads a request by its method.
  /// - Throws: `JSONRPCError` for a method that there is none of, or for parameters that it does not
  ///   take.
  init(_ call: JSONRPCCall) throws(JSONRPCError) {
    let parameters = Parameters(of: call)
    switch call.method {
    case "tools/list": self = .listTools(cursor: try parameters.optionalText("cursor"))
    case "tools/call": self = .callTool(try ToolCallRequest(parameters))
    case "prompts/list": self = .listPrompts(cursor: try parameters.optionalText("cursor"))
    case "prompts/get":
      self = .getPrompt(
        name: try parameters.text("name"),
        arguments: try parameters.texts("arguments")
      )
    case "resources/list": self = .listResources(cursor: try parameters.optionalText("cursor"))
    case "resources/templates/list":
      self = .listResourceTemplates(cursor: try parameters.optionalText("cursor"))
    case "resources/read": self = .readResource(uri: try parameters.text("uri"))
    case Subscription.method: self = .listen(try Subscription(parameters))
    default: throw .unknownMethod(call.method)
    }
  }
}

extension ToolCallRequest {
  fileprivate init(_ parameters: Parameters) throws(JSONRPCError) {
    name = try parameters.text("name")
    arguments = try parameters.object("arguments") ?? .object([])
    state = try parameters.optionalText("requestState")
    inputs = [:]
    for (key, value) in try parameters.object("inputResponses")?.members ?? [] {
      inputs[key] = ElicitationAnswer(value)
    }
  }
}

extension Subscription {
  fileprivate init(_ parameters: Parameters) throws(JSONRPCError) {
    let wanted = try parameters.object("notifications")
    listsResources = wanted?["resourcesListChanged"]?.flag ?? false
    resources = wanted?["resourceSubscriptions"]?.elements?.compactMap(\.text) ?? []
  }
}

extension JSONRPCError {
  static func unknownMethod(_ name: String) -> JSONRPCError {
    JSONRPCError(.unknownMethod, "There is no method '\(name)'.")
  }
}

/// The parameters of a call, read with errors that name what is wrong.
private struct Parameters {
  private let method: String
  private let content: GeneratedContent?

  init(of call: JSONRPCCall) {
    (method, content) = (call.method, call.parameters)
  }

  func text(_ name: String) throws(JSONRPCError) -> String {
    guard let text = try optionalText(name) else { throw error(name, "is missing") }
    return text
  }

  func optionalText(_ name: String) throws(JSONRPCError) -> String? {
    guard let value = value(name) else { return nil }
    guard let text = value.text else { throw error(name, "is not a string") }
    return text
  }

  func object(_ name: String) throws(JSONRPCError) -> GeneratedContent? {
    guard let value = value(name) else { return nil }
    guard value.members != nil else { throw error(name, "is not an object") }
    return value
  }

  func texts(_ name: String) throws(JSONRPCError) -> [String: String] {
    var texts: [String: String] = [:]
    for (key, value) in try object(name)?.members ?? [] {
      guard let text = value.text else { throw error("\(name).\(key)", "is not a string") }
      texts[key] = text
    }
    return texts
  }

  /// The value of a parameter; one that is `null` counts as absent, as some clients send it.
  private func value(_ name: String) -> GeneratedContent? {
    content?[name].flatMap { $0.kind == .null ? nil : $0 }
  }

  private func error(_ name: String, _ problem: String) -> JSONRPCError {
    JSONRPCError(.invalidParameters, "The parameter '\(name)' of \(method) \(problem).")
  }
}
