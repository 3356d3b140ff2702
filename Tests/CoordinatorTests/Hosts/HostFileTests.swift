import Foundation
import Outposts
import Testing

@testable import Coordinator

@Suite struct `The file of hosts` {
  private func hosts(_ entry: String) throws -> [HostDefinition] {
    try HostFile(path: "/x/hosts.json", content: #"{"hosts": [\#(entry)]}"#).hosts
  }

  private func problem(_ content: String) -> String? {
    do {
      _ = try HostFile(path: "/x/hosts.json", content: content)
      return nil
    } catch {
      return error.description
    }
  }

  @Test func `names hosts with all that is known of them`() throws {
    #expect(
      try hosts(
        """
        {"name": "gpu1", "launch": ["ssh", "gpu1", "x"], "models": {"/models": "/srv/models"},
         "copiesModels": true, "copiesWorker": false, "cleanup": ["true"], "maximumWorkers": 4,
         "memory": "8 GB", "waitLimit": 5, "idleLimit": 600, "connectBack": "10.0.0.5",
         "connectBackPorts": "41000-41099"}, {"name": "b", "launch": ["b"]}
        """
      ) == [
        HostDefinition(
          name: "gpu1",
          launch: ["ssh", "gpu1", "x"],
          models: ["/models": "/srv/models"],
          copiesModels: true,
          copiesWorker: false,
          cleanup: ["true"],
          limits: HostLimits(workers: 4, memory: 8_000_000_000, wait: 5, idle: 600),
          connectBack: ConnectBackPlace(address: "10.0.0.5", ports: 41000...41099)
        ), HostDefinition(name: "b", launch: ["b"]),
      ]
    )
  }

  @Test func `stands for several hosts where it says how many`() throws {
    let group = try #require(hosts(#"{"name": "n", "launch": ["x"], "count": 3}"#).first)
    #expect(group.members.map(\.name) == ["n-1", "n-2", "n-3"])
    #expect(group.members.allSatisfy { $0.count == nil && $0.launch == ["x"] })
  }

  @Test func `has what launches a host of a group name its allocation and its place in that`()
    throws
  {
    let group = try #require(
      hosts(
        """
        {"name": "n", "count": 2, "allocation": ["salloc", "x"],
         "launch": ["srun", "--jobid={allocation}", "-r{index}"]}
        """
      ).first
    )
    #expect(group.members.map(\.launch.last) == ["-r0", "-r1"])
    #expect(group.members.allSatisfy { $0.group == "n" && $0.allocation == ["salloc", "x"] })
  }

  @Test(arguments: [
    ("{", "JSON"), ("[1", "JSON"), ("[]", "hosts"), (#"{"hosts": {}}"#, "hosts"),
    (#"{"hosts": [1]}"#, "Entry 1"), (#"{"hosts": [{"launch": ["x"]}]}"#, "Entry 1"),
    (#"{"hosts": [{"name": "a b", "launch": ["x"]}]}"#, "'a b'"),
    (#"{"hosts": [{"name": "local", "launch": ["x"]}]}"#, "'local'"),
    (#"{"hosts": [{"name": "a"}]}"#, "'launch'"),
    (#"{"hosts": [{"name": "a", "launch": []}]}"#, "'launch'"),
    (#"{"hosts": [{"name": "a", "launch": "ssh"}]}"#, "'launch'"),
    (#"{"hosts": [{"name": "a", "launch": ["x"], "memory": "much"}]}"#, "'memory'"),
    (#"{"hosts": [{"name": "a", "launch": ["x"], "count": 0}]}"#, "'count'"),
    (#"{"hosts": [{"name": "a", "launch": ["x"], "count": true}]}"#, "'count'"),
    (#"{"hosts": [{"name": "a", "launch": ["x"], "copiesModels": 1}]}"#, "'copiesModels'"),
    (#"{"hosts": [{"name": "a", "launch": ["x"], "models": {"m": "/m"}}]}"#, "'models'"),
    (#"{"hosts": [{"name": "a", "launch": ["x"], "connectBack": true}]}"#, "'connectBack'"),
    (#"{"hosts": [{"name": "a", "launch": ["x"], "connectBack": "0.0.0.0"}]}"#, "'connectBack'"),
    (#"{"hosts": [{"name": "a", "launch": ["x"], "connectBack": "login1"}]}"#, "'connectBack'"),
    (
      #"{"hosts": [{"name": "a", "launch": ["x"], "connectBackPorts": "1-2"}]}"#,
      "'connectBackPorts'"
    ),
    (
      #"{"hosts": [{"name": "a", "launch": ["x"], "connectBack": "::1", "connectBackPorts": "2-1"}]}"#,
      "'connectBackPorts'"
    ),
    (
      #"{"hosts": [{"name": "a", "launch": ["x"], "connectBack": "::1", "connectBackPorts": "0-9"}]}"#,
      "'connectBackPorts'"
    ),
    (#"{"hosts": [{"name": "a", "launch": ["x {allocation}"]}]}"#, "{allocation}"),
    (#"{"hosts": [{"name": "a", "launch": ["x"], "count": 2, "allocation": ["y"]}]}"#, "launch"),
    (
      #"{"hosts": [{"name": "a", "launch": ["{allocation}"], "allocation": ["y"]}]}"#, "'count'"
    ),
    (#"{"hosts": [{"name": "a", "launch": ["x"], "lanch": 1}]}"#, "'lanch'"),
    (#"{"hosts": [{"name": "a", "launch": ["x"]}, {"name": "a", "launch": ["y"]}]}"#, "'a'"),
    (
      #"{"hosts": [{"name": "a-1", "launch": ["x"]}, {"name": "a", "launch": ["y"], "count": 2}]}"#,
      "'a-1'"
    ),
  ])
  func `is refused with the file and the key that is wrong`(content: String, part: String) throws {
    let problem = try #require(self.problem(content))
    #expect(problem.hasPrefix("/x/hosts.json"))
    #expect(problem.contains(part))
  }

  @Test func `is used only as a person has approved it`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.path + "/hosts.json"
    var approvals = HostApprovals()
    let file = try HostFile(path: path, content: #"{"hosts": []}"#)
    #expect(!approvals.covers(file))
    approvals.approve(file)
    try approvals.write(to: folder.path + "/approvals.json")
    let read = HostApprovals(path: folder.path + "/approvals.json")
    #expect(read.covers(file))
    #expect(!read.covers(try HostFile(path: path, content: #"{"hosts": [ ]}"#)))
  }

  @Test func `gives way to hosts of the same name that a person names`() throws {
    let file = try HostFile(
      path: "",
      content: #"{"hosts": [{"name": "a", "launch": ["x"]}, {"name": "b", "launch": ["y"]}]}"#
    )
    let settings = try HostSettings(options: ["a=ssh 'a b' run", "c=z"], waitLimit: 7)
    let hosts = settings.hosts(with: file)
    #expect(hosts.map(\.name) == ["a", "c", "b"])
    #expect(hosts[0].launch == ["/bin/sh", "-c", "exec ssh 'a b' run"])
    #expect(hosts.allSatisfy { $0.limits.wait == 7 })
    for option in ["a", "a=", "=x", "any=x", "a= "] {
      #expect(throws: HostFileError.self) { try HostSettings(options: [option], waitLimit: nil) }
    }
  }
}
