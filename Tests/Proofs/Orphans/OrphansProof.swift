import ArgumentParser
import Coordinator
import Doors
import Foundation

/// Ends coordinators by one signal after another, and looks for what they left.
struct OrphansProof: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "orphans",
    abstract: "What a coordinator has left one second after each signal that can end it.",
    discussion: "Zombies are looked for as long as it lives, below it, and afterwards beside it."
  )

  @Option(help: "How often each signal is sent.")
  var rounds = 3

  /// The signals that end a process by default; SIGPIPE is ignored on purpose.
  private static let signals: [(name: String, number: Int32)] = [
    ("HUP", SIGHUP), ("INT", SIGINT), ("QUIT", SIGQUIT), ("ILL", SIGILL), ("TRAP", SIGTRAP),
    ("ABRT", SIGABRT), ("BUS", SIGBUS), ("FPE", SIGFPE), ("KILL", SIGKILL), ("USR1", SIGUSR1),
    ("SEGV", SIGSEGV), ("USR2", SIGUSR2), ("ALRM", SIGALRM), ("TERM", SIGTERM),
    ("XCPU", SIGXCPU), ("SYS", SIGSYS),
  ]
  private static let patience = Duration.seconds(20)

  func run() async throws {
    let home = try ProofHome()
    defer { home.remove() }
    try KillCast(effects: home.folder + "/effects/log")
      .write(to: home.folder + "/agents", isIdempotent: false)
    try await Self.seeZombie()
    var (ends, watched, left, zombies, survived) = (0, 0, 0, 0, [String]())
    for _ in 0..<max(1, rounds) {
      for (name, number) in Self.signals {
        let coordinator = try await home.coordinator(agents: KillCast.names, beginner: "clerk")
        // A coordinator that outlives its round, because the signal did not end it or the round was
        // aborted.
        defer { if coordinator.isRunning { kill(coordinator.pid, SIGKILL) } }
        let request = PromptRequest(session: "\(name)-\(ends)", prompt: "p\(ends)", caps: nil)
        for try await _ in try await coordinator.client.prompt(request) {}
        let children = coordinator.children.filter(Processes.isThere)
        // The detector: templates and workers are alive and seen.
        guard children.count >= 4 else {
          throw Broken(description: "Only \(children.count) processes are seen.")
        }
        if ends == 0 { try await Self.seeZombie(below: coordinator) }
        // What has ended in the tree, such as the turn's friend, is reaped while it lives.
        _ = await Self.waitUntil(.seconds(1)) { Self.zombies(below: coordinator.pid).isEmpty }
        zombies += Self.zombies(below: coordinator.pid).count
        kill(coordinator.pid, number)
        guard await Self.waitUntil(Self.patience, { !coordinator.isRunning }) else {
          survived.append(name)
          continue
        }
        ends += 1
        watched += children.count
        _ = await Self.waitUntil(.seconds(1)) { !children.contains(where: Processes.isThere) }
        left += children.count(where: Processes.isThere)
        zombies += Processes.all().count { process in
          process.state == "Z"
            && (process.parent == getpid() || children.contains { $0.pid == process.parent })
        }
      }
    }
    print(
      "orphans: \(ends) coordinators ended by \(Self.signals.count) signals, \(watched) processes"
        + " watched: \(left) left after one second, \(zombies) zombies"
        + (survived.isEmpty ? "" : "; did not end at: \(survived.joined(separator: " "))")
    )
    guard left == 0, zombies == 0, survived.isEmpty else { throw ExitCode.failure }
  }

  private static func zombies(below pid: Int32) -> [Processes.Facts] {
    Processes.descendants(of: pid).filter { $0.state == "Z" }
  }

  /// The detector: a child that was not reaped is seen.
  private static func seeZombie() async throws {
    var pid: pid_t = 0
    let arguments = [strdup("true"), nil]
    defer { arguments.forEach { free($0) } }
    guard posix_spawnp(&pid, "true", nil, nil, arguments, environ) == 0,
      await waitUntil(patience, { zombies(below: getpid()).contains { $0.pid == pid } })
    else { throw Broken(description: "A zombie was not seen.") }
    waitpid(pid, nil, 0)
  }

  /// The detector below a coordinator: a zombie is seen while the coordinator cannot reap it, and
  /// gone once it can.
  private static func seeZombie(below coordinator: Coordinator) async throws {
    kill(coordinator.pid, SIGSTOP)
    guard let victim = coordinator.children.first(where: { $0.parent == coordinator.pid }) else {
      throw Broken(description: "The coordinator has no child.")
    }
    kill(victim.pid, SIGKILL)
    let isSeen = await waitUntil(patience) { !zombies(below: coordinator.pid).isEmpty }
    kill(coordinator.pid, SIGCONT)
    guard isSeen, await waitUntil(patience, { zombies(below: coordinator.pid).isEmpty }) else {
      throw Broken(description: "A zombie in the tree was not seen, or not collected.")
    }
  }

  private static func waitUntil(_ patience: Duration, _ isSo: () -> Bool) async -> Bool {
    let deadline = ContinuousClock.now + patience
    while !isSo() {
      if ContinuousClock.now > deadline { return false }
      try? await Task.sleep(for: .milliseconds(5))
    }
    return true
  }
}
