import AgentKit
import Foundation
import TestSupport
import Testing

@testable import Remote

/// Neither a model's description nor its server's error messages reveal a secret.
///
/// The description is what a log or a debugger shows.
@Suite(.timeLimit(.minutes(5))) struct SecretTests {
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

  @Test func `A key in the place of a user is one, and the name of a user is not`() throws {
    func shown(_ user: String) throws -> String {
      let url = try #require(URL(string: "https://\(user)@example.org/v1"))
      return try Endpoint(ChatCompletionsLanguageModel(name: "m", url: url), environment: [:])
        .withoutSecrets("unknown user sk-live")
    }
    #expect(try shown("sk-live") == "unknown user (hidden)")
    #expect(try shown("user:password") == "unknown user sk-live")
  }

  @Test func `A header that holds no secret may be spoken of`() throws {
    var model = try model()
    model.additionalHeaders["Accept"] = "application/problem"
    let endpoint = try Endpoint(model, environment: [:])
    let text = "There is no application/problem for (hidden)."
    #expect(endpoint.withoutSecrets("There is no application/problem for header-value.") == text)
  }

  @Test(arguments: ["localhost", "LOCALHOST", "127.0.0.1", "127.1.2.3", "[::1]"])
  func `A server on this machine is asked without a proxy`(host: String) throws {
    func endpoint(_ host: String) throws -> Endpoint {
      let url = try #require(URL(string: "http://\(host):8080/v1"))
      return try Endpoint(ChatCompletionsLanguageModel(name: "m", url: url), environment: [:])
    }
    #expect(try endpoint(host).isOnThisMachine)
    #expect(try !endpoint("example.org").isOnThisMachine)
    #expect(try !endpoint("127.example.org").isOnThisMachine)
  }

  @Test func `What libcurl says of a proxy does not show who asks it`() throws {
    let proxy = "htp//agent:swordfish@proxy.example"
    let variables = ["HTTPS_PROXY": proxy, "no_proxy": "example.org"]
    let endpoint = try Endpoint(try model(), environment: variables)
    let shown = endpoint.withoutSecrets("Unsupported proxy syntax in '\(proxy)' for example.org")
    #expect(shown == "Unsupported proxy syntax in '(hidden)' for example.org")
  }

  @Test(arguments: [
    "Bearer sk-1234567", "sk-1234567", "dXNlcjpwYXNz", "session=opensesame", "opensesame",
    "pass%2Fword", "pass/word", "token=query%2Dvalue&n=1", "query%2Dvalue", "query-value",
  ])
  func `No part of a secret is repeated, however it is written`(text: String) {
    let secrets = Secrets(
      ["Bearer sk-1234567", "Basic dXNlcjpwYXNz", "session=opensesame; theme=x", "pass%2Fword"],
      query: "token=query%2Dvalue&n=1"
    )
    #expect(secrets.hidden(in: "It is '\(text)'.") == "It is '(hidden)'.")
  }

  @Test func `Ordinary words stay`() {
    let secrets = Secrets(["Bearer sk-1234567", "Basic a b", "abc"], query: "token=12&x")
    let text = "The Bearer token of Basic a is abc, x or 12."
    #expect(secrets.hidden(in: text) == text)
    #expect(Secrets([], query: nil).hidden(in: text) == text)
  }

  @Test func `The version that a query asks for stays`() {
    let secrets = Secrets([], query: "api-version=2024-10-21&key=opensesame")
    let text = "There is no version 2024-10-21 for opensesame."
    #expect(secrets.hidden(in: text) == "There is no version 2024-10-21 for (hidden).")
  }

  @Test func `The longest secret is hidden first`() {
    let secrets = Secrets(["secret", "secret-and-more"], query: nil)
    #expect(secrets.hidden(in: "secret-and-more, secret") == "(hidden), (hidden)")
  }

  @Test func `A secret at the place of a cut is hidden, and so is one that is no message`()
    async throws
  {
    func fault(_ body: String) async throws -> any Error {
      try await TestServer.run { connection in
        try await connection.respond("500 Internal Server Error", body: body)
      } _: { server in
        try #require(
          await #expect(throws: (any Error).self) { try await server.ask(key: "sk-very-secret") }
        )
      }
    }
    let cut = try await fault(String(repeating: " ", count: 4090) + "sk-very-secret")
    guard case .httpError(_, let data) = cut as? ChatCompletionsLanguageModel.RequestError else {
      Issue.record("\(cut)")
      return
    }
    #expect(String(decoding: data, as: UTF8.self).hasSuffix("(hidde"))
    let named = try await fault(
      #"{"error":{"message":"no","type":"sk-very-secret","param":"sk-very-secret","code":"x"}}"#
    )
    let refusal = try #require(named as? ChatCompletionsLanguageModel.APIError)
    #expect(refusal.type == "(hidden)")
    #expect(refusal.param == "(hidden)")
    #expect(refusal.code == "x")
  }

  @Test func `Keys and headers tell executors apart`() throws {
    let model = try model()
    var other = model
    #expect(other.executorConfiguration == model.executorConfiguration)
    other.additionalHeaders = [:]
    #expect(other.executorConfiguration != model.executorConfiguration)
  }
}
