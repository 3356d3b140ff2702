import Coordination
import Foundation
import Transcripts

/// A failure of a command, with its message and exit code.
enum CommandError: Error, Equatable {
  case noHome
  case socketPathTooLong(String)
  case unwritable(String, reason: String)
  case foreign(String)
  case alreadyRunning(StateLock.Holder)
  case otherCoordinator(pid: Int32, options: [String], agents: String, model: String?)
  case noCoordinator
  case deafCoordinator(StateLock.Holder)
  case noModel(searched: [String])
  case missingModel(String)
  case badModel(String, String)
  case noAgents(String)
  case noSuchAgent(String, known: [String])
  case noSuchRun(String)
  case noSuchSession(String)
  case nothingJournaled(String)
  case noSessions
  case badCaps(String)
  case badSession(String)
  case badDoor(String)
  case badDoorName(String)
  case doorBeyondLoopback(String)
  case noDoor
  case badAllowance(String)
  case noSandbox(String)
  case noBubblewrap
  case unusableBubblewrap(String, String)
  case bubblewrapWithoutSandbox
  case badContext(Int)
  case cannotListen(String, reason: String)
  case unusableSocket(String, reason: String)
  /// The coordinator ended; an accepted prompt is answered without being asked again.
  case coordinatorGone(isAccepted: Bool)
  /// The coordinator is there, and has lost whoever asked.
  case connectionLost
  case emptyPrompt
  case unreadableQuestion
  case unreadableLine(number: Int)
  case unreadableArgument(number: Int)
  case badImage(String, String)
  case namelessImage
  case cutLine(bytes: Int)
  case unknownWord(String)
  case imagesTooLarge(bytes: Int)
  case missingProjector(String)
  case badProjector(String, String)
  case unreadableFile(String, Obstacle)
  case unwrittenOutput(Obstacle)
  case failed(String)

  /// The exit code, from sysexits.h if it has a fitting one.
  var exitCode: Int32 {
    switch self {
    case .badAllowance, .badCaps, .badContext, .badSession, .emptyPrompt, .unreadableQuestion:
      EX_USAGE
    case .otherCoordinator, .unreadableArgument: EX_USAGE
    case .badDoor, .badDoorName, .doorBeyondLoopback, .noDoor, .bubblewrapWithoutSandbox: EX_USAGE
    case .noSandbox, .noBubblewrap, .unusableBubblewrap: EX_UNAVAILABLE
    case .cannotListen, .unusableSocket, .coordinatorGone, .connectionLost: EX_UNAVAILABLE
    case .badImage, .imagesTooLarge, .namelessImage, .badModel, .badProjector: EX_DATAERR
    case .cutLine, .unknownWord, .unreadableLine: EX_DATAERR
    case .unwrittenOutput: EX_IOERR
    case .missingModel, .missingProjector, .noModel, .noAgents, .noSuchAgent: EX_NOINPUT
    case .unreadableFile: EX_NOINPUT
    case .noCoordinator, .deafCoordinator: EX_UNAVAILABLE
    case .noHome, .socketPathTooLong: EX_CONFIG
    case .unwritable: EX_CANTCREAT
    case .foreign: EX_NOPERM
    case .alreadyRunning: EX_TEMPFAIL
    case .noSuchRun, .noSuchSession, .nothingJournaled, .noSessions, .failed: EXIT_FAILURE
    }
  }
}

