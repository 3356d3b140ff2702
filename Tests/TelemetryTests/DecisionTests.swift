import Testing

@testable import Telemetry

struct DecisionTests {
  private static let process = TelemetryDecision.Process(
    version: "1",
    host: "here",
    pid: 7,
    instance: "i"
  )

  private func decision(
    _ url: String? = nil,
    _ environment: [String: String] = [:]
  ) throws -> TelemetryDecision {
    try TelemetryDecision(url: url, environment: environment, process: Self.process) { _ in }
  }

  private func destination(_ url: String?, _ environment: [String: String]) throws -> String? {
    try decision(url, environment).settings?.publicDestination
  }

  @Test func `Nothing is sent unless a receiver is named`() throws {
    #expect(try decision().settings == nil)
    #expect(try decision(nil, ["OTEL_EXPORTER_OTLP_ENDPOINT": ""]).settings == nil)
    #expect(try decision(nil, ["OTEL_SERVICE_NAME": "x"]).settings == nil)
  }

  @Test func `OTEL_SDK_DISABLED always wins`() throws {
    let off = ["OTEL_SDK_DISABLED": "TRUE", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://a"]
    #expect(try decision("http://h:1", off).settings == nil)
    #expect(try decision("http://h:1", ["OTEL_SDK_DISABLED": "1"]).settings != nil)
    #expect(try decision("http://h:1", ["OTEL_TRACES_EXPORTER": "none"]).settings == nil)
  }

  @Test(arguments: [
    ("http://h:4318", [:], "http://h:4318/v1/traces"),
    ("http://h:4318/v1/traces", [:], "http://h:4318/v1/traces"),
    (nil, ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://h:4318"], "http://h:4318/v1/traces"),
    (nil, ["OTEL_EXPORTER_OTLP_ENDPOINT": "https://h/api/"], "https://h/api/v1/traces"),
    (nil, ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://h/x"], "http://h/x"),
    (
      nil,
      [
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://a",
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://b/",
      ],
      "http://b/"
    ),
    ("http://given", ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://a"], "http://given/v1/traces"),
  ])
  func `The base gets the path, the address for traces is used as it is`(
    url: String?,
    environment: [String: String],
    expected: String
  ) throws {
    #expect(try destination(url, environment) == expected)
  }

  @Test func `A wrong address is an error if a person gave it, and a problem otherwise`() throws {
    for wrong in ["", "h:4318", "ftp://h", "http://", "/v1/traces"] {
      #expect(throws: TelemetryDecision.Fault.self) { try decision(wrong) }
    }
    let found = try decision(nil, ["OTEL_EXPORTER_OTLP_ENDPOINT": "localhost:4318"])
    #expect(found.settings == nil)
    #expect(found.problems.count == 1)
  }

  @Test func `No secret of an address or a header is shown`() throws {
    let settings = try #require(
      try decision(
        "http://user:secret@h/?key=secret",
        ["OTEL_EXPORTER_OTLP_HEADERS": "authorization=Basic%20secret,x-project-name = mine"]
      ).settings
    )
    #expect(!settings.publicDestination.contains("secret"))
    #expect(settings.headers == ["authorization: Basic secret", "x-project-name: mine"])
  }

  @Test(arguments: ["a%0D%0Ab=1", "x=1%0D%0AHost: evil", "content-type=text/plain", "a b=1"])
  func `A header that would be several is left out`(text: String) throws {
    let decision = try decision("http://h", ["OTEL_EXPORTER_OTLP_HEADERS": text])
    #expect(decision.settings?.headers == [])
    #expect(decision.problems.count == 1)
    #expect(!decision.problems[0].contains("evil"))
  }

  @Test func `The name of the service wins over the attributes, which win over ours`() throws {
    let environment = [
      "OTEL_RESOURCE_ATTRIBUTES": "service.name=b,host.name=there,team=a%2Cb",
      "OTEL_SERVICE_NAME": "c",
    ]
    let resource = try #require(try decision("http://h", environment).settings?.resource)
    func value(_ name: String) -> String? {
      resource.first { $0.name == name }?.value.string
    }
    #expect(value("service.name") == "c")
    #expect(value("host.name") == "there")
    #expect(value("team") == "a,b")
    #expect(value("service.version") == "1")
  }

  @Test func `Numbers of the environment are followed within bounds`() throws {
    let decision = try decision(
      "http://h",
      [
        "OTEL_EXPORTER_OTLP_TIMEOUT": "1500", "OTEL_BSP_MAX_QUEUE_SIZE": "10",
        "OTEL_BSP_SCHEDULE_DELAY": "soon", "OTEL_EXPORTER_OTLP_COMPRESSION": "none",
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json",
        "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true",
        "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT": "100",
      ]
    )
    let settings = try #require(decision.settings)
    #expect(settings.timeout == .milliseconds(1500))
    #expect(settings.queue.spans == 10)
    #expect(settings.batch.spans == 10)
    #expect(settings.interval == .seconds(5))
    #expect(settings.isJSON && !settings.isCompressed)
    #expect(settings.spans == SpanSettings(includesContents: true, valueBytes: 100))
    #expect(decision.problems.count == 1)
  }

  @Test(arguments: [
    ("http://localhost:1", true), ("http://127.0.0.1", true), ("http://[::1]:1", true),
    ("http://127.evil.example", false), ("http://example.com", false), ("http://10.0.0.1", false),
  ])
  func `It is known whether spans leave the machine`(url: String, isHere: Bool) throws {
    #expect(try decision(url).settings?.leavesMachine == !isHere)
  }
}
