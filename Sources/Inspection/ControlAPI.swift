package import Coordination
package import Foundation
package import Journal

/// What the control plane reports about the coordinator.
package struct CoordinatorStatus: Codable, Sendable, Equatable {
  package var pid: Int32
  package var started: Date
  /// The folder that it writes to; `nil` for a coordinator of an older version.
  package var state: String?
  package var agents: String
  package var model: String?
  /// How workers are confined; `nil` for a coordinator of an older version.
  package var sandbox: String?
  /// The address of its door; `nil` if it has none.
  package var door: String?

  package init(
    pid: Int32,
    started: Date,
    state: String?,
    agents: String,
    model: String?,
    sandbox: String?,
    door: String?
  ) {
    self.pid = pid
    self.started = started
    self.state = state
    self.agents = agents
    self.model = model
    self.sandbox = sandbox
    self.door = door
  }
}

/// A process that stands by for workers.
package struct StandbyStatus: Codable, Sendable, Equatable {
  package var run: String
  package var pid: Int32
  /// Its name in the list of processes, such as `template-title`.
  package var name: String
  /// A template, from which others are forked, or a spare, which becomes a worker.
  package var role: String
  /// Whether its preparation is complete.
  package var isReady: Bool
  package var model: String?
  /// The proportional set size, in bytes.
  package var memory: Int?
  package var launched: Date
  /// Its place in the queue for a core; `nil` if it does not wait.
  package var corePlace: Int?

  package init(
    run: String,
    pid: Int32,
    name: String,
    role: String,
    isReady: Bool,
    model: String?,
    memory: Int?,
    launched: Date,
    corePlace: Int?
  ) {
    self.run = run
    self.pid = pid
    self.name = name
    self.role = role
    self.isReady = isReady
    self.model = model
    self.memory = memory
    self.launched = launched
    self.corePlace = corePlace
  }
}

/// A worker that waits for memory.
package struct LaunchStatus: Codable, Sendable, Equatable {
  package var run: String
  package var wait: LaunchWait

  package init(run: String, wait: LaunchWait) {
    self.run = run
    self.wait = wait
  }
}

/// Everything that is running.
package struct ProcessTree: Codable, Sendable, Equatable {
  package var coordinator: CoordinatorStatus
  /// How busy the cores are; `nil` when they are not shared.
  package var cores: CoreLoad?
  package var standbys: [StandbyStatus]
  package var launches: [LaunchStatus]
  package var workers: [WorkerStatus]
  package var deaths: DeathList
  /// The calls that wait for a person.
  package var approvals: [ApprovalRecord]
}

/// A prompt sent to a conversation.
package struct PromptRequest: Codable, Sendable, Equatable {
  package var session: String
  package var prompt: String
  /// Who begins the session if it is new; if omitted, the coordinator's choice.
  package var agent: String?
  /// The images of the prompt.
  package var images: [PromptImage]?
  /// The caps of the prompt; the coordinator supplies the others.
  package var caps: GivenCaps?
  /// Whether a person can be asked before calls are made; if omitted, the coordinator's setting.
  package var isAttended: Bool?

  package init(
    session: String,
    prompt: String,
    agent: String? = nil,
    images: [PromptImage]? = nil,
    caps: GivenCaps?,
    isAttended: Bool? = nil
  ) {
    self.session = session
    self.prompt = prompt
    self.agent = agent
    self.images = images
    self.caps = caps
    self.isAttended = isAttended
  }

  private enum CodingKeys: String, CodingKey, CaseIterable {
    case session, prompt, agent, images, caps, isAttended
  }

  package init(from decoder: any Decoder) throws {
    try decoder.refuseFields(beside: CodingKeys.self)
    let values = try decoder.container(keyedBy: CodingKeys.self)
    session = try values.decode(String.self, forKey: .session)
    prompt = try values.decode(String.self, forKey: .prompt)
    agent = try values.decodeIfPresent(String.self, forKey: .agent)
    images = try values.decodeIfPresent([SentImage].self, forKey: .images)?.map(\.image)
    caps = try values.decodeIfPresent(GivenCaps.self, forKey: .caps)
    isAttended = try values.decodeIfPresent(Bool.self, forKey: .isAttended)
  }
}

/// An image as sent with a prompt.
private struct SentImage: Decodable {
  let image: PromptImage

  private enum CodingKeys: String, CodingKey, CaseIterable {
    case path, label, data
  }

  init(from decoder: any Decoder) throws {
    try decoder.refuseFields(beside: CodingKeys.self)
    image = try PromptImage(from: decoder)
  }
}

/// One line of the answer to a prompt: an object whose `event` key names its kind.
package enum PromptLine: Codable, Sendable, Equatable {
  case event(TurnEvent)
  /// The prompt was not accepted after all, or the coordinator failed.
  ///
  /// The status is the one that the response would have had; older coordinators omit it.
  case refused(String, status: Int? = nil)
  /// Nothing happened; sending it shows whether anybody still listens.
  case tick

  private enum Name: String, Codable {
    case refused, tick
  }

  private enum Key: String, CodingKey {
    case event, reason, status
  }

  package func encode(to encoder: any Encoder) throws {
    if case .event(let event) = self { return try event.encode(to: encoder) }
    var fields = encoder.container(keyedBy: Key.self)
    if case .refused(let reason, let status) = self {
      try fields.encode(Name.refused, forKey: .event)
      try fields.encode(reason, forKey: .reason)
      try fields.encodeIfPresent(status, forKey: .status)
    } else {
      try fields.encode(Name.tick, forKey: .event)
    }
  }

  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    switch Name(rawValue: try fields.decode(String.self, forKey: .event)) {
    case .refused:
      self = .refused(
        try fields.decode(String.self, forKey: .reason),
        status: try fields.decodeIfPresent(Int.self, forKey: .status)
      )
    case .tick: self = .tick
    case nil: self = .event(try TurnEvent(from: decoder))
    }
  }
}

/// The paths of the control plane.
enum ControlPath {
  static let status = "/v1/status"
  static let processes = "/v1/processes"
  static let prompts = "/v1/prompts"
  static let approvals = "/v1/approvals"
  static let stop = "/v1/stop"

  /// The methods of each path.
  static let methods = [
    status: ["GET"], processes: ["GET"], prompts: ["POST"], approvals: ["GET", "POST"],
    stop: ["POST"],
  ]
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
