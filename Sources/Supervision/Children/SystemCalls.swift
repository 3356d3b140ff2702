import PlatformLibraries

// The system's calls, for types that have methods of the same names.

package func systemRead(_ descriptor: Int32, into buffer: inout [UInt8]) -> Int {
  read(descriptor, &buffer, buffer.count)
}

package func systemWrite(_ bytes: [UInt8], to descriptor: Int32) -> Int {
  write(descriptor, bytes, bytes.count)
}

@discardableResult
package func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }

@discardableResult
func systemKill(_ pid: Int32, _ signal: Int32) -> Int32 { kill(pid, signal) }

/// Makes writing to a closed pipe an error rather than the end of this process.
func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

/// Opens a file of the user's alone to add to it.
func systemAppend(to path: String) -> Int32 {
  open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
}