extension CommandError: CustomStringConvertible {
  var description: String {
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
    case .otherCoordinator(let pid, let options, let agents, let model):
      "The running coordinator (pid \(pid)) cannot apply \(options.joined(separator: ", ")): it"
        + " uses the agents in \(agents) and the model \(model ?? "of each agent"). Omit these"
        + " options, or stop it with 'orchestrator stop'."
    case .noCoordinator:
      "No coordinator is running. Start one with 'orchestrator start'."
    case .deafCoordinator(let holder):
      "The running coordinator (\(holder)) cannot be reached. \(holder.advice)"
    case .noModel(let searched):
      "No model was found. Name a GGUF file with --model. Searched: "
        + searched.joined(separator: ", ") + "."
    case .missingModel(let path): "There is no model file at \(path)."
    case .badModel(let path, let flaw):
      "The model \(path) cannot be used: \(flaw). Name a GGUF file with --model."
    case .noAgents(let folder):
      "No agent in \(folder) can be run. Create one with 'orchestrator agents new NAME'."
    case .noSuchAgent(let name, let known):
      "There is no agent named '\(name)'. Available agents: \(known.joined(separator: ", "))."
    case .noSuchRun(let name):
      "No worker matches '\(name)'. List all workers with 'orchestrator logs'."
    case .noSuchSession(let name): "There is no session named '\(name)'."
    case .nothingJournaled(let path): "There are no sessions yet: there is no journal at \(path)."
    case .noSessions: "There are no sessions yet."
    case .badCaps(let problem), .badAllowance(let problem), .badSession(let problem): problem
    case .noSandbox(let holes):
      "Workers cannot be confined on this machine: \(holes). Run 'orchestrator doctor' for details,"
        + " or pass --sandbox default to run with what is available."
    case .noBubblewrap:
      "bwrap is not in PATH. Install bubblewrap, or omit --launcher."
    case .unusableBubblewrap(let program, let problem):
      "\(program) cannot start programs here: \(problem). This system may have no user namespaces,"
        + " or may deny them to you. Omit --launcher."
    case .bubblewrapWithoutSandbox:
      "--launcher bubblewrap and --sandbox off cannot be combined. Omit one of them."
    case .badDoor(let text):
      "'\(text)' is not a port or an address. Write a port up to 65535, or a numeric address and a"
        + " port: 8765, 127.0.0.1:8765 or [::1]:8765. Port 0 lets the system choose."
    case .badDoorName(let text): "'\(text)' is not a host name. Write NAME or NAME:PORT."
    case .doorBeyondLoopback(let address):
      "Other machines can reach \(address), and nothing is encrypted there: anyone who reads the"
        + " token can do everything you can. To allow it, also pass --listen-beyond-loopback."
    case .noDoor:
      "--listen-beyond-loopback and --listen-name require --listen."
    case .badContext(let size):
      "The context window cannot be \(size) tokens. Use a number from 256 to 1048576."
    case .cannotListen(let address, let reason):
      "Cannot listen on \(address): \(reason). Choose another address with --listen."
    case .unusableSocket(let path, let reason):
      "Cannot listen on \(path): \(reason). Move away what is there, or set XDG_RUNTIME_DIR or"
        + " ORCHESTRATOR_HOME to another folder that you own."
    case .connectionLost:
      "The connection to the coordinator was lost, so the turn was cancelled. Ask again."
    case .coordinatorGone(isAccepted: false):
      "The coordinator stopped before it answered. Ask again; the session continues."
    case .coordinatorGone(isAccepted: true):
      "The coordinator stopped before it answered. Do not ask again: the next 'orchestrator start',"
        + " or the session's next prompt, finishes the turn. 'orchestrator transcript' then shows"
        + " it."
    case .badImage(let path, let flaw):
      "Cannot attach the image \(path): \(flaw.withFullStop) Images must be PNG or JPEG files of at"
        + " most \(ImageFile.maximumBytes >> 20) MiB."
    case .namelessImage: "No image was named. Write its path after the command: '/image photo.png'."
    case .cutLine(let bytes):
      "The line was not sent: a terminal accepts at most \(bytes) bytes per line, and the rest was"
        + " lost. Put the prompt in a file and run 'orchestrator ask - < FILE'."
    case .unknownWord(let word):
      "'\(word)' is not a chat command, so the line was not sent. The only command is '/image"
        + " FILE'; Ctrl-D ends the chat. To send the line as a prompt, begin it with a space."
    case .imagesTooLarge(let bytes):
      "\(ConversationError.imagesTooLarge(bytes: bytes, limit: ImageFile.maximumBytes))"
    case .missingProjector(let path): "There is no projector file at \(path)."
    case .badProjector(let path, let flaw):
      "The projector \(path) cannot be used: \(flaw). Name a GGUF file with --projector, or omit"
        + " it."
    case .unreadableFile(let path, let obstacle):
      "The file \(path) cannot be read: \(obstacle)."
    case .unwrittenOutput(let obstacle):
      "Standard output is incomplete: \(obstacle). Free up space or write somewhere else;"
        + " 'orchestrator transcript' shows what was said."
    case .emptyPrompt: "The prompt is empty."
    case .unreadableQuestion:
      "Standard input is not valid UTF-8, so nothing was sent. Convert it to UTF-8, and ask again."
    case .unreadableArgument(let number):
      "Argument \(number) is not valid UTF-8, so nothing was done. Write it in UTF-8."
    case .unreadableLine(let number):
      "Line \(number) is not valid UTF-8, so it was not sent. Convert the input to UTF-8, or set the"
        + " terminal to UTF-8, and send the line again."
    case .failed(let problem): problem
    }
  }
}
