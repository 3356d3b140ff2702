/// Decides whether weights are repacked for this CPU.
///
/// The row `repacking` of the benchmarks shows the effect: prompts are computed faster, by two
/// fifths when first measured, but repacked weights are a process's own memory, while those of a
/// mapped file are shared by all.
///
/// The decision depends only on the machine and the file, never on how a worker was started:
/// repacked weights round differently, and a forked, a restored and a cold worker must give the
/// same answer.
enum Repacking {
  /// Whether workers are forked from one process that has the weights.
  ///
  /// If so, all share one copy, and many workers cost as much as one; workers started from scratch
  /// would each have their own.
  static let isShared: Bool = {
    #if os(Linux)
      true
    #else
      false
    #endif
  }()

  /// - Parameters:
  ///   - fileSize: The bytes of the model, and roughly those of the copy.
  ///   - memory: The bytes of memory for all workers. A copy cannot be given back as the pages of a
  ///     file can, so it must leave room for windows and for other processes.
  static func isWorthItsMemory(
    fileSize: Int64,
    memory: Int64,
    isShared: Bool = isShared
  ) -> Bool {
    isShared && fileSize <= memory / 2
  }
}
