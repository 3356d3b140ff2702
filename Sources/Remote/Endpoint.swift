import AgentKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Where requests for a model go, and what is shown there for authorization.
struct Endpoint: Sendable {
  typealias Fault = ChatCompletionsLanguageModel.RequestError

  /// The address that is asked.
  let address: String
  /// The address without a user, a password and a query: what people may see.
  let publicAddress: String
  /// Whole lines of the request's head.
  let headers: [String]
  /// Whether a bound on tokens is sent under its old name as well.
  let takesOldBound: Bool

  /// Whether no proxy can be between: it would look on its own machine.
  let isOnThisMachine: Bool
  private let secrets: Secrets

  /// Those that hold no secret, and whose words a server needs to say what is wrong with them.
  private static let openHeaders: Set<String> = [
    "accept", "content-type", "http-referer", "openai-beta", "user-agent", "x-title",
  ]

  init(
    _ model: ChatCompletionsLanguageModel,
    environment: [String: String]
  ) throws(Fault) {
    let (url, key) = try Self.server(of: model, environment)
    guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
      let host = url.host()?.lowercased(), !host.isEmpty
    else {
      throw .invalidRequest(
        "'\(ChatCompletionsLanguageModel.publicPart(url))' is not the address of a server. An"
          + " address begins with http:// or https:// and a host."
      )
    }
    let full = Self.completions(of: url)
    address = full.absoluteString
    publicAddress = ChatCompletionsLanguageModel.publicPart(full)
    // OpenAI refuses the old name for some models, and both names together.
    takesOldBound = ![".openai.com", ".openai.azure.com"].contains { host.hasSuffix($0) }
    isOnThisMachine =
      ["localhost", "::1"].contains(host)
      || host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." }
    var fields = model.additionalHeaders
    // A variable that is set to nothing is how an environment says that there is no key.
    if let key, !key.isEmpty { fields["Authorization"] = "Bearer \(key)" }
    headers = try Self.lines(of: fields)
    // libcurl repeats the address of a proxy that it cannot read, whoever stands before its host.
    let proxies = environment.filter { name, address in
      name.lowercased().hasSuffix("_proxy") && address.contains("@")
    }
    let guarded = model.additionalHeaders.filter { !Self.openHeaders.contains($0.key.lowercased()) }
    // Some have the key where a user's name would be.
    let password = url.password() ?? url.user()
    let credentials = Array(proxies.values) + [key, password].compactMap(\.self)
    secrets = Secrets(Array(guarded.values) + credentials, query: url.query())
  }

  /// A text of the server's, without what it should not have repeated.
  func withoutSecrets(_ text: String) -> String { secrets.hidden(in: text) }

  /// The key of the environment belongs to the server of the environment, and is shown to no other.
  private static func server(
    of model: ChatCompletionsLanguageModel,
    _ environment: [String: String]
  ) throws(Fault) -> (URL, String?) {
    if let url = model.url { return (url, model.key) }
    let variable = ChatCompletionsLanguageModel.addressVariable
    guard let named = environment[variable], !named.isEmpty else {
      throw .invalidRequest(
        "The model '\(model.name)' names no server. Give it a url, or set \(variable)."
      )
    }
    guard let url = URL(string: named) else {
      throw .invalidRequest("\(variable) is not set to the address of a server.")
    }
    return (url, environment[ChatCompletionsLanguageModel.keyVariable])
  }

  private static func completions(of url: URL) -> URL {
    let path = url.path().split(separator: "/")
    if path.suffix(2) == ["chat", "completions"] { return url }
    return url.appending(path: path.isEmpty ? "v1/chat/completions" : "chat/completions")
  }

  private static func lines(of fields: [String: String]) throws(Fault) -> [String] {
    let own = ["Accept: text/event-stream", "Content-Type: application/json"]
    var lines: [String] = []
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      // A line break would begin a line of somebody else's making.
      let isClean = !(name + value).unicodeScalars.contains { $0.value < 0x20 }
      guard isClean, !name.isEmpty, !name.contains(where: { $0 == ":" || $0 == " " }) else {
        throw .invalidRequest("The header '\(name.prefix(40))' cannot be part of a request.")
      }
      lines.append("\(name): \(value)")
    }
    return own + lines
  }
}
