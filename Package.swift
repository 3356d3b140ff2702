// swift-tools-version: 6.2

import CompilerPluginSupport
import PackageDescription

#if canImport(Glibc)
  import Glibc
#endif

// One section a room; a room may import the rooms that it depends on here, and no others.

// For every target of Swift; see the end of the list.
let house: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]

// Names under which code written for Apple's platforms finds AgentKit. Those platforms have their
// own modules of these names.
#if os(Linux)
  let compatibility = ["FoundationModels", "FoundationModelsUtilities"]
#else
  let compatibility: [String] = []
#endif

let macroSyntax = swiftSyntax()
let workerFolder = "\(Context.packageDirectory)/Sources/orchestrator-worker"

let package = Package(
  name: "orchestrator",
  platforms: [.macOS(.v15)],
  // For packages that test agents, or share code with Apple's platforms.
  products: [.library(name: "AgentKit", targets: ["AgentKit"] + compatibility)],
  dependencies: macroSyntax.packages + [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    // Before a version 1.0, the next minor one may break what this one promises.
    .package(url: "https://github.com/swhitty/FlyingFox", .upToNextMinor(from: "0.27.1")),
  ],
  targets: [
    // PlatformLibraries: the C library and Foundation, whatever they are called here, and what
    // several rooms ask of the system.
    .target(name: "PlatformLibraries"),

    // Transcripts: the values that all processes share.
    .target(
      name: "Transcripts",
      dependencies: ["PlatformLibraries"],
      // Its coder goes through every byte that crosses a pipe: without optimization, megabytes of an
      // image take seconds.
      swiftSettings: [.unsafeFlags(["-O"], .when(configuration: .debug))]
    ),
    .testTarget(name: "TranscriptsTests", dependencies: ["AgentKit", "Transcripts"]),

    // AgentKit: what agents are written in.
    .macro(
      name: "AgentKitMacros",
      dependencies: macroSyntax.products,
      swiftSettings: macroSyntax.swiftSettings,
      linkerSettings: macroSyntax.linkerSettings
    ),
    .target(
      name: "AgentKit",
      dependencies: ["AgentKitMacros", "PlatformLibraries", "Transcripts"]
    ),
    .testTarget(name: "AgentKitTests", dependencies: ["AgentKit", "Transcripts"]),
    .testTarget(
      name: "AgentKitMacrosTests",
      dependencies: ["AgentKit", "TestSupport"] + compatibility.map { .target(name: $0) }
    ),

    // Wire: the words that cross a pipe.
    .target(name: "Wire", dependencies: ["PlatformLibraries", "Transcripts"]),
    .testTarget(name: "WireTests", dependencies: ["AgentKit", "TestSupport", "Wire"]),

    // Llama: libllama behind the language model protocol.
    .systemLibrary(name: "Libllama", pkgConfig: "orchestrator-llama"),
    .target(
      name: "CLlama",
      dependencies: ["Libllama"],
      cxxSettings: [.treatAllWarnings(as: .error)]
    ),
    .target(
      name: "Llama",
      dependencies: ["AgentKit", "CLlama", "Libllama", "PlatformLibraries"]
    ),
    .testTarget(
      name: "LlamaTests",
      dependencies: ["AgentKit", "Libllama", "Llama", "TestSupport"],
      exclude: ["Families"]
    ),

    // Curl: HTTP as a client.
    .target(name: "CCurl"),
    .target(name: "Curl", dependencies: ["CCurl"]),
    .testTarget(name: "CurlTests", dependencies: ["Curl"]),

    // Remote: a chat-completions server behind the language model protocol.
    .target(name: "Remote", dependencies: ["AgentKit", "Curl", "PlatformLibraries"]),
    .testTarget(
      name: "RemoteTests",
      dependencies: [
        "AgentKit", "Remote", "TestSupport",
        .product(name: "FlyingSocks", package: "FlyingFox"),
      ]
    ),

    // Journal: the append-only record.
    .target(
      name: "Journal",
      dependencies: ["Transcripts", .product(name: "GRDB", package: "GRDB.swift")]
    ),
    .testTarget(
      name: "JournalTests",
      dependencies: [
        "AgentKit", "Journal", "TestSupport", .product(name: "GRDB", package: "GRDB.swift"),
      ]
    ),

    // Coordination: conversations, the baton, friends, budgets.
    .target(name: "Coordination", dependencies: ["Journal", "Transcripts", "Wire"]),
    .testTarget(
      name: "CoordinationTests",
      dependencies: [
        "AgentKit", "Coordination", "Journal", "Supervision", "TestSupport", "Wire",
        .product(name: "GRDB", package: "GRDB.swift"),
      ]
    ),

    // CSystemCalls: the few system calls that Swift cannot make by itself.
    .target(name: "CSystemCalls"),

    // Supervision: the roster of workers.
    .target(
      name: "Supervision",
      dependencies: ["CSystemCalls", "PlatformLibraries", "Wire"]
    ),
    .testTarget(
      name: "SupervisionTests",
      dependencies: ["AgentKit", "CSystemCalls", "Supervision", "TestSupport", "Wire"]
    ),

    // Outposts: workers on other machines, behind one channel a machine.
    .target(
      name: "Outposts",
      dependencies: ["CSystemCalls", "PlatformLibraries", "Supervision", "Transcripts", "Wire"]
    ),
    .testTarget(
      name: "OutpostsTests",
      dependencies: ["CSystemCalls", "Outposts", "Supervision", "TestSupport", "Wire"]
    ),

    // Working: the worker's life.
    .target(
      name: "Working",
      dependencies: ["AgentKit", "CSystemCalls", "Llama", "PlatformLibraries", "Remote", "Wire"]
    ),
    .testTarget(
      name: "WorkingTests",
      dependencies: ["AgentKit", "CSystemCalls", "Wire", "Working"]
    ),
    .executableTarget(
      name: "orchestrator-worker",
      dependencies: ["Outposts", "Working"],
      exclude: ["exports.list", "initializers.ld"],
      linkerSettings: [
        // Plugins find AgentKit in the executable that loads them, and know the build by its id.
        // Everything else stays hidden, so that a library that a plugin brings is not bound to ours
        // of the same names. Only the toolchain's own linker takes such a list without complaint.
        .unsafeFlags(
          [
            "-use-ld=lld", "-Xlinker", "--build-id=sha1",
            "-Xlinker", "--dynamic-list=\(workerFolder)/exports.list",
            "-Xlinker", "--script=\(workerFolder)/initializers.ld",
          ],
          .when(platforms: [.linux])
        )
      ]
    ),

    // Plugins: agents, compiled. They import AgentKit or the modules of the same interface on Apple's
    // platforms, which are built beside this room rather than linked into it.
    .target(
      name: "Plugins",
      dependencies: ["CSystemCalls", "PlatformLibraries", "Transcripts"]
    ),
    .testTarget(
      name: "PluginsTests",
      dependencies: ["AgentKit", "Plugins", "TestSupport", "orchestrator-worker"]
        + compatibility.map { .target(name: $0) }
    ),

    // MCP: the Model Context Protocol, as client and as server.
    .target(name: "MCP", dependencies: ["PlatformLibraries", "Transcripts"]),
    .testTarget(name: "MCPTests", dependencies: ["MCP", "Transcripts"]),

    // Telemetry: facts as spans and metrics.
    .target(name: "Telemetry", dependencies: ["Curl", "Journal", "Transcripts"]),
    .testTarget(
      name: "TelemetryTests",
      dependencies: [
        "AgentKit", "Curl", "Journal", "Telemetry", "TestSupport",
        .product(name: "FlyingSocks", package: "FlyingFox"),
      ],
      exclude: ["Counterpart"]
    ),

    // Coordinator: the daemon, and the service that it offers.
    .target(
      name: "Coordinator",
      dependencies: [
        "CSystemCalls", "Coordination", "Curl", "Journal", "MCP", "Outposts", "PlatformLibraries",
        "Plugins", "Supervision", "Telemetry", "Transcripts", "Wire",
        .product(name: "Logging", package: "swift-log"),
      ]
    ),
    .testTarget(
      name: "CoordinatorTests",
      dependencies: [
        "AgentKit", "Coordination", "Coordinator", "Journal", "MCP", "Outposts", "TestSupport",
        "Transcripts", "Wire",
        .product(name: "Logging", package: "swift-log"),
      ]
    ),

    // Doors: HTTP, as a server of the service and as a client of it.
    .target(
      name: "Doors",
      dependencies: [
        "Coordination", "Coordinator", "Journal", "MCP", "Terminal", "Transcripts", "Wire",
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      // The inspector page, compiled into the binary: there is no file to find at run time.
      resources: [
        "index.html", "page.css", "main.js", "service.js", "model.js", "text.js", "list.js",
        "conversation.js", "approvals.js", "waterfall.js", "processes.js", "details.js",
      ].map { .embedInCode("Page/\($0)") }
    ),
    .testTarget(
      name: "DoorsTests",
      dependencies: [
        "Coordination", "Coordinator", "Doors", "Journal", "MCP", "TestSupport", "Transcripts",
        "Wire",
        .product(name: "FlyingSocks", package: "FlyingFox"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdTesting", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
      ]
    ),

    // Terminal: what a terminal needs and no command owns.
    .target(name: "Terminal", dependencies: ["CSystemCalls"]),
    .testTarget(name: "TerminalTests", dependencies: ["AgentKit", "Terminal"]),

    // Commands: argument parsing and printing, one file a verb.
    .target(
      name: "Commands",
      dependencies: [
        "CSystemCalls", "Coordination", "Coordinator", "Doors", "Journal", "MCP", "Outposts",
        "Plugins", "Supervision", "Telemetry", "Terminal", "Transcripts", "Wire",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ]
    ),
    .testTarget(
      name: "CommandsTests",
      dependencies: [
        "AgentKit", "Commands", "Coordination", "Coordinator", "Journal", "Terminal",
        "TestSupport", "Wire",
      ]
    ),
    .executableTarget(name: "orchestrator", dependencies: ["Commands"]),

    // TestSupport: what tests of several rooms share: made files, and observation of processes.
    .target(
      name: "TestSupport",
      dependencies: ["CSystemCalls", .product(name: "FlyingSocks", package: "FlyingFox")],
      path: "Tests/TestSupport",
      exclude: ["Browser", "Counterparts"]
    ),

    // The whole: real processes, and the binaries as people run them.
    .testTarget(
      name: "ProcessTests",
      dependencies: [
        "AgentKit", "Coordination", "Coordinator", "Journal", "MCP", "Outposts",
        "Plugins", "Supervision",
        "TestSupport", "Wire",
        "orchestrator-worker",
        .product(name: "Logging", package: "swift-log"),
      ]
    ),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "MCP", "Supervision", "TestSupport", "Transcripts", "orchestrator", "orchestrator-worker",
        "proofs",
        .product(name: "FlyingFox", package: "FlyingFox"),
        .product(name: "FlyingSocks", package: "FlyingFox"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ]
    ),
    .testTarget(
      name: "HouseTests",
      dependencies: ["TestSupport", "orchestrator", "orchestrator-worker"]
    ),
    .executableTarget(
      name: "benchmarks",
      dependencies: [
        "AgentKit", "Coordination", "Journal", "Llama", "Outposts", "Plugins", "Supervision",
        "TestSupport", "Transcripts", "Wire", "orchestrator",
        "orchestrator-worker",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tests/Benchmarks",
      exclude: ["Results", "Tools"]
    ),
    .executableTarget(
      name: "proofs",
      dependencies: [
        "AgentKit", "Coordination", "Coordinator", "Doors", "Journal", "Supervision", "TestSupport",
        "Wire",
        "orchestrator", "orchestrator-worker",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "FlyingSocks", package: "FlyingFox"),
      ],
      path: "Tests/Proofs"
    ),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)

for name in compatibility {
  // What `canImport(FoundationModels, _version: 2)` asks for: the version of FoundationModels 27.1.
  let version: SwiftSetting = .unsafeFlags(["-user-module-version", "2.0.68"])
  package.targets.append(
    .target(name: name, dependencies: ["AgentKit"], swiftSettings: [version])
  )
}

// The rules of the house hold for all targets but those without Swift.
let ofC: Set = ["CCurl", "CLlama", "CSystemCalls", "Libllama"]
for target in package.targets where !ofC.contains(target.name) {
  target.swiftSettings = house + (target.swiftSettings ?? [])
}

// MARK: swift-syntax

struct SwiftSyntax {
  var packages: [Package.Dependency] = []
  var products: [Target.Dependency] = []
  var swiftSettings: [SwiftSetting] = []
  var linkerSettings: [LinkerSetting] = []
}

/// The swift-syntax that the macros are built on.
///
/// A Linux toolchain ships the one that its own macros use, which builds in seconds; the package of
/// the same version, for every other toolchain, takes more than a minute.
func swiftSyntax() -> SwiftSyntax {
  guard Context.environment["ORCHESTRATOR_SWIFT_SYNTAX"] != "package", let folder = hostFolder()
  else {
    return SwiftSyntax(
      packages: [.package(url: "https://github.com/swiftlang/swift-syntax", exact: "603.0.1")],
      products: [
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
        .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
      ]
    )
  }
  let modules = [
    "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros", "SwiftDiagnostics",
    "SwiftCompilerPluginMessageHandling",
  ]
  return SwiftSyntax(
    swiftSettings: [.define("TOOLCHAIN_SWIFT_SYNTAX"), .unsafeFlags(["-I", folder])],
    linkerSettings: modules.map { .linkedLibrary($0) } + [
      .unsafeFlags(["-L", folder, "-Xlinker", "-rpath", "-Xlinker", folder])
    ]
  )
}

/// The toolchain's folder of compiler modules, when this toolchain has one with swift-syntax in it.
func hostFolder() -> String? {
  #if canImport(Glibc)
    // This manifest runs with the toolchain's libPackageDescription loaded, so the process's own
    // map says where the toolchain is. Read by lines: the file has no size to read it whole by.
    guard let maps = fopen("/proc/self/maps", "r") else { return nil }
    defer { fclose(maps) }
    var line = [CChar](repeating: 0, count: 4096)
    while fgets(&line, Int32(line.count), maps) != nil {
      let text = String(
        decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)),
        as: UTF8.self
      )
      let library = "/pm/ManifestAPI/libPackageDescription.so\n"
      guard text.hasSuffix(library), let start = text.firstIndex(of: "/") else { continue }
      let folder = text[start...].dropLast(library.count) + "/host"
      return access("\(folder)/SwiftSyntax.swiftmodule", R_OK) == 0 ? String(folder) : nil
    }
  #endif
  return nil
}
