public import PlatformLibraries

/// A model behind a server that speaks chat completions: llama-server, vLLM, Ollama, OpenAI.
///
/// ```swift
/// .model(ChatCompletionsLanguageModel(name: "qwen2.5-32b-instruct"))
/// ```
///
/// Answers, calls and reasoning stream as the server sends them. Cancelling a request closes its
/// connection. Keep keys in the environment, because others can read an agent's source. Keys and
/// header values never appear in descriptions, errors or logs. An agent that asks a server declares
/// `.network` in its `permissions`, and a person allows it.
///
/// Three differences from the model of the FoundationModels utilities are deliberate. There is no
/// `urlSessionConfiguration`, because libcurl makes the requests: a worker loads it only when it
/// asks a server, whereas every worker would load what URLSession is part of. `url` is optional,
/// because an address that comes from the environment need not be in an agent's source.
/// ``ChatCompletionsLanguageModel/RequestError`` tells a server that cannot be reached
/// (`notConnected`) from one whose answer is no answer (`invalidStreamData`), and both say what was
/// wrong.
public struct ChatCompletionsLanguageModel: LanguageModel {
  /// The environment variable that holds the server's address, for models that do not specify one.
  public static let addressVariable = "ORCHESTRATOR_CHAT_URL"
  /// The environment variable that holds the key of the server named by `addressVariable`.
  public static let keyVariable = "ORCHESTRATOR_CHAT_KEY"

  /// The name of the model, as known to the server.
  public var name: String
  /// The server's address, or `nil` to take it from the environment.
  ///
  /// `chat/completions` is appended to the path unless the path ends with it. If the address has no
  /// path at all, `v1` is added too: `http://127.0.0.1:8080` and `http://127.0.0.1:8080/v1` are the
  /// same.
  public var url: URL?
  /// Additional header fields for each request, by name.
  public var additionalHeaders: [String: String]
  /// Whether the server can hold answers to a JSON schema.
  public var supportsGuidedGeneration: Bool
  /// The longest tolerated silence of the server.
  ///
  /// A server may take long to begin an answer, because it first reads the whole transcript.
  public var timeout: Duration

  package var key: String?

  /// Creates a model on a server.
  ///
  /// - Parameters:
  ///   - name: The name of the model, as known to the server.
  ///   - url: The server's address.
  ///   - key: The bearer token that authorizes requests.
  ///   - additionalHeaders: Additional header fields for each request, by name.
  ///   - supportsGuidedGeneration: Whether the server can hold answers to a JSON schema.
  ///   - timeout: The longest tolerated silence of the server.
  public init(
    name: String,
    url: URL,
    key: String? = nil,
    additionalHeaders: [String: String] = [:],
    supportsGuidedGeneration: Bool = true,
    timeout: Duration = .seconds(120)
  ) {
    self.init(
      name: name,
      additionalHeaders: additionalHeaders,
      supportsGuidedGeneration: supportsGuidedGeneration,
      timeout: timeout
    )
    self.url = url
    self.key = key
  }

  /// Creates a model on the server named in the environment, which also holds the key.
  ///
  /// - Parameters:
  ///   - name: The name of the model, as known to the server.
  ///   - additionalHeaders: Additional header fields for each request, by name.
  ///   - supportsGuidedGeneration: Whether the server can hold answers to a JSON schema.
  ///   - timeout: The longest tolerated silence of the server.
  public init(
    name: String,
    additionalHeaders: [String: String] = [:],
    supportsGuidedGeneration: Bool = true,
    timeout: Duration = .seconds(120)
  ) {
    self.name = name
    self.additionalHeaders = additionalHeaders
    self.supportsGuidedGeneration = supportsGuidedGeneration
    self.timeout = timeout
  }

  /// All capabilities; guided generation only if the server is said to hold answers to a JSON
  /// schema.
  ///
  /// Only the server knows what its model can really do, and it refuses the rest.
  public var capabilities: LanguageModelCapabilities {
    LanguageModelCapabilities(
      [.reasoning, .toolCalling, .vision] + (supportsGuidedGeneration ? [.guidedGeneration] : [])
    )
  }

  /// The configuration of the executor, which models of one server share.
  public var executorConfiguration: Executor.Configuration {
    .init(url: url, key: key, headers: additionalHeaders)
  }

  /// An executor that passes requests to the client of this process.
  public struct Executor: LanguageModelExecutor {
    /// The server to ask, and the credentials to use.
    public struct Configuration: Hashable, Sendable {
      let url: URL?
      let key: String?
      let headers: [String: String]
    }

    private let executors = ExecutorCache()

    /// Creates an executor; it connects only when the first request is made.
    public init(configuration: Configuration) throws {}

    /// Asks the server.
    ///
    /// - Throws: ``ChatCompletionsLanguageModel/RequestError`` and
    ///   ``ChatCompletionsLanguageModel/APIError``, or an equivalent ``LanguageModelError`` if
    ///   there is one.
    public nonisolated(nonsending) func respond(
      to request: LanguageModelExecutorGenerationRequest,
      model: ChatCompletionsLanguageModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      try await executors.respond(to: request, model: model.supplied(), streamingInto: channel)
    }
  }
}

extension ChatCompletionsLanguageModel: NamedLanguageModel {
  nonisolated(nonsending) package func supplied() async throws -> any LanguageModel {
    guard let supplier = ModelSupply.supplier else {
      throw RequestError.invalidRequest(
        "This process cannot connect to servers: '\(name)' can only be used by an agent that"
          + " orchestrator runs."
      )
    }
    return supplier.model(for: self)
  }
}

// MARK: Descriptions without secrets

extension ChatCompletionsLanguageModel: CustomStringConvertible, CustomReflectable {
  /// The model and its server, without keys and headers.
  public var description: String {
    "\(name) at \(url.map(Self.publicPart) ?? Self.addressVariable)"
  }

  /// A mirror that shows the same as `description`.
  public var customMirror: Mirror {
    Mirror(self, children: ["name": name, "url": url.map(Self.publicPart) as Any])
  }

  /// Returns an address without its user, password and query.
  package static func publicPart(_ url: URL) -> String {
    let port = url.port.map { ":\($0)" } ?? ""
    return "\(url.scheme ?? "?")://\(url.host() ?? "?")\(port)\(url.path())"
  }
}

extension ChatCompletionsLanguageModel.Executor.Configuration: CustomStringConvertible,
  CustomReflectable
{
  /// The server, without keys and headers.
  public var description: String {
    url.map(ChatCompletionsLanguageModel.publicPart)
      ?? ChatCompletionsLanguageModel.addressVariable
  }

  /// A mirror that shows the same as `description`.
  public var customMirror: Mirror { Mirror(self, children: ["url": description]) }
}
