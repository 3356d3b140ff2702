package import Transcripts

// An agent's own code runs in a worker, so what a worker sends need not be true; and what a worker
// receives may come from a broken coordinator or through a broken link. Both ends validate numbers
// on arrival, before anything is calculated with them.

extension FromWorker {
  package func validate() throws(InvalidValue) {
    switch self {
    case .request(_, _, let request): try request.validate()
    case .text(_, let change):
      try ValueLimits.validate(counts: (change.keptBytes, "kept bytes"))
    case .serverWait(_, let wait):
      try ValueLimits.validate(seconds: wait.seconds, wait.waited)
      try ValueLimits.validate(name: wait.reason)
      try ValueLimits.validate(name: wait.server)
    case .fit(_, let fit):
      try ValueLimits.validate(counts: (fit.tokens, "tokens"), (fit.window, "window"))
    case .ready(let readiness):
      guard let model = readiness.model else { return }
      try ValueLimits.validate(counts: (model.contextSize ?? 0, "window"))
      try ValueLimits.validate(name: model.name)
    case .exhausted(let exhaustion):
      try ValueLimits.validate(memory: exhaustion.bound)
      try ValueLimits.validate(names: exhaustion.tools, atMost: Exhaustion.maximumTools)
    case .progress(let progress):
      guard let progress else { return }
      try ValueLimits.validate(seconds: progress.seconds)
      for amount in [progress.done, progress.total, progress.first] {
        try ValueLimits.validate(memory: amount)
      }
    case .prompt(_, let prompt):
      guard let prompt else { return }
      try ValueLimits.validate(counts: (prompt.tokens, "tokens"), (prompt.cached, "tokens cached"))
      for text in [prompt.cachedText, prompt.computedText]
      where text.utf8.count > RenderedPrompt.maximumBytes {
        throw InvalidValue("bytes of a prompt: \(text.utf8.count)")
      }
    case .greeting, .rehearsed, .unable, .unusedAdmission, .wantsCores, .adopted, .returnsCores,
      .ended, .forked, .pong, .farewell:
      break
    }
  }
}

extension WorkerRequest {
  fileprivate func validate() throws(InvalidValue) {
    switch self {
    case .record(_, let usage, _): try usage?.validate()
    case .recordState(let change):
      try change.usage?.validate()
      try change.context?.validate()
      try change.history?.validate()
    case .hostTool(_, .mcp(let request, let window)):
      try ValueLimits.validate(counts: (window ?? 0, "window"))
      if case .read(_, let offset) = request {
        try ValueLimits.validate(sums: (offset, "offset in an output"))
      }
    case .admission, .recordEarly, .hostTool: break
    }
  }
}

extension ToWorker {
  package func validate() throws(InvalidValue) {
    switch self {
    case .hello(let hello):
      try ValueLimits.validate(counts: (hello.contextSize ?? 0, "window"))
      try ValueLimits.validate(seconds: hello.silenceLimit ?? 0)
      try ValueLimits.validate(memory: hello.memory ?? 0)
    case .history(let kept, _): try ValueLimits.validate(counts: (kept, "kept entries"))
    case .turn(let order), .fit(_, let order):
      try ValueLimits.validate(
        counts: (order.kept, "kept entries"),
        (order.widestWindow ?? 0, "window"),
        (order.secondsLeft ?? 0, "seconds")
      )
      try order.options?.validate()
    case .reply(_, let reply): try reply.validate()
    case .cores(let grant):
      guard (1...ValueLimits.cores).contains(grant.count) else {
        throw InvalidValue("cores: \(grant.count)")
      }
    case .properties, .yieldCores, .cancel, .fork, .ping, .showPrompt, .shutdown: break
    }
  }
}

extension WorkerReply {
  fileprivate func validate() throws(InvalidValue) {
    switch self {
    case .admission(let answer): try answer.validate()
    case .recorded(let calls, let admission):
      try admission?.validate()
      try ValueLimits.validate(counts: (calls.count, "calls"))
      for place in calls.repeated {
        try ValueLimits.validate(counts: (place, "place of a call"))
      }
    case .friend(let answer): try answer.validate()
    case .client(let answer):
      try ValueLimits.validate(counts: (answer.secondsLeft ?? 0, "seconds"))
    case .approval, .baton, .mcp: break
    }
  }
}

extension ValueLimits {
  /// More than any machine has.
  fileprivate static let cores = 1 << 16
  /// More bytes than any machine has.
  private static let memory = 1 << 52
  /// The maximum number of bytes of a name in listings of processes; a file's has 255 at most.
  private static let nameBytes = 1024

  fileprivate static func validate(name: String) throws(InvalidValue) {
    guard name.utf8.count <= nameBytes else {
      throw InvalidValue("bytes of a name: \(name.utf8.count)")
    }
  }

  fileprivate static func validate(
    names: [String],
    atMost maximum: Int
  ) throws(InvalidValue) {
    guard names.count <= maximum else { throw InvalidValue("names of tools: \(names.count)") }
    for name in names { try validate(name: name) }
  }

  package static func validate(memory bytes: Int) throws(InvalidValue) {
    guard (0...memory).contains(bytes) else { throw InvalidValue("bytes of memory: \(bytes)") }
  }
}

extension AdmissionAnswer {
  fileprivate func validate() throws(InvalidValue) {
    switch self {
    case .admitted(.go(let tokens)), .admitted(.lastAnswer(_, let tokens)):
      try ValueLimits.validate(counts: (tokens ?? 0, "tokens"))
    case .refused: break
    }
  }
}
