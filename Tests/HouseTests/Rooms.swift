/// The rooms of the design and what each may import.
enum Rooms {
  /// Modules of the toolchain, which are neither rooms nor dependencies.
  static let common: Set<String> = [
    "Darwin", "Dispatch", "Foundation", "FoundationEssentials", "Glibc", "Observation",
    "RegexBuilder", "Synchronization",
  ]

  static let arrows: [String: Set<String>] = [
    "PlatformLibraries": [],
    "Transcripts": ["PlatformLibraries"],
    "AgentKit": ["PlatformLibraries", "Transcripts"],
    "FoundationModels": ["AgentKit"],
    "FoundationModelsUtilities": ["AgentKit"],
    "AgentKitMacros": [
      "SwiftCompilerPlugin", "SwiftCompilerPluginMessageHandling", "SwiftDiagnostics",
      "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros",
    ],
    "Wire": ["PlatformLibraries", "Transcripts"],
    "Llama": ["AgentKit", "CLlama", "Libllama", "PlatformLibraries"],
    "Curl": ["CCurl"],
    "Remote": ["AgentKit", "Curl", "PlatformLibraries"],
    "Working": ["AgentKit", "CSystemCalls", "Llama", "PlatformLibraries", "Remote", "Wire"],
    "Supervision": ["CSystemCalls", "PlatformLibraries", "Wire"],
    "Outposts": ["CSystemCalls", "PlatformLibraries", "Supervision", "Transcripts", "Wire"],
    "Journal": ["GRDB", "Transcripts"],
    "Coordination": ["Journal", "Transcripts", "Wire"],
    "Plugins": ["CSystemCalls", "PlatformLibraries", "Transcripts"],
    "MCP": ["PlatformLibraries", "Transcripts"],
    "Telemetry": ["Curl", "Journal", "Transcripts"],
    "Coordinator": [
      "CSystemCalls", "Coordination", "Curl", "Journal", "Logging", "MCP", "Outposts",
      "PlatformLibraries", "Plugins", "Supervision", "Telemetry", "Transcripts", "Wire",
    ],
    "Doors": [
      "Coordination", "Coordinator", "HTTPTypes", "Hummingbird", "HummingbirdCore", "Journal",
      "Logging", "MCP", "NIOCore", "NIOHTTP1", "NIOHTTPTypes",
      "NIOHTTPTypesHTTP1", "NIOPosix", "Terminal", "Transcripts", "Wire",
    ],
    "Terminal": ["CSystemCalls"],
    "Commands": [
      "ArgumentParser", "CSystemCalls", "Coordination", "Coordinator", "Doors", "Journal",
      "Logging", "MCP", "Outposts",
      "Plugins", "Supervision", "Telemetry", "Terminal", "Transcripts", "Wire",
    ],
    "orchestrator": ["Commands"],
    "orchestrator-worker": ["Outposts", "Working"],
  ]

  /// The rooms that agents import, and what these are built on.
  static let ofAgents: Set<String> = [
    "AgentKit", "FoundationModels", "FoundationModelsUtilities", "PlatformLibraries", "Transcripts",
  ]

  /// The rooms whose code runs in the coordinator.
  static let ofCoordinator: Set<String> = [
    "Commands", "Coordination", "Coordinator", "Curl", "Doors", "Journal", "MCP", "Outposts",
    "Plugins", "Supervision", "Telemetry", "Terminal", "orchestrator",
  ]

  /// Files outside Llama that need to handle memory by hand.
  static let handlingMemory: Set<String> = [
    // These pass a plugin's type across a library boundary.
    "Sources/AgentKit/Agents/Agent.swift", "Sources/Working/Process/Plugin.swift",
    // These pass arguments to POSIX calls, or take them as they were given.
    "Sources/Commands/Entrypoint.swift", "Sources/Coordinator/Notify.swift",
    "Sources/Doors/Server/ListenAddress.swift", "Sources/Terminal/Terminal.swift",
    "Sources/Plugins/Subprogram.swift", "Sources/Supervision/Children/Child.swift",
    "Sources/Supervision/Children/ChildEventLoop.swift",
    "Sources/Supervision/Children/ChildInput.swift",
    "Sources/Outposts/Far/Replacement.swift", "Sources/PlatformLibraries/Writing.swift",
    "Sources/Working/Process/DetachedThread.swift", "Sources/Working/Process/JoinedThread.swift",
    "Sources/Working/Models/OwnModels.swift", "Sources/Working/Process/ServerProcess.swift",
  ]
}
