import HTTPTypes

/// The header fields that our doors and their clients know, and no standard.
enum DoorField: String {
  /// Tells OpenAI's clients whether to send a request again.
  case shouldRetry = "x-should-retry"
  /// The name of the request in the messages of clients.
  case requestID = "x-request-id"
  case processingTime = "openai-processing-ms"
  case idempotencyKey = "idempotency-key"
  /// The session that a request names, or in which it was answered.
  case session = "x-orchestrator-session"
  case turn = "x-orchestrator-turn"
  /// The parameters that had no effect.
  case ignored = "x-orchestrator-ignored"
  case openWebUIChat = "x-openwebui-chat-id"
  /// Keeps proxies from collecting a stream.
  case accelBuffering = "x-accel-buffering"
  // What browsers and servers of pages tell each other; HTTPTypes knows the others.
  case requestMethod = "access-control-request-method"
  case requestHeaders = "access-control-request-headers"
  case exposedHeaders = "access-control-expose-headers"
  case maximumAge = "access-control-max-age"
}

extension HTTPFields {
  subscript(field: DoorField) -> String? {
    get { HTTPField.Name(field.rawValue).flatMap { self[$0] } }
    set {
      guard let name = HTTPField.Name(field.rawValue) else { return }
      self[name] = newValue
    }
  }
}
