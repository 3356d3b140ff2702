/// The source of a puppet's tool that takes resources in ways that are hard to see.
enum ExcessScript {
  static let source = #"""
    extension Act {
      /// Keeps files to which nothing leads any more but memory.
      fileprivate func map() {
        for _ in 0..<8 {
          let file = openRoom("mapped", size: 1 << 20)
          mmap(nil, 4096, PROT_READ, MAP_SHARED, file, 0)
          close(file)
        }
        block()
      }

      /// Leaves a file without a name to a program.
      fileprivate func lend() {
        let file = openRoom("lent", size: 8 << 20)
        var pid: pid_t = 0
        let words: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("600"), nil]
        posix_spawn(&pid, "/bin/sleep", nil, nil, words, environ)
        close(file)
        block()
      }

      /// Starts many threads that take little.
      fileprivate func multiply() {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        // Also holds the thread-local variables of llama.cpp, which are many where a CPU has AMX.
        pthread_attr_setstacksize(&attributes, 256 << 10)
        for _ in 0..<600 {
          var thread = pthread_t()
          pthread_create(&thread, &attributes, { _ in pause(); return nil }, nil)
        }
        block()
      }

      /// Opens descriptors until there are no more, and cannot do what it is for.
      fileprivate func leak(fails: Bool) throws -> String {
        var count = 0
        while open("/dev/null", O_RDONLY) >= 0 { count += 1 }
        if fails { throw CocoaError(.fileReadUnknown) }
        return "leaked"
      }

      /// Keeps nearly all of the memory that it may have, so that it lives on.
      fileprivate func crowd() -> String {
        let (size, writable) = (8 << 20, PROT_READ | PROT_WRITE)
        var pieces: [UnsafeMutableRawPointer] = []
        while let piece = mmap(nil, size, writable, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
          piece != MAP_FAILED
        { pieces.append(piece) }
        for piece in pieces.suffix(4) { munmap(piece, size) }
        return "crowded"
      }

      /// Opens a file that has room on the disk, and no name.
      private func openRoom(_ name: String, size: Int) -> Int32 {
        let file = open(name, O_RDWR | O_CREAT, 0o600)
        posix_fallocate(file, 0, size)
        unlink(name)
        return file
      }
    }
    """#
}
