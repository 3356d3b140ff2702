import Journal
import Testing

@testable import Commands

@Suite struct `What the doctor says of a journal that it cannot read` {
  @Test func `is what to do about one of a newer orchestrator, which verifying it is not`() throws {
    let diagnosis = Diagnosis.ofJournal(JournalError.newer(path: "/home/journal"))
    #expect(diagnosis.verdict == .failure)
    #expect(diagnosis.finding == "/home/journal was written by a newer orchestrator")
    let remedy = try #require(diagnosis.remedy)
    #expect(remedy.contains("newer orchestrator"))
    #expect(remedy.contains("ORCHESTRATOR_HOME"))
    #expect(!remedy.contains("verify"))
  }

  @Test func `fails for a journal of an older build, which has to be moved away`() {
    let diagnosis = Diagnosis.ofJournal(JournalError.older(path: "/home/journal"))
    #expect(diagnosis.verdict == .failure)
    #expect(diagnosis.remedy?.contains("ORCHESTRATOR_HOME") == true)
  }

  private static let faults: [(JournalError, String)] = [
    (.full(path: "j"), "free up space on its disk"),
    (.damaged(path: "j", reason: "it is torn"), "restore a copy of it"),
    (.unwritable(path: "j", reason: "no"), "make this user the owner of its folder"),
    // `sessions verify` reports which value cannot be read.
    (.unreadable(path: "j", reason: "no"), "run 'orchestrator sessions verify'"),
  ]

  @Test(arguments: faults)
  func `is a remedy for each of its faults`(error: JournalError, remedy: String) {
    let diagnosis = Diagnosis.ofJournal(error)
    #expect(diagnosis.verdict == .failure)
    #expect(diagnosis.remedy?.hasPrefix(remedy) == true, "\(diagnosis)")
  }
}
