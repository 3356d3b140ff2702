import Foundation

/// What a process holds, sampled repeatedly.
struct Growth {
  struct Sample {
    var friends: Int
    var descriptors: Int
    var processes: Int
    /// The memory that it has written to; its file pages are shared with others.
    var bytes: Int
  }

  /// The growth of memory that does not count: the heap fluctuates, and the conversation that asks
  /// keeps what was said in it.
  private static let heap = 4 << 20
  /// The coordinator's descriptors for a worker: its pipes, its log and the watch for its end.
  private static let descriptorsOfWorker = 5

  /// How many spares may stand by at one time and not at another.
  let spares: Int
  var samples: [Sample] = []

  /// The difference between the last tenth and the first.
  var more: Sample {
    let tenth = max(min(3, samples.count), samples.count / 10)
    let (first, last) = (samples.prefix(tenth), samples.suffix(tenth))
    func more(_ what: KeyPath<Sample, Int>) -> Int {
      Self.middle(last.map { $0[keyPath: what] }) - Self.middle(first.map { $0[keyPath: what] })
    }
    return Sample(
      friends: more(\.friends),
      descriptors: more(\.descriptors),
      processes: more(\.processes),
      bytes: more(\.bytes)
    )
  }

  var isGrowing: Bool {
    more.processes > spares || more.descriptors > spares * Self.descriptorsOfWorker
      || more.bytes > Self.heap
  }

  private static func middle(_ values: [Int]) -> Int {
    values.sorted()[values.count / 2]
  }

  init(spares: Int) {
    self.spares = spares
  }

  /// Plants in the measurements what friends would leave behind.
  ///
  /// - Throws: `Broken` when it is not noticed.
  func prove() throws {
    let first = samples.first?.friends ?? 0
    let plants: [(words: String, plant: (inout Sample, Int) -> Void)] = [
      ("A descriptor that one friend of ten leaves", { $0.descriptors += $1 / 10 }),
      ("A process that one friend of ten leaves", { $0.processes += $1 / 10 }),
      ("64 KB that every friend leaves", { $0.bytes += $1 * 65_536 }),
    ]
    for (words, plant) in plants {
      var copy = self
      for index in copy.samples.indices {
        plant(&copy.samples[index], copy.samples[index].friends - first)
      }
      guard copy.isGrowing else {
        throw Broken(description: "\(words) is not noticed.")
      }
    }
  }
}

extension Growth.Sample {
  /// Samples a process and what it has started.
  init(of pid: Int32, friends: Int) throws {
    let folder = "/proc/\(pid)"
    let memory = try String(contentsOfFile: folder + "/smaps_rollup", encoding: .utf8)
    let line = memory.split(separator: "\n").first { $0.hasPrefix("Anonymous:") }
    guard let kilobytes = line?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      throw Broken(description: "The memory of process \(pid) is not told.")
    }
    self.init(
      friends: friends,
      descriptors: try FileManager.default.contentsOfDirectory(atPath: folder + "/fd").count,
      processes: Processes.descendants(of: pid).count,
      bytes: kilobytes * 1024
    )
  }
}
