#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A model behind a server that speaks chat completions: llama-server, vLLM, Ollama, OpenAI.
///
/// ```swift
/// .model(ChatCompletionsLanguageModel(name: "qwen2.5-32b-instruct"))
/// ```
///
/// Answers, calls and reasoning stream as the server sends them. Cancelling a request closes its
/// connection. A key is best kept in the environment: what an agent's source says, others can read.
/// Neither a key nor a header's value is ever part of a description, an error or a log. An agent that
/// asks a server declares `.network` in its `permissions`, and a person allows it.
public struct ChatCompletionsLanguageModel: LanguageModel {
  /// The variable that holds the server's address, for models that name none.
  public static let addressVariable = "ORCHESTRATOR_CHAT_URL"
  /// The variable that holds the key of the server that `addressVariable` names.
  public static let keyVariable = "ORCHESTRATOR_CHAT_KEY"

  /// The name of the model, as the server knows it.
  public var name: String
  /// Where the server is; `nil` takes it from the environment.
  ///
  /// `chat/completions` is added to the path unless it ends so. Only to an address without any path
  /// is `v1` added as well: `http://127.0.0.1:8080` and `http://127.0.0.1:8080/v1` are the same.
  public var url: URL?
  /// Lines that are added to the head of each request, by their names.
  public var additionalHeaders: [String: String]
  /// Whether the server holds answers to a JSON schema.
  public var supportsGuidedGeneration: Bool
  /// The longest silence of the server that is borne; the beginning of an answer may take it long,
  /// because it reads the whole transcript first.
  public var timeout: Duration

  package var key: String?

  /// Names a model of a server.
  /// - Parameters:
  ///   - name: The name of the model, as the server knows it.
  ///   - url: Where the server is.
  ///   - key: What the server is shown for authorization, as a bearer token.
  ///   - additionalHeaders: Lines that are added to the head of each request, by their names.
  ///   - supportsGuidedGeneration: Whether the server holds answers to a JSON schema.
  ///   - timeout: The longest silence of the server that is borne.
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

  /// Names a model of the server in the environment, whose key is there too.
  /// - Parameters:
  ///   - name: The name of the model, as the server knows it.
  ///   - additionalHeaders: Lines that are added to the head of each request, by their names.
  ///   - supportsGuidedGeneration: Whether the server holds answers to a JSON schema.
  ///   - timeout: The longest silence of the server that is borne.
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

  /// Everything; a schema where the server is said to hold answers to one.
  ///
  /// What the model behind the server really can do, only the server knows: it refuses the rest.
  public var capabilities: LanguageModelCapabilities {
    LanguageModelCapabilities(
      [.reasoning, .toolCalling, .vision] + (supportsGuidedGeneration ? [.guidedGeneration] : [])
    )
  }

  /// Models of one server share an executor.
  public var executorConfiguration: Executor.Configuration {
    .init(url: url, key: key, headers: additionalHeaders)
  }

  /// Hands requests to the client that this process has.
  public struct Executor: LanguageModelExecutor {
    /// Which server is asked, and as whom.
    public struct Configuration: Hashable, Sendable {
      let url: URL?
      let key: String?
      let headers: [String: String]
    }

    private let executors = ExecutorCache()

    /// Makes an executor; nothing is connected before the first request.
    public init(configuration: Configuration) throws {}

    /// Asks the server.
    /// - Throws: `ChatCompletionsLanguageModel.RequestError` and `APIError`, or
    ///   `LanguageModelError` where one says the same.
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

  /// Shows what `description` says.
  public var customMirror: Mirror {
    Mirror(self, children: ["name": name, "url": url.map(Self.publicPart) as Any])
  }

  /// An address without a user, a password and a query.
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

  /// Shows what `description` says.
  public var customMirror: Mirror { Mirror(self, children: ["url": description]) }
}
