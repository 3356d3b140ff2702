import Foundation
import Synchronization
import Wire

/// Plays outposts for all launchers that connect, a thread each.
final class PlayedOutposts: Sendable {
  private let listener: Int32
  private let machine: [String: any Sendable]
  private let all = Mutex<[PlayedOutpost]>([])
  let port: UInt16

  /// - Parameter worker: The worker's program, whose own greeting the played ones repeat.
  init(worker: String) throws {
    machine = try Self.greeting(of: worker)
    (listener, port) = try LocalSocket.listen(backlog: 1024)
    Thread.detachNewThread { [self] in accept() }
    Thread.detachNewThread { [self] in
      while true {
        for outpost in all.withLock(\.self) { outpost.beat() }
        Thread.sleep(forTimeInterval: 2)
      }
    }
  }

  var count: Int { all.withLock { $0.count } }
  var workers: Int { all.withLock(\.self).reduce(0) { $0 + $1.workers } }

  /// The command that connects its input and output to one of them.
  var launch: [String] {
    // `cat` twice, because a shell has no other way to join a socket with its own pipes.
    ["/bin/bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/\(port); cat <&3 & exec cat >&3"]
  }

  private func accept() {
    while true {
      let connection = Foundation.accept(listener, nil, nil)
      guard connection >= 0 else { return }
      let outpost = PlayedOutpost(socket: connection, machine: machine)
      all.withLock { $0.append(outpost) }
      let thread = Thread {
        outpost.play()
        self.all.withLock { all in all.removeAll { $0 === outpost } }
      }
      thread.stackSize = 512 * 1024
      thread.start()
    }
  }

  /// Starts a real outpost and returns how it describes its machine.
  private static func greeting(of worker: String) throws -> [String: any Sendable] {
    let process = Process()
    let (input, output) = (Pipe(), Pipe())
    process.executableURL = URL(filePath: worker)
    process.arguments = ["--outpost"]
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    defer {
      try? input.fileHandleForWriting.close()
      process.waitUntilExit()
    }
    var (scanner, frames) = (PreambleScanner(), FrameDecoder())
    var hasBegun = false
    while let bytes = try output.fileHandleForReading.read(upToCount: 1), !bytes.isEmpty {
      if hasBegun {
        frames.append(bytes)
      } else if let rest = try scanner.take(bytes) {
        hasBegun = true
        frames.append(rest.rest)
      }
      guard let frame = try frames.next() else { continue }
      let json = try JSONSerialization.jsonObject(with: Data(frame.payload.dropFirst(6)))
      let greeting = (json as? [String: Any])?["greeting"] as? [String: Any]
      guard let machine = greeting?["_0"] as? [String: any Sendable] else { break }
      return machine
    }
    throw NoGreeting()
  }

  struct NoGreeting: Error {}
}
