import Coordination
import Coordinator
import Foundation
import Transcripts

/// What is wrong with the arguments or the input of a command, or with its output.
enum CommandError: CodedError, Equatable {
  case otherCoordinator(pid: Int32, options: [String], agents: String, model: String?)
  case badOption(String)
  case badAnswer
  case badAddress(String)
  case badHostName(String)
  case badOrigin(String)
  case addressBeyondLoopback(String)
  case noAddress
  case noBubblewrap
  case unusableBubblewrap(String, String)
  case bubblewrapWithoutSandbox
  case badContext(Int)
  case badWait(Int)
  case noReceiver(String)
  case unreceived(spans: Int, of: Int)
  /// The coordinator ended; an accepted prompt is answered without being asked again.
  case coordinatorGone(isAccepted: Bool)
  /// The coordinator is there, and has lost the connection.
  case connectionLost
  case emptyPrompt
  case unreadableQuestion
  case unreadableLine(number: Int)
  case unreadableArgument(number: Int)
  case badImage(String, String)
  case namelessImage
  case cutLine(bytes: Int)
  case messageTooLong(bytes: Int)
  case unknownWord(String)
  case imagesTooLarge(bytes: Int)
  case unreadableFile(String, FileAccessError)
  case unwrittenOutput(FileAccessError)
  case noPrompt(String)
  case failed(String)

  var code: ErrorCode {
    switch self {
    case .unreceived: .unavailable
    case .badOption, .badContext, .badWait, .badAnswer, .noReceiver: .invalidRequest
    case .emptyPrompt, .unreadableQuestion: .invalidRequest
    case .otherCoordinator, .unreadableArgument: .invalidRequest
    case .badAddress, .badHostName, .badOrigin, .addressBeyondLoopback, .noAddress: .invalidRequest
    case .bubblewrapWithoutSandbox: .invalidRequest
    case .noBubblewrap, .unusableBubblewrap, .coordinatorGone, .connectionLost: .unavailable
    case .badImage, .imagesTooLarge, .namelessImage: .unusableData
    case .cutLine, .messageTooLong, .unknownWord, .unreadableLine: .unusableData
    case .unwrittenOutput: .outputFailed
    case .unreadableFile: .noInput
    case .noPrompt: .notFound
    case .failed: .internalError
    }
  }

  var description: String {
    switch self {
    case .otherCoordinator(let pid, let options, let agents, let model):
      "The running coordinator (pid \(pid)) cannot apply \(options.joined(separator: ", ")): it"
        + " uses the agents in \(agents) and the model \(model ?? "of each agent"). Omit these"
        + " options, or stop it with 'orchestrator stop'."
    case .badOption(let problem), .failed(let problem): problem
    case .noReceiver(let reason):
      "Nothing was sent: \(reason). Name a receiver with --telemetry, or write '-' after the session"
        + " for standard output."
    case .unreceived(let missing, let all):
      "\(missing) of \(all) spans were not received. Send the session again: what is there already is"
        + " the same."
    case .noBubblewrap:
      "bwrap is not in PATH. Install bubblewrap, or omit --launcher."
    case .unusableBubblewrap(let program, let problem):
      "\(program) cannot start programs here: \(problem). This system may have no user namespaces,"
        + " or may deny them to you. Omit --launcher."
    case .bubblewrapWithoutSandbox:
      "--launcher bubblewrap and --sandbox off cannot be combined. Omit one of them."
    case .badAddress(let text):
      "'\(text)' is not a port or an address. Write a port up to 65535, or a numeric address and a"
        + " port: 8765, 127.0.0.1:8765 or [::1]:8765. Port 0 lets the system choose."
    case .badHostName(let text): "'\(text)' is not a host name. Write NAME or NAME:PORT."
    case .badOrigin(let text):
      "'\(text)' is not the origin of a page. Write it as browsers do: https://chat.example or"
        + " http://localhost:3000."
    case .addressBeyondLoopback(let address):
      "Other machines can reach \(address), and nothing is encrypted there: anyone who reads the"
        + " token can do everything you can. To allow it, also pass --listen-beyond-loopback."
    case .noAddress:
      "--listen-beyond-loopback, --listen-name, --listen-origin and --inspect-read-only require"
        + " --listen."
    case .badContext(let size):
      "The context window cannot be \(size) tokens. Use a number from 256 to 1048576."
    case .badWait(let seconds):
      "A worker cannot wait \(seconds) seconds for a host. Use a number from 0 to 604800."
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
    case .messageTooLong(let bytes):
      "A line of standard input is longer than \(bytes >> 20) MiB, so what follows cannot be read."
    case .unknownWord(let word):
      "'\(word)' is not a chat command, so the line was not sent. The only command is '/image"
        + " FILE'; Ctrl-D ends the chat. To send the line as a prompt, begin it with a space."
    case .imagesTooLarge(let bytes):
      "\(ConversationError.imagesTooLarge(bytes: bytes, limit: ImageFile.maximumBytes))"
    case .unreadableFile(let path, let obstacle):
      "The file \(path) cannot be read: \(obstacle)."
    case .unwrittenOutput(let obstacle):
      "Standard output is incomplete: \(obstacle). Free up space or write somewhere else;"
        + " 'orchestrator transcript' shows what was said."
    case .badAnswer:
      "--answer is not JSON. Write an object with a value for each field, such as"
        + " '{\"branch\": \"main\"}'."
    case .emptyPrompt: "The prompt is empty."
    case .unreadableQuestion:
      "Standard input is not valid UTF-8, so nothing was sent. Convert it to UTF-8, and ask again."
    case .unreadableArgument(let number):
      "Argument \(number) is not valid UTF-8, so nothing was done. Write it in UTF-8."
    case .unreadableLine(let number):
      "Line \(number) is not valid UTF-8, so it was not sent. Convert the input to UTF-8, or set the"
        + " terminal to UTF-8, and send the line again."
    case .noPrompt(let process):
      "'\(process)' shows no prompt. A worker on this machine shows that of its latest request to a"
        + " local model, as long as it lives."
    }
  }
}
