import Foundation

/// What keeps a command from reading what it was given, or from writing.
package enum FileAccessError: Error, Equatable {
  case missing
  case folder
  case noFile
  case neitherFileNorPipe
  case tooLarge(bytes: Int)
  /// The descriptor is closed, or open in the wrong direction only.
  case closed
  case system(code: Int32)

  /// Interprets the code of a system call that failed.
  package init(code: Int32) {
    switch code {
    case ENOENT: self = .missing
    case EBADF: self = .closed
    default: self = .system(code: code)
    }
  }
}

extension FileAccessError: CustomStringConvertible {
  /// The end of a sentence that names what cannot be read.
  package var description: String {
    switch self {
    case .missing: "it does not exist"
    case .folder: "it is a folder"
    case .noFile: "it is not a file"
    case .neitherFileNorPipe: "it is neither a file nor a pipe"
    case .tooLarge(let bytes): "it is too large, with \(bytes) bytes"
    case .closed: "it is closed"
    case .system(let code): String(cString: strerror(code))
    }
  }
}
