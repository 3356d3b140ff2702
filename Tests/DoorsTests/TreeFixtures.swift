import Foundation
import Transcripts

@testable import Coordination
@testable import Coordinator

extension TranscriptTree.Turn {
  /// Makes a turn that was answered, of which only this is known.
  init(_ number: Int64, _ entries: [TranscriptTree.Entry], total: TokenTotal = TokenTotal(sum: []))
  {
    self.init(
      turn: number,
      started: Date(timeIntervalSince1970: 100),
      exit: "answered",
      isReverted: false,
      isUnderWay: false,
      substitutions: [],
      entries: entries,
      earlyOutputs: [],
      total: total,
      ofFriends: TokenTotal(sum: [])
    )
  }
}

extension TranscriptTree.Entry {
  init(
    _ entry: Transcript.Entry,
    agent: String? = "clerk",
    friends: [String: [TranscriptTree]] = [:],
    request: RequestUsage? = nil
  ) {
    self.init(
      agent: agent,
      run: nil,
      entry: entry,
      friends: friends,
      batons: [:],
      approvals: [:],
      written: [],
      deaths: [],
      request: request
    )
  }
}
