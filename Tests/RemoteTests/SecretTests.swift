import AgentKit
import Foundation
import Testing

@testable import Remote

/// What a model is shown as, in a log or by a debugger, holds no key.
struct SecretTests {
  private let secrets = ["sk-key", "header-value", "password", "query-value"]

  private func model() throws -> ChatCompletionsLanguageModel {
    ChatCompletionsLanguageModel(
      name: "m",
      url: try #require(URL(string: "https://user:password@example.org/v1?token=query-value")),
      key: "sk-key",
      additionalHeaders: ["X-Api-Key": "header-value"]
    )
  }

  @Test func `No description of a model or its configuration shows a secret`() throws {
    let model = try model()
    var texts = [
      "\(model)", String(reflecting: model), "\(model.executorConfiguration)",
      String(reflecting: model.executorConfiguration), "\([model])",
    ]
    var dumped = ""
    dump(model, to: &dumped)
    dump(model.executorConfiguration, to: &dumped)
    texts.append(dumped)
    for text in texts {
      #expect(text.contains("example.org"))
      for secret in secrets { #expect(!text.contains(secret), "\(text)") }
    }
  }

  @Test func `What libcurl says of a proxy does not show who asks it`() throws {
    let proxy = "htp//agent:swordfish@proxy.example"
    let variables = ["HTTPS_PROXY": proxy, "no_proxy": "example.org"]
    let endpoint = try Endpoint(try model(), environment: variables)
    let shown = endpoint.withoutSecrets("Unsupported proxy syntax in '\(proxy)' for example.org")
    #expect(shown == "Unsupported proxy syntax in '(hidden)' for example.org")
  }

  @Test func `Keys and headers tell executors apart`() throws {
    let model = try model()
    var other = model
    #expect(other.executorConfiguration == model.executorConfiguration)
    other.additionalHeaders = [:]
    #expect(other.executorConfiguration != model.executorConfiguration)
  }
}
