import Foundation
import Testing

@testable import Supervision

@Suite struct `The cores of this machine` {
  @Test func `are those of this process's affinity`() {
    let cores = Machine.cores()
    #expect(cores >= 1)
    #expect(cores <= ProcessInfo.processInfo.processorCount)
    #expect(Machine.cores(bound: 6, groups: [], physical: nil) == 6)
  }

  @Test func `are limited by every control group's quota, and at least one`() {
    let groups = [ControlGroup(cores: 3.9), ControlGroup(), ControlGroup(cores: 2.5)]
    #expect(Machine.cores(bound: 8, groups: groups, physical: nil) == 2)
    #expect(Machine.cores(bound: 1, groups: groups, physical: nil) == 1)
    #expect(Machine.cores(bound: 8, groups: [ControlGroup(cores: 0.2)], physical: nil) == 1)
  }

  @Test func `are limited by the physical cores`() throws {
    try withFolder { folder in
      for (name, siblings) in [("cpu0", "0,2"), ("cpu1", "1,3"), ("cpu2", "0,2"), ("cpu3", "1,3")] {
        try write(siblings + "\n", to: "\(folder)/\(name)/topology/thread_siblings_list")
      }
      try write("", to: folder + "/cpufreq/boost")
      #expect(Machine.physicalCores(in: folder) == 2)
      #expect(Machine.cores(bound: 4, groups: [], physical: 2) == 2)
      #expect(Machine.physicalCores(in: folder + "/none") == nil)
    }
  }

  @Test func `are read from all control groups of this process`() throws {
    try withFolder { folder in
      try write("0::/outer/inner\n", to: folder + "/membership")
      try write("max 100000\n", to: folder + "/outer/inner/cpu.max")
      try write("150000 100000\n", to: folder + "/outer/cpu.max")
      let groups = ControlGroup.ofThisProcess(membership: folder + "/membership", root: folder)
      #expect(groups.map(\.cores) == [nil, 1.5, nil])
    }
  }

  @Test func `are read from cgroups of version 1`() throws {
    try withFolder { folder in
      try write("4:memory:/job\n2:cpu,cpuacct:/job\n", to: folder + "/membership")
      try write("400000\n", to: folder + "/cpu/job/cpu.cfs_quota_us")
      try write("100000\n", to: folder + "/cpu/job/cpu.cfs_period_us")
      try write("-1\n", to: folder + "/cpu/cpu.cfs_quota_us")
      let groups = ControlGroup.ofThisProcess(membership: folder + "/membership", root: folder)
      #expect(groups.compactMap(\.cores) == [4])
    }
  }

  @Test func `are not limited by unreadable groups`() throws {
    #expect(ControlGroup.ofThisProcess(membership: "/nonexistent", root: "/nonexistent") == [])
    try withFolder { folder in
      try write("nonsense\n0::/a\n", to: folder + "/membership")
      try write("much of it\n", to: folder + "/a/cpu.max")
      let groups = ControlGroup.ofThisProcess(membership: folder + "/membership", root: folder)
      #expect(groups.compactMap(\.cores) == [])
    }
  }

  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "machine-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
  }

  private func write(_ text: String, to path: String) throws {
    let url = URL(filePath: path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try text.write(to: url, atomically: true, encoding: .utf8)
  }
}
