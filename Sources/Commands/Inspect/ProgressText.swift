import Foundation
import Wire

extension WorkProgress {
  /// How far it is, in a few words.
  var words: String {
    let part = total > 0 ? min(99, done * 100 / total) : 0
    let work =
      switch stage {
      case .loading: "loads \(part) %"
      case .prefill: "reads \(done) of \(total) tokens"
      }
    return secondsLeft.map { "\(work), \(Self.time($0)) left" } ?? work
  }

  /// How far it is, and how fast it goes.
  var sentence: String {
    switch stage {
    case .loading:
      let speed = rate.map { ", \(MemoryText.size(Int($0)))/s" } ?? ""
      return
        "loading the model: \(MemoryText.size(done)) of \(MemoryText.size(total))\(speed)\(left)"
    case .prefill:
      let speed = rate.map { ", \(Int($0)) tokens/s" } ?? ""
      return "reading the prompt: \(done) of \(total) tokens\(speed)\(left)"
    }
  }

  private var left: String { secondsLeft.map { ", \(Self.time($0)) left" } ?? "" }

  static func time(_ seconds: Double) -> String {
    let whole = Int(min(seconds.rounded(.up), 359_999))
    return switch whole {
    case ..<60: "\(whole) s"
    case ..<3600: "\(whole / 60) min \(whole % 60) s"
    default: "\(whole / 3600) h \(whole % 3600 / 60) min"
    }
  }
}
