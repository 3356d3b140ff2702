import Foundation

/// What a process holds, looked at again and again.
struct Growth {
  struct Sample {
    var friends: Int
    var descriptors: Int
    var processes: Int
    /// The memory that it has written to; what it has of files is shared with whoever has them too.
    var bytes: Int
  }

  /// What is no growth: the heap breathes, and the conversation that asks keeps what was said in it.
  static let tolerance = 4 << 20

  var samples: [Sample] = []

  /// What there is more in the last tenth than in the first.
  var more: Sample {
    let tenth = max(1, samples.count / 10)
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
    more.descriptors > 0 || more.processes > 0 || more.bytes > Self.tolerance
  }

  private static func middle(_ values: [Int]) -> Int {
    values.sorted()[values.count / 2]
  }

  /// Plants in what was measured what would be left of friends.
  /// - Throws: `Broken` when it is not noticed.
  func prove() throws {
    let first = samples.first?.friends ?? 0
    let plants: [(name: String, plant: (inout Sample, Int) -> Void)] = [
      ("descriptor", { $0.descriptors += $1 }), ("process", { $0.processes += $1 }),
      ("64 KB", { $0.bytes += $1 * 65_536 }),
    ]
    for (name, plant) in plants {
      var copy = self
      for index in copy.samples.indices {
        plant(&copy.samples[index], copy.samples[index].friends - first)
      }
      guard copy.isGrowing else {
        throw Broken(description: "A \(name) that every friend leaves is not noticed.")
      }
    }
  }
}

extension Growth.Sample {
  /// Looks at a process, and at what it has started.
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
