import Coordinator
import Journal
import Terminal
import Transcripts

extension TranscriptTree {
  func lines(indent: Int, withUsage: Bool) -> [String] {
    let margin = String(repeating: "  ", count: indent)
    let further = margin + "  "
    var lines = importedLines(margin)
    for turn in turns {
      for substitution in turn.substitutions {
        let words = "baton: \(substitution), because the former holder was not available"
        lines += words.indentedLines(behind: margin)
      }
      for entry in turn.entries {
        lines += self.lines(of: entry, in: turn, indent: indent, withUsage: withUsage)
        if withUsage, let request = entry.request {
          lines += request.lines.flatMap { $0.indentedLines(behind: further) }
        }
        for written in entry.written {
          lines += written.line.indentedLines(behind: further)
          guard withUsage, let request = written.request else { continue }
          lines += request.lines.flatMap { $0.indentedLines(behind: further + "  ") }
        }
        lines += entry.deaths.flatMap(\.lines).flatMap { $0.indentedLines(behind: further) }
      }
      for case .toolOutput(let output) in turn.earlyOutputs {
        let text = output.segments.joinedText
        lines += "  \(output.toolName) → (waiting for earlier calls): \(text)"
          .indentedLines(behind: margin)
      }
      let note = turn.isReverted ? " (rolled back)" : ""
      lines += "── \(turn.exit)\(note)".indentedLines(behind: margin)
      if withUsage { lines.append("\(margin)   \(turn.line)") }
    }
    return lines
  }

  /// The lines of what another program's conversation had.
  private func importedLines(_ margin: String) -> [String] {
    guard !imported.isEmpty else { return [] }
    let lines = imported.flatMap { entry in
      switch entry {
      case .prompt(let entry): ["person: \(entry.segments.joinedText)"]
      case .response(let entry): ["answer: \(entry.segments.joinedText)"]
      case .reasoning(let entry): ["thought: \(entry.segments.joinedText)"]
      case .toolOutput(let entry): ["  \(entry.toolName) → \(entry.segments.joinedText)"]
      case .toolCalls(let calls): calls.map { "call: \($0.toolName)\($0.arguments.jsonString)" }
      case .instructions(let entry): ["instructions: \(entry.segments.joinedText)"]
      }
    }
    return (lines + ["── imported"]).flatMap { $0.indentedLines(behind: margin) }
  }

  private func lines(
    of shown: Entry,
    in turn: Turn,
    indent: Int,
    withUsage: Bool
  ) -> [String] {
    let margin = String(repeating: "  ", count: indent)
    func block(_ who: String, _ text: String) -> [String] {
      "\(who): \(text)".indentedLines(behind: margin)
    }
    switch shown.entry {
    case .prompt(let entry): return block("person", entry.segments.joinedText)
    case .response(let entry): return block(shown.agent ?? "", entry.segments.joinedText)
    case .reasoning(let entry):
      return block("\(shown.agent ?? "") thinks", entry.segments.joinedText)
    case .toolOutput(let entry): return block("  \(entry.toolName) →", entry.segments.joinedText)
    case .instructions(let entry): return block("instructions", entry.segments.joinedText)
    case .toolCalls(let calls):
      return calls.flatMap { call -> [String] in
        var lines = block(
          "\(shown.agent ?? "") calls",
          "\(call.toolName)\(call.arguments.jsonString)"
        )
        if let approval = shown.approvals[call.id] {
          let line = turn.isOpen(call) ? approval.lineOfOpenCall : approval.line
          lines += line.indentedLines(behind: margin + "  ")
        }
        if let baton = shown.batons[call.id] { lines.append("\(margin)  baton: \(baton)") }
        for friend in shown.friends[call.id] ?? [] {
          let pids = friend.pids.map(String.init).joined(separator: ", ")
          let place = friend.hosts.isEmpty ? "" : " on \(friend.hosts.joined(separator: ", "))"
          let process = pids.isEmpty ? "no process" : "pid \(pids)\(place)"
          lines.append("\(margin)  friend \(friend.agent) (\(process)):")
          lines += friend.lines(indent: indent + 2, withUsage: withUsage)
        }
        return lines
      }
    }
  }
}

extension TranscriptTree.Written {
  fileprivate var line: String {
    if let context { return "context of \(agent): \(context)" }
    if let property { return "\(agent) sets \(property) to \(value ?? "")" }
    let (removed, added) = (removedEntries ?? 0, addedEntries?.count ?? 0)
    let first =
      "\(agent) edits the history: "
      + removed.counted("entry", "entries") + " removed"
    return added == 0 ? first : first + ", \(added) added"
  }
}

extension DeathRecord {
  /// How the worker ended, and what it left behind.
  fileprivate var lines: [String] {
    var lines = [
      "\(agent)'s process ended (\(run)): \(cause), after \(tokensOut.counted("token"))"
    ]
    lines += lastLines.suffix(3).map { "  its log: \($0)" }
    if let partialText {
      lines.append("  its unfinished answer: \(partialText.inOneLine)")
    }
    return lines
  }
}

extension TranscriptTree.Turn {
  /// Whether a call may still get its output.
  fileprivate func isOpen(_ call: Transcript.ToolCall) -> Bool {
    isUnderWay && entries.map(\.entry).openCalls.contains { $0.id == call.id }
  }
}

extension ApprovalRecord {
  /// The line of an open call; an undecided one is asked about again when the turn goes on.
  fileprivate var lineOfOpenCall: String {
    answer?.by == .unanswered ? "request \(id): not answered; a person is asked again" : line
  }

  fileprivate var line: String {
    guard let answer else { return "request \(id): waiting for a person" }
    let what = answer.denial.map { "denied: \($0)" } ?? "approved"
    return "request \(id): \(what) (\(answer.by.rawValue))"
  }
}

extension RequestUsage {
  fileprivate var lines: [String] {
    let usage =
      "\(TokenTotal(self).words); first token after \(secondsToFirstToken.wholeMilliseconds) ms"
      + " of \(seconds.wholeMilliseconds) ms"
    return [usage] + [cacheBreak?.description].compactMap(\.self)
  }
}

extension TokenTotal {
  fileprivate var words: String {
    "\(tokensIn.counted("token")) in: \(tokensCached) cached, \(tokensIn - tokensCached) computed;"
      + " \(tokensOut) out"
  }
}

extension TranscriptTree.Turn {
  fileprivate var line: String {
    guard ofFriends != TokenTotal(sum: []) else { return "in total, \(total.words)" }
    return "in total, \(total.words); of these, friends used \(ofFriends.words)"
  }
}
