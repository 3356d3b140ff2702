import AgentKit
import Coordination
import Foundation

/// What a command cannot do, in a sentence, with the exit code that says which kind it is.
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
  /// Whether the prompt was accepted, and so is answered without being asked again.
  case coordinatorGone(isAccepted: Bool)
  case emptyPrompt
  case unreadableQuestion
  case badImage(String, String)
  case namelessImage
  case cutLine(bytes: Int)
  case unknownWord(String)
  case imagesTooLarge(bytes: Int)
  case missingProjector(String)
  case badProjector(String, String)
  case unwrittenOutput(reason: String)
  case failed(String)

  /// sysexits.h where it has a word for it.
  var exitCode: Int32 {
    switch self {
    case .badAllowance, .badCaps, .badContext, .badSession, .emptyPrompt, .unreadableQuestion:
      EX_USAGE
    case .otherCoordinator: EX_USAGE
    case .badDoor, .badDoorName, .doorBeyondLoopback, .noDoor, .bubblewrapWithoutSandbox: EX_USAGE
    case .noSandbox, .noBubblewrap, .unusableBubblewrap, .coordinatorGone: EX_UNAVAILABLE
    case .cannotListen, .unusableSocket: EX_UNAVAILABLE
    case .badImage, .imagesTooLarge, .namelessImage, .badModel, .badProjector: EX_DATAERR
    case .cutLine, .unknownWord: EX_DATAERR
    case .unwrittenOutput: EX_IOERR
    case .missingModel, .missingProjector, .noModel, .noAgents, .noSuchAgent: EX_NOINPUT
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
    case .noHome: "HOME is not set, so there is no place for the journal. Set ORCHESTRATOR_HOME."
    case .socketPathTooLong(let path):
      "The path of the socket is too long for the system: \(path). Set ORCHESTRATOR_HOME or"
        + " XDG_RUNTIME_DIR to a shorter one."
    case .unwritable(let path, let reason):
      "\(path) cannot be made or written: \(reason). Set ORCHESTRATOR_HOME to a folder of your own."
    case .foreign(let path):
      "The folder \(path) belongs to somebody else, or is a link. Set XDG_RUNTIME_DIR, or"
        + " ORCHESTRATOR_HOME, to one of your own."
    case .alreadyRunning(let holder):
      "A coordinator runs here already, \(holder). \(holder.advice)"
    case .otherCoordinator(let pid, let options, let agents, let model):
      "The coordinator that runs here, with pid \(pid), cannot follow"
        + " \(options.joined(separator: ", ")): it has the agents in \(agents) and the model"
        + " \(model ?? "of each agent"). Leave the options out, or end it with"
        + " 'orchestrator stop'."
    case .noCoordinator:
      "No coordinator runs here. Begin with 'orchestrator start'."
    case .deafCoordinator(let holder):
      "The coordinator that runs here, \(holder), cannot be talked to. \(holder.advice)"
    case .noModel(let searched):
      "There is no model. Name a GGUF file with --model. Looked for: "
        + searched.joined(separator: ", ") + "."
    case .missingModel(let path): "There is no model file at \(path)."
    case .badModel(let path, let flaw):
      "The model \(path) cannot be used: \(flaw). Name a GGUF file with --model."
    case .noAgents(let folder):
      "No agent in \(folder) can be run. Write one with 'orchestrator agents new NAME'."
    case .noSuchAgent(let name, let known):
      "There is no agent '\(name)'. There are: \(known.joined(separator: ", "))."
    case .noSuchRun(let name):
      "No worker was ever named '\(name)'. 'orchestrator logs' lists them."
    case .noSuchSession(let name): "There is no session '\(name)'."
    case .nothingJournaled(let path): "Nothing has been said yet: there is no journal at \(path)."
    case .noSessions: "Nothing has been said yet: there is no session in the journal."
    case .badCaps(let problem), .badAllowance(let problem), .badSession(let problem): problem
    case .noSandbox(let holes):
      "Workers cannot be confined here: \(holes). 'orchestrator doctor' says more; --sandbox default"
        + " runs them with what there is."
    case .noBubblewrap:
      "There is no bwrap in PATH. Install bubblewrap, or leave --launcher away."
    case .unusableBubblewrap(let program, let problem):
      "\(program) starts nothing here: \(problem). Perhaps this system has no user namespaces, or"
        + " keeps them from you; leave --launcher away."
    case .bubblewrapWithoutSandbox:
      "--launcher bubblewrap and --sandbox off contradict each other. Leave one of them away."
    case .badDoor(let text):
      "'\(text)' is no place to listen. Write a port up to 65535, or an address in digits and a"
        + " port: 8765, 127.0.0.1:8765 or [::1]:8765. With port 0 the system chooses one."
    case .badDoorName(let text): "'\(text)' is no name of a host. Write NAME or NAME:PORT."
    case .doorBeyondLoopback(let address):
      "\(address) is reached from other machines, and nothing is encrypted there: whoever reads the"
        + " token can do all that you can. If you mean it, say so with --listen-beyond-loopback as"
        + " well."
    case .noDoor:
      "--listen-beyond-loopback and --listen-name say something about --listen, which is missing."
    case .badContext(let size):
      "A context window cannot be \(size) tokens. Write a number from 256 to 1048576."
    case .cannotListen(let address, let reason):
      "Nothing can listen on \(address): \(reason). Choose another with --listen."
    case .unusableSocket(let path, let reason):
      "Nothing can listen on \(path): \(reason). Move away what is there, or set XDG_RUNTIME_DIR or"
        + " ORCHESTRATOR_HOME to another folder of your own."
    case .coordinatorGone(isAccepted: false):
      "The coordinator ended before the answer. Ask again; the session continues."
    case .coordinatorGone(isAccepted: true):
      "The coordinator ended before the answer. Do not ask again: the next 'orchestrator start', or the"
        + " next prompt of the session, finishes the turn, and 'orchestrator transcript' shows it."
    case .badImage(let path, let flaw):
      "The image \(path) cannot be attached: \(flaw.withFullStop) Images are PNG or JPEG"
        + " files of at most \(ImageFile.maximumBytes >> 20) MiB."
    case .namelessImage: "No image is named. Write its path behind the word: /image photo.png"
    case .cutLine(let bytes):
      "A terminal takes lines of \(bytes) bytes, and what came after them here is lost: this one is"
        + " not asked. Put it into a file: orchestrator ask - < FILE"
    case .unknownWord(let word):
      "'\(word)' is no word of the chat, and is not asked. There is /image FILE; Ctrl-D ends the chat."
        + " To ask it all the same, begin the line with a space."
    case .imagesTooLarge(let bytes):
      "\(ConversationError.imagesTooLarge(bytes: bytes, limit: ImageFile.maximumBytes))"
    case .missingProjector(let path): "There is no projector file at \(path)."
    case .badProjector(let path, let flaw):
      "The projector \(path) cannot be used: \(flaw). Name a GGUF file with --projector, or leave it away."
    case .unwrittenOutput(let reason):
      "What was to be written to standard output is not all there: \(reason). Make room, or write"
        + " elsewhere; what was said is in 'orchestrator transcript'."
    case .emptyPrompt: "There is nothing in the prompt."
    case .unreadableQuestion: "What came from standard input is no text in UTF-8."
    case .failed(let problem): problem
    }
  }
}
