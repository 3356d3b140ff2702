/// Whether weights are repacked for this CPU.
///
/// The row `repacking` of the benchmarks shows what that is: prompts are computed faster, by two fifths
/// where it was measured first, and the repacked weights are memory of a process's own, where those of
/// a mapped file are everybody's.
///
/// The decision hangs on the machine and the file alone, and never on how one worker came to be:
/// repacked weights round otherwise, and a forked, a restored and a cold worker have to say the same.
enum Repacking {
  /// Whether workers are forked from one process that has the weights.
  ///
  /// Then all have one copy, and many workers cost what one does; where each is started from nothing,
  /// each would have its own.
  static let isShared: Bool = {
    #if os(Linux)
      true
    #else
      false
    #endif
  }()

  /// - Parameters:
  ///   - fileSize: The bytes of the model, and about those of the copy.
  ///   - memory: The bytes of memory that there are for all workers. A copy cannot be given back as
  ///     the pages of a file can, so it must leave room for windows and for everybody else.
  static func isWorthItsMemory(
    fileSize: Int64,
    memory: Int64,
    isShared: Bool = isShared
  ) -> Bool {
    isShared && fileSize <= memory / 2
  }
}
