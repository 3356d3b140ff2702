import Foundation
import Supervision
import Testing

@testable import Outposts

@Suite(.timeLimit(.minutes(1))) struct `Slurm's queue` {
  private static let asking = ["--noheader", "--name=orchestrator-gpu-1", "--format=%T,%r"]
  private static let named = "--job-name={instance}"
  private let eventLoop: ChildEventLoop

  init() throws { eventLoop = try ChildEventLoop() }

  private func slurm(_ launch: [String]) -> SlurmQueue? {
    SlurmQueue(
      launch: launch,
      environment: ProcessInfo.processInfo.environment,
      eventLoop: eventLoop
    )
  }

  @Test(arguments: [
    (["srun", named], ["squeue"]),
    (["/opt/slurm/bin/srun", named], ["/opt/slurm/bin/squeue"]),
    (["ssh", "login", "salloc", named], ["ssh", "login", "squeue"]),
  ])
  func `is asked as its launcher is started`(launch: [String], beginning: [String]) throws {
    let queue = try #require(slurm(launch))
    #expect(queue.question(about: "orchestrator-gpu-1") == beginning + Self.asking)
    // A login shell reads it once more.
    #expect(Self.asking.allSatisfy { !$0.contains { " |;&<>()$`\\\"'*?[#~".contains($0) } })
  }

  @Test(arguments: [
    ("exec srun \(named) worker", "exec squeue"),
    ("exec ssh login /opt/bin/srun \(named)", "exec ssh login /opt/bin/squeue"),
  ])
  func `is asked by the shell that starts its launcher`(line: String, beginning: String) throws {
    let queue = try #require(slurm(["/bin/sh", "-c", line]))
    let question = ([beginning] + Self.asking).joined(separator: " ")
    #expect(queue.question(about: "orchestrator-gpu-1") == ["/bin/sh", "-c", question])
  }

  @Test(arguments: [
    ["ssh", "gpu1", "orchestrator-worker", named], ["/usr/bin/mysrun", named], ["srun", "-n1"], [],
  ])
  func `is not asked about a launch that it does not know`(launch: [String]) {
    #expect(slurm(launch) == nil)
  }

  @Test(arguments: [
    ("PENDING,Resources\n", QueuePlace.waiting(reason: "Resources")),
    ("PENDING,Priority", .waiting(reason: "Priority")),
    (
      "PENDING,ReqNodeNotAvail, UnavailableNodes:n1\n",
      .waiting(reason: "ReqNodeNotAvail, UnavailableNodes:n1")
    ),
    ("PENDING,QOSMaxJobsPerUserLimit\n", .waiting(reason: "QOSMaxJobsPerUserLimit")),
    ("PENDING,None\n", .waiting(reason: "None")),
    ("PENDING,PartitionConfig\n", .impossible(reason: "PartitionConfig")),
    ("PENDING,BadConstraints", .impossible(reason: "BadConstraints")),
    ("PENDING,QOSMaxCpuPerJobLimit", .impossible(reason: "QOSMaxCpuPerJobLimit")),
    ("RUNNING,None", .running), ("CONFIGURING,None", .running),
  ])
  func `says why a job waits`(answer: String, place: QueuePlace) {
    #expect(SlurmQueue.place(from: answer) == place)
  }

  @Test(arguments: [
    "", "\n", ",", "slurm_load_jobs error: Invalid job id specified\n", "{\"jobs\":1}",
    "CANCELLED,None", "COMPLETING,None", "PREEMPTED,None",
  ])
  func `says nothing of a job that is gone, or in another form`(answer: String) {
    #expect(SlurmQueue.place(from: answer) == nil)
  }

  @Test func `is read as its command prints it`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "slurm-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let command = folder.appending(path: "squeue")
    // It repeats how it was asked, as the reason.
    try Data("#!/bin/sh\necho \"PENDING,$*\"\n".utf8).write(to: command)
    let queue = try #require(slurm([folder.path + "/srun", Self.named]))
    #expect(await queue.place(of: "orchestrator-gpu-1") == nil, "it cannot be run")
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: command.path)
    let place = await queue.place(of: "orchestrator-gpu-1")
    #expect(place == .waiting(reason: Self.asking.joined(separator: " ")))
  }

  @Test(arguments: [("exec sleep 600", false), ("yes", false), ("exit 3", false), ("echo a", true)])
  func `bounds what a command may do`(script: String, isGood: Bool) async throws {
    let launch = try #require(
      Launch(command: ["sh", "-c", script], environment: ProcessInfo.processInfo.environment)
    )
    let output = await eventLoop.output(of: launch, limit: 100, patience: .milliseconds(500))
    #expect(output == (isGood ? "a\n" : nil))
    #expect(Launch(command: ["no-such-program"], environment: ["PATH": "/bin"]) == nil)
  }
}
