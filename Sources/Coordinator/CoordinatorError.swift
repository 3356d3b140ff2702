import Foundation

/// Why a coordinator cannot be made or reached.
package enum CoordinatorError: CodedError, Equatable {
  case noHome
  case socketPathTooLong(String)
  case unwritable(String, reason: String)
  case foreign(String)
  case alreadyRunning(StateLock.Holder)
  case noCoordinator
  /// One runs, and takes no requests.
  case unreachable(StateLock.Holder)
  case noModel(searched: [String])
  case missingModel(String)
  case badModel(String, String)
  case missingProjector(String)
  case badProjector(String, String)
  case noAgents(String)
  case noSuchAgent(String, known: [String])
  case noSandbox(String)
  case cannotListen(String, reason: String)
  case unusableSocket(String, reason: String)
  case noSuchRun(String)
  case noSuchSession(String)
  case nothingJournaled(String)
  case noSessions

  package var code: ErrorCode {
    switch self {
    case .noHome, .socketPathTooLong: .badConfiguration
    case .unwritable: .cannotCreate
    case .foreign: .forbidden
    case .alreadyRunning: .busy
    case .noCoordinator, .unreachable, .noSandbox, .cannotListen, .unusableSocket: .unavailable
    case .noModel, .missingModel, .missingProjector, .noAgents: .noInput
    case .noSuchAgent: .noSuchAgent
    case .badModel, .badProjector: .unusableData
    case .noSuchRun, .noSuchSession, .nothingJournaled, .noSessions: .notFound
    }
  }

  package var description: String {
    switch self {
    case .noHome: "HOME is not set, so there is nowhere to keep the journal. Set ORCHESTRATOR_HOME."
    case .socketPathTooLong(let path):
      "The socket path is too long for this system: \(path). Set ORCHESTRATOR_HOME or"
        + " XDG_RUNTIME_DIR to a shorter path."
    case .unwritable(let path, let reason):
      "Cannot create or write \(path): \(reason). Set ORCHESTRATOR_HOME to a folder that you own."
    case .foreign(let path):
      "The folder \(path) is a link or belongs to another user. Set XDG_RUNTIME_DIR or"
        + " ORCHESTRATOR_HOME to a folder that you own."
    case .alreadyRunning(let holder):
      "A coordinator is already running (\(holder)). \(holder.advice)"
    case .noCoordinator:
      "No coordinator is running. Start one with 'orchestrator start'."
    case .unreachable(let holder):
      "The running coordinator (\(holder)) cannot be reached. \(holder.advice)"
    case .noModel(let searched):
      "No model was found. Name a GGUF file with --model. Searched: "
        + searched.joined(separator: ", ") + "."
    case .missingModel(let path): "There is no model file at \(path)."
    case .badModel(let path, let flaw):
      "The model \(path) cannot be used: \(flaw). Name a GGUF file with --model."
    case .missingProjector(let path): "There is no projector file at \(path)."
    case .badProjector(let path, let flaw):
      "The projector \(path) cannot be used: \(flaw). Name a GGUF file with --projector, or omit"
        + " it."
    case .noAgents(let folder):
      "No agent in \(folder) can be run. Create one with 'orchestrator agents new NAME'."
    case .noSuchAgent(let name, let known):
      "There is no agent named '\(name)'. Available agents: \(known.joined(separator: ", "))."
    case .noSandbox(let holes):
      "Workers cannot be confined on this machine: \(holes). Run 'orchestrator doctor' for details,"
        + " or pass --sandbox default to run with what is available."
    case .cannotListen(let address, let reason):
      "Cannot listen on \(address): \(reason). Choose another address with --listen."
    case .unusableSocket(let path, let reason):
      "Cannot listen on \(path): \(reason). Move away what is there, or set XDG_RUNTIME_DIR or"
        + " ORCHESTRATOR_HOME to another folder that you own."
    case .noSuchRun(let name):
      "No worker matches '\(name)'. List all workers with 'orchestrator logs'."
    case .noSuchSession(let name): "There is no session named '\(name)'."
    case .nothingJournaled(let path): "There are no sessions yet: there is no journal at \(path)."
    case .noSessions: "There are no sessions yet."
    }
  }
}
