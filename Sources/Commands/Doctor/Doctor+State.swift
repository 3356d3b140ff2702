import Coordinator
import Doors
import Foundation
import Journal
import Terminal
import Transcripts

// What is stored on this machine.

extension Doctor {
  func state(_ folders: Folders) async -> [Diagnosis] {
    do {
      try folders.makeState()
    } catch {
      let remedy = "set ORCHESTRATOR_HOME to a folder that you own"
      return [.failure("state", "\(error)", remedy: remedy)]
    }
    return [room(in: folders.state)] + (await journal(folders))
  }

  private func journal(_ folders: Folders) async -> [Diagnosis] {
    do {
      guard let reader = try JournalReader(path: folders.journal) else {
        return [.ok("journal", "none yet in \(folders.state)")]
      }
      let inspection = try await reader.inspect()
      if let flaw = inspection.flaws.first {
        let count = inspection.flaws.count.counted("flaw")
        let remedy = "run 'orchestrator sessions verify'"
        return [
          .failure("journal", "\(folders.journal), \(count): \(flaw)", remedy: remedy)
        ]
      }
      let sessions = inspection.sessions.counted("session")
      return [.ok("journal", "\(folders.journal), \(sessions)")]
    } catch {
      return [.ofJournal(error)]
    }
  }

  /// Examines whether the journal can grow.
  private func room(in folder: String) -> Diagnosis {
    let probe = "\(folder)/.doctor-\(getpid())"
    let descriptor = open(probe, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      return .failure(
        "state",
        "cannot write to \(folder): \(String(cString: strerror(errno)))",
        remedy: "make this user its owner, or set ORCHESTRATOR_HOME"
      )
    }
    close(descriptor)
    unlink(probe)
    var facts = statvfs()
    guard statvfs(folder, &facts) == 0 else { return .ok("state", folder) }
    let megabytes = UInt64(facts.f_bavail) * UInt64(facts.f_frsize) / 1_000_000
    let words = "\(folder), \(megabytes) MB free"
    guard megabytes > 0 else { return .failure("state", words, remedy: "free up disk space") }
    guard megabytes >= 100 else {
      return .warning("state", words, remedy: "free up disk space")
    }
    return .ok("state", words)
  }

  func sockets(_ folders: Folders) async -> [Diagnosis] {
    let remedy = "set \(folders.placeOfSockets) to a folder that you own"
    do {
      try folders.makeRuntime()
    } catch {
      return [.failure("sockets", "\(error)", remedy: remedy)]
    }
    do {
      if let status = try await RemoteCoordinator.running(folders)?.status {
        return [
          .ok("sockets", "a coordinator (pid \(status.pid)) listens on \(folders.servedSocket)")
        ]
      }
      // A coordinator of another home may have the place.
      if let stranger = try await RemoteCoordinator(socket: folders.socket).statusIfServed() {
        let home = stranger.state.map { ", for \($0)" } ?? ""
        return [
          .failure(
            "sockets",
            "another coordinator (pid \(stranger.pid)\(home)) listens on \(folders.socket)",
            remedy: "stop it, or set \(folders.placeOfSockets) to another folder"
          )
        ]
      }
    } catch let error as CoordinatorError {
      return [.failure("sockets", "\(error)", remedy: remedy)]
    } catch {
      return [
        .warning("sockets", "\(error)", remedy: "end it with 'kill', or with 'kill -KILL'")
      ]
    }
    return [.ok("sockets", "\(folders.socket); no coordinator is running")]
  }

  /// What to enter where MCP clients keep their servers; they find fewer programs than a shell.
  var clients: Diagnosis { .ok("clients", "MCP clients start '\(Executable.path) mcp'") }

  /// Whether an address is taken because this home's own coordinator listens there.
  private func isServed(_ address: ListenAddress, _ folders: Folders) async -> Bool {
    let serving = try? await RemoteCoordinator.running(folders)
    return serving?.status.door == "\(address)"
  }

  /// Examines who could reach the requested network address.
  func door(_ folders: Folders) async -> [Diagnosis] {
    do {
      guard let door = try doorOptions.settings() else { return [] }
      if let problem = door.address.problem(), await !isServed(door.address, folders) {
        let error = CoordinatorError.cannotListen("\(door.address)", reason: problem)
        let remedy = "check what listens there, or choose another port"
        return [.failure("listen", "\(error)", remedy: remedy)]
      }
      let pages = door.origins.map { "; so may pages of \($0)" }.joined()
      let clients = Diagnosis.ok(
        "openai",
        "OpenAI's clients may use the agents at http://\(door.address)/v1, with the key in"
          + " \(folders.token)\(pages)"
      )
      guard !door.address.isLoopback else {
        return [.ok("listen", "\(door.address), reachable only from this machine"), clients]
      }
      return [
        .warning(
          "listen",
          "\(door.address) can be reached from other machines, and nothing is encrypted",
          remedy: "listen on the loopback interface, behind an encrypting proxy or a tunnel"
        )
      ]
    } catch {
      return [.failure("listen", "\(error)", remedy: "see 'orchestrator help start'")]
    }
  }
}

extension Diagnosis {
  /// Diagnoses a journal that could not be opened or fully read.
  static func ofJournal(_ error: any Error) -> Diagnosis {
    switch error {
    case JournalError.older(let path):
      let remedy =
        "move it away with the files next to it, for the build that wrote it, or set"
        + " ORCHESTRATOR_HOME to another folder"
      return .failure("journal", "\(path) was written by an older build", remedy: remedy)
    case JournalError.newer(let path):
      // Verifying it fails in the same way.
      let remedy = "use the newer orchestrator, or set ORCHESTRATOR_HOME to another folder"
      let finding = "\(path) was written by a newer orchestrator"
      return .failure("journal", finding, remedy: remedy)
    case JournalError.full(let path):
      let finding = "the disk is too full to read \(path)"
      return .failure("journal", finding, remedy: "free up space on its disk")
    case JournalError.damaged(let path, let reason):
      let remedy = "restore a copy of it, or move it away together with the files next to it"
      return .failure("journal", "\(path): \(reason)", remedy: remedy)
    case JournalError.unwritable(let path, let reason):
      let remedy = "make this user the owner of its folder, or set ORCHESTRATOR_HOME"
      return .failure("journal", "\(path): \(reason)", remedy: remedy)
    default:
      return .failure("journal", "\(error)", remedy: "run 'orchestrator sessions verify'")
    }
  }
}
