package import Coordination
package import Foundation

/// What the control plane answers about the coordinator.
package struct CoordinatorStatus: Codable, Sendable, Equatable {
  package var pid: Int32
  package var started: Date
  package var agents: String
  package var model: String?

  package init(pid: Int32, started: Date, agents: String, model: String?) {
    self.pid = pid
    self.started = started
    self.agents = agents
    self.model = model
  }
}

/// A process that others are forked from.
package struct TemplateStatus: Codable, Sendable, Equatable {
  package var run: String
  package var pid: Int32
  /// Proportional set size in bytes.
  package var memory: Int?

  package init(run: String, pid: Int32, memory: Int?) {
    self.run = run
    self.pid = pid
    self.memory = memory
  }
}

/// Everything that runs.
package struct ProcessTree: Codable, Sendable, Equatable {
  package var coordinator: CoordinatorStatus
  package var templates: [TemplateStatus]
  package var workers: [WorkerStatus]
}

/// A prompt on its way to a conversation.
package struct PromptRequest: Codable, Sendable, Equatable {
  package var session: String
  package var prompt: String
  package var caps: Caps?

  package init(session: String, prompt: String, caps: Caps?) {
    self.session = session
    self.prompt = prompt
    self.caps = caps
  }
}

/// One line of the answer to a prompt.
package enum PromptLine: Codable, Sendable, Equatable {
  case event(TurnEvent)
  /// The prompt was not accepted, or the coordinator failed.
  case refused(String)
  /// Nothing happened; it shows whether anybody listens still.
  case tick
}

/// The paths of the control plane.
enum ControlPath {
  static let status = "/v1/status"
  static let processes = "/v1/processes"
  static let prompts = "/v1/prompts"
  static let stop = "/v1/stop"
}

enum ControlJSON {
  static func encode(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return try encoder.encode(value)
  }

  static func decode<Value: Decodable>(_ data: Data) throws -> Value {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode(Value.self, from: data)
  }
}
