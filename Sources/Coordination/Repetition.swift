import AgentKit

/// Notices in a turn calls that are made again and again and bring nothing new.
///
/// New is what a call returns that was not made before, or that has returned something else: it may
/// have changed the world, and so every other call is worth making again. A pass of the baton changes
/// nothing.
///
/// A pure value: it is told what is journaled, and says which calls are not worth making.
struct Repetition: Sendable, Equatable {
  /// What makes two calls the same.
  fileprivate struct Call: Hashable {
    let agent: String
    let tool: String
    /// JSON in which the order of keys says nothing.
    let arguments: String
  }

  private struct Returned: Equatable {
    let output: String
    /// How often, since the last new thing came.
    var times = 1
    /// How many new things had come then.
    let news: Int
  }

  /// The calls that have no output yet, by their identities.
  private var open: [String: Call] = [:]
  private var returned: [Call: Returned] = [:]
  /// Calls that only pass the baton.
  private var passes: Set<Call> = []
  /// The calls that are not made, and whose outputs say so.
  private var unmade: Set<String> = []
  /// How many new things have come.
  private var news = 0
  /// Whether the model has read that it goes in circles, and nothing new has come since.
  private var wasTold = false

  /// What is to be done with the calls of a round.
  struct Verdict: Equatable {
    /// The places of those that are not made again; the model is told.
    var repeated: [Int] = []
    /// Whether the model has been told before, and the loop ends.
    var endsLoop = false
  }

  /// Judges the calls of a round.
  /// - Parameter limit: How often a call may return the same.
  mutating func judge(
    _ calls: Transcript.ToolCalls,
    by agent: String,
    limit: Int
  ) -> Verdict {
    var verdict = Verdict()
    for (place, call) in calls.enumerated() {
      let same = Call(call, by: agent)
      open[call.id] = same
      guard times(same) >= limit else { continue }
      verdict.repeated.append(place)
      unmade.insert(call.id)
    }
    guard !verdict.repeated.isEmpty else { return verdict }
    verdict.endsLoop = wasTold
    wasTold = true
    return verdict
  }

  /// Takes a call as one that passes the baton.
  mutating func notePass(_ callID: String) {
    if let call = open[callID] { passes.insert(call) }
  }

  /// Takes what a call has returned.
  mutating func note(_ output: Transcript.ToolOutput) {
    guard let call = open.removeValue(forKey: output.id), unmade.remove(output.id) == nil else {
      return
    }
    let text = output.segments.joinedText
    if returned[call]?.output == text {
      returned[call] = Returned(output: text, times: times(call) + 1, news: news)
      return
    }
    if !passes.contains(call) {
      news += 1
      wasTold = false
    }
    returned[call] = Returned(output: text, news: news)
  }

  /// How often a call has returned the same since the last new thing came.
  private func times(_ call: Call) -> Int {
    guard let returned = returned[call], returned.news == news else { return 0 }
    return returned.times
  }
}

extension Repetition.Call {
  fileprivate init(_ call: Transcript.ToolCall, by agent: String) {
    self.init(agent: agent, tool: call.toolName, arguments: call.arguments.canonicalJSON)
  }
}

extension GeneratedContent {
  /// The content as JSON in which the order of keys says nothing.
  fileprivate var canonicalJSON: String { canonical.jsonString }

  private var canonical: GeneratedContent {
    switch kind {
    case .null, .bool, .number, .string: self
    case .array(let elements): GeneratedContent(kind: .array(elements.map(\.canonical)))
    case .structure(let properties, let orderedKeys):
      GeneratedContent(
        kind: .structure(
          properties: properties.mapValues(\.canonical),
          orderedKeys: orderedKeys.sorted()
        )
      )
    }
  }
}
