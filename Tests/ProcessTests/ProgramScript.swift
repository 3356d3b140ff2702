/// The source of a puppet's tool that runs other programs.
enum ProgramScript {
  static let source = #"""
    extension Act {
      /// Starts a process that is to have a group of its own, and does not wait for it.
      fileprivate func part() -> Int32 {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        var pid: pid_t = 0
        let words: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("600"), nil]
        posix_spawn(&pid, "/bin/sleep", nil, &attributes, words, environ)
        return pid
      }

      /// Runs two programs, one after the other, and reads what they print.
      fileprivate func echo() throws -> String {
        var lines: [String] = []
        for word in ["one", "two"] {
          let (process, output) = (Process(), Pipe())
          process.executableURL = URL(filePath: "/bin/echo")
          process.arguments = ["-n", word]
          process.standardOutput = output
          try process.run()
          let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
          process.waitUntilExit()
          lines.append("\(String(decoding: bytes, as: UTF8.self)) \(process.terminationStatus)")
        }
        return lines.joined(separator: ", ")
      }
    }
    """#
}
