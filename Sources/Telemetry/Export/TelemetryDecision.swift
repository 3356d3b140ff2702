import Foundation

/// Whether and where spans are sent, as options and the environment say.
package struct TelemetryDecision: Sendable {
  /// `nil` when nothing is sent.
  package private(set) var settings: TelemetrySettings?
  /// Why nothing is sent.
  package private(set) var reason = Self.noReceiver
  /// What is wrong with the environment, and was left out.
  package private(set) var problems: [String] = []

  private static let noReceiver = "no receiver is named"

  /// Whether neither a person nor the environment says anything about it.
  package var isUnasked: Bool {
    settings == nil && problems.isEmpty && reason == Self.noReceiver
  }

  /// What a person gave that cannot be followed.
  package struct Fault: Error, Equatable, CustomStringConvertible {
    package let description: String
  }

  /// What the process says about itself.
  package struct Process: Sendable {
    package var version: String
    package var host: String
    package var pid: Int32
    /// A new one for each start.
    package var instance: String

    package init(version: String, host: String, pid: Int32, instance: String) {
      (self.version, self.host, self.pid, self.instance) = (version, host, pid, instance)
    }
  }

  /// Decides as OpenTelemetry's specification says.
  ///
  /// What is wrong with a variable is a problem and not an error: variables are set for many
  /// programs at once, and none of them may fail over it.
  /// - Parameters:
  ///   - url: The receiver that a person named: the base of its address, or the whole one.
  ///   - includesContents: Whether a person asked for contents.
  ///   - console: Writes a line of JSON to standard error, for the exporter `console`.
  /// - Throws: `Fault` for an address that a person named.
  package init(
    url: String?,
    includesContents: Bool = false,
    environment: [String: String],
    process: Process,
    console: @escaping @Sendable (String) -> Void
  ) throws(Fault) {
    // An empty variable is as good as none.
    let environment = environment.filter { !$0.value.isEmpty }
    func variable(_ name: String) -> String? {
      environment["OTEL_EXPORTER_OTLP_TRACES_\(name)"] ?? environment["OTEL_EXPORTER_OTLP_\(name)"]
    }
    if environment["OTEL_SDK_DISABLED"]?.lowercased() == "true" {
      reason = "OTEL_SDK_DISABLED is set"
      return
    }
    let exporter = environment["OTEL_TRACES_EXPORTER"] ?? "otlp"
    switch exporter {
    case "otlp", "console": break
    case "none":
      reason = "OTEL_TRACES_EXPORTER is none"
      return
    default: problems.append("OTEL_TRACES_EXPORTER is '\(exporter)'; 'otlp' is used")
    }
    let endpoint: TelemetryEndpoint?
    if let url {
      endpoint = try TelemetryEndpoint(given: url)
    } else {
      do {
        endpoint = try TelemetryEndpoint(environment)
      } catch {
        problems.append(error.description)
        reason = "the address of the receiver is wrong"
        return
      }
    }
    let isConsole = exporter == "console"
    guard
      let destination = isConsole
        ? TelemetrySettings.Destination.console(write: console) : endpoint.map({ .receiver($0) })
    else { return }
    var settings = TelemetrySettings(destination: destination)
    switch variable("PROTOCOL") ?? "http/protobuf" {
    case "http/protobuf": break
    case "http/json": settings.isJSON = true
    case let other:
      problems.append("OTEL_EXPORTER_OTLP_PROTOCOL is '\(other)'; 'http/protobuf' is used")
    }
    settings.isCompressed = variable("COMPRESSION") != "none"
    settings.certificate = variable("CERTIFICATE")
    for (name, value) in Self.pairs(variable("HEADERS")) {
      guard let line = TelemetrySettings.headerLine(name, value) else {
        problems.append("OTEL_EXPORTER_OTLP_HEADERS has a header that cannot be sent")
        continue
      }
      settings.headers.append(line)
    }
    func number(_ name: String, _ text: String?, _ range: ClosedRange<Int>) -> Int? {
      guard let text else { return nil }
      guard let number = Int(text), range.contains(number) else {
        let bounds = "\(range.lowerBound) to \(range.upperBound)"
        problems.append("\(name) is '\(text)', and not a number from \(bounds)")
        return nil
      }
      return number
    }
    if let timeout = number("OTEL_EXPORTER_OTLP_TIMEOUT", variable("TIMEOUT"), 1...600_000) {
      settings.timeout = .milliseconds(timeout)
    }
    func batch(_ name: String, _ range: ClosedRange<Int>) -> Int? {
      number("OTEL_BSP_\(name)", environment["OTEL_BSP_\(name)"], range)
    }
    if let delay = batch("SCHEDULE_DELAY", 1...3_600_000) {
      settings.interval = .milliseconds(delay)
    }
    if let size = batch("MAX_QUEUE_SIZE", 1...65_536) { settings.queue.spans = size }
    if let size = batch("MAX_EXPORT_BATCH_SIZE", 1...65_536) { settings.batch.spans = size }
    settings.batch.spans = min(settings.batch.spans, settings.queue.spans)
    let contents = environment["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"]?.lowercased()
    settings.spans.includesContents = includesContents || ["true", "span_only"].contains(contents)
    let limit = "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT"
    if let bytes = number(limit, environment[limit], 64...(1 << 20)) {
      settings.spans.valueBytes = bytes
    }
    settings.resource = Self.resource(environment, process)
    self.settings = settings
    reason = ""
  }

  private static func resource(
    _ environment: [String: String],
    _ process: Process
  ) -> [Attribute] {
    var resource: [Attribute] = []
    resource.set("service.name", "orchestrator")
    resource.set("service.version", process.version)
    resource.set("service.instance.id", process.instance)
    resource.set("host.name", process.host)
    resource.set("process.pid", .int(Int(process.pid)))
    #if os(macOS)
      resource.set("os.type", "darwin")
    #else
      resource.set("os.type", "linux")
    #endif
    for (name, value) in pairs(environment["OTEL_RESOURCE_ATTRIBUTES"]) {
      resource.set(name, value)
    }
    resource.set("service.name", environment["OTEL_SERVICE_NAME"])
    return resource
  }

  /// Reads `key=value,key=value`, whose values are percent-encoded.
  private static func pairs(_ text: String?) -> [(String, String)] {
    (text ?? "").split(separator: ",").compactMap { pair in
      guard let sign = pair.firstIndex(of: "=") else { return nil }
      let name = pair[..<sign].trimmingCharacters(in: .whitespaces)
      let value = pair[pair.index(after: sign)...].trimmingCharacters(in: .whitespaces)
      guard !name.isEmpty else { return nil }
      return (name, value.removingPercentEncoding ?? value)
    }
  }
}
