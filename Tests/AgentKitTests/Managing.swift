import AgentKit
import Synchronization

/// A host that wants contexts managed, and stores the reports.
final class Managing: LenientHost {
  let contextPolicy: ContextPolicy?
  let summaryTokens: Int?
  private let reports = Mutex<[ContextReport]>([])

  var all: [ContextReport] { reports.withLock { $0 } }

  init(widest: Int? = nil, summaryTokens: Int? = nil) {
    contextPolicy = ContextPolicy(widestWindow: widest)
    self.summaryTokens = summaryTokens
  }

  func record(_ report: ContextReport, usage: LanguageModelSession.Usage?) async throws {
    reports.withLock { $0.append(report) }
  }

  func admitSummary() async throws -> Int? { summaryTokens }
}
