import AgentKit
import Curl
import PlatformLibraries

/// Where requests for a model go, and the credentials sent there.
struct Endpoint: Sendable {
  typealias Fault = ChatCompletionsLanguageModel.RequestError

  let address: String
  /// The address without user, password and query, which people may see.
  let publicAddress: String
  /// Complete header lines.
  let headers: [String]
  /// Whether a limit on tokens is sent under its old name as well.
  let takesOldBound: Bool

  /// Whether no proxy can be used, because it would look for the host on its own machine.
  let isOnThisMachine: Bool
  private let secrets: Secrets

  /// The headers that hold no secret, and whose values a server may need to quote in an error.
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
    // OpenAI rejects the old name for some models, and rejects both names together.
    takesOldBound = ![".openai.com", ".openai.azure.com"].contains { host.hasSuffix($0) }
    isOnThisMachine = HTTPTransfer.isLoopback(host)
    var fields = model.additionalHeaders
    // An empty variable is how an environment says that there is no key.
    if let key, !key.isEmpty { fields["Authorization"] = "Bearer \(key)" }
    headers = try Self.lines(of: fields)
    // libcurl repeats a proxy address that it cannot parse, with the credentials before its host.
    let proxies = environment.filter { name, address in
      name.lowercased().hasSuffix("_proxy") && address.contains("@")
    }
    let guarded = model.additionalHeaders.filter { !Self.openHeaders.contains($0.key.lowercased()) }
    // Some addresses carry the key in place of a user name.
    let password = url.password() ?? url.user()
    let credentials = Array(proxies.values) + [key, password].compactMap(\.self)
    secrets = Secrets(Array(guarded.values) + credentials, query: url.query())
  }

  /// Returns a text from the server without any secrets that it should not have repeated.
  func withoutSecrets(_ text: String) -> String { secrets.hidden(in: text) }

  /// Returns the server and key of a model; the environment's key is sent only to its own server.
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
      // A line break would start a header line of the text's own.
      let isClean = !(name + value).unicodeScalars.contains { $0.value < 0x20 }
      guard isClean, !name.isEmpty, !name.contains(where: { $0 == ":" || $0 == " " }) else {
        throw .invalidRequest("The header '\(name.prefix(40))' cannot be part of a request.")
      }
      lines.append("\(name): \(value)")
    }
    return own + lines
  }
}
