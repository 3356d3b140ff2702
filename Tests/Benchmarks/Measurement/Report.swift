import Foundation

/// The findings of one benchmark, as kept on disk.
struct Finding: Codable, Sendable {
  /// A table whose figures are not ratios.
  struct Table: Codable, Sendable {
    let title: String
    let head: [String]
    var lines: [[Double]]
  }

  let benchmark: String
  let machine: String
  let rows: [Row]
  var table: Table?
}

/// The folder of findings, and the tables made from them.
struct Report {
  let folder: URL

  /// Keeps a finding and rewrites the tables.
  func keep(_ finding: Finding) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let data = try encoder.encode(finding) + Data("\n".utf8)
    try data.write(to: folder.appending(path: "\(finding.benchmark).json"))
    try markdown().write(
      to: folder.appending(path: "table.md"),
      atomically: true,
      encoding: .utf8
    )
  }

  /// Returns the existing findings, in the order of the benchmarks.
  func findings() throws -> [Finding] {
    try Catalog.benchmarks.compactMap { benchmark in
      let file = folder.appending(path: "\(benchmark.name).json")
      guard let data = try? Data(contentsOf: file) else { return nil }
      return try JSONDecoder().decode(Finding.self, from: data)
    }
  }

  private func markdown() throws -> String {
    let findings = try findings()
    var lines = Self.table(Row.head, findings.flatMap(\.rows).map(\.cells))
    for case let table? in findings.map(\.table) {
      lines += ["", table.title, ""]
      lines += Self.table(table.head, table.lines.map { $0.map(Sample.short) })
    }
    lines += [
      "",
      "A ratio is the median of those of the pairs that were measured in turns, and need not be that of"
        + " the two medians beside it.",
    ]
    for machine in Set(findings.map(\.machine)).sorted() {
      lines += ["", "Measured on \(machine)."]
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func table(_ head: [String], _ lines: [[String]]) -> [String] {
    ([head, head.map { _ in "---" }] + lines).map { "| \($0.joined(separator: " | ")) |" }
  }

  /// The machine that the figures were measured on.
  static var machine: String {
    let processor = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?
      .split(separator: "\n").first { $0.hasPrefix("model name") }?
      .split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
    let information = ProcessInfo.processInfo
    let memory = information.physicalMemory >> 30
    return "\(information.activeProcessorCount) cores of \(processor ?? "an unknown processor"),"
      + " \(memory) GiB"
  }
}
