import Transcripts

/// Detects calls in a turn that are made again and again and bring nothing new.
///
/// The result of a call is new if the call was not made before or has returned something else. It
/// may have changed the world, so every other call becomes worth making again. A pass of the baton
/// changes nothing.
///
/// A pure value: it is told what is journaled, and says which calls are not worth making.
struct Repetition: Sendable, Equatable {
  /// The properties that make two calls the same.
  fileprivate struct Call: Hashable {
    let agent: String
    let tool: String
    /// The arguments as JSON, independent of the order of keys.
    let arguments: String
  }

  private struct Returned: Equatable {
    let output: String
    /// How often the result was returned since the last new one.
    var times = 1
    /// How many new results there had been by then.
    let news: Int
  }

  /// The calls without outputs, by their identities.
  private var open: [String: Call] = [:]
  private var returned: [Call: Returned] = [:]
  /// Calls that only pass the baton.
  private var passes: Set<Call> = []
  /// The calls that are not made and whose outputs say so.
  private var unmade: Set<String> = []
  /// How many new results there have been.
  private var news = 0
  /// Whether the model was told that it goes in circles and nothing new has come since.
  private var wasTold = false

  /// What to do with the calls of a round.
  struct Verdict: Equatable {
    /// The positions of the calls that are not repeated; the model is told.
    var repeated: [Int] = []
    /// Whether the loop ends because the model was already told.
    var endsLoop = false
  }

  /// Judges the calls of a round.
  /// - Parameter limit: How often a call may return the same result.
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

  /// Records that a call passes the baton.
  mutating func recordPass(_ callID: String) {
    if let call = open[callID] { passes.insert(call) }
  }

  /// Records what a call has returned.
  mutating func record(_ output: Transcript.ToolOutput) {
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

  /// Returns how often a call has returned the same since the last new result.
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
