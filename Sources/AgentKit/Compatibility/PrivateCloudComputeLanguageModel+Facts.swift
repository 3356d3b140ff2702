public import PlatformLibraries

extension PrivateCloudComputeLanguageModel {
  /// Whether the model can be used.
  @frozen public enum Availability: Sendable, Equatable {
    /// The model can be used.
    case available
    /// The model cannot be used.
    case unavailable(UnavailableReason)

    /// A reason why a model cannot be used.
    @frozen public enum UnavailableReason: Sendable, Equatable {
      /// The device is not eligible; never the case here.
      case deviceNotEligible
      /// The environment of this process names no server.
      case systemNotReady
    }
  }

  /// Whether the environment of this process names a server; the server is not contacted.
  public var availability: Availability { isAvailable ? .available : .unavailable(.systemNotReady) }

  /// Whether the environment of this process names a server.
  public var isAvailable: Bool { ModelSupply.supplier?.serverOfEnvironment != nil }

  /// The size of the window in tokens; always 0, because a server does not report it.
  public var contextSize: Int {
    get async throws { 0 }
  }

  /// The languages that the model supports; always empty, because a server does not report them.
  public var supportedLanguages: Set<Locale.Language> {
    get async throws { [] }
  }

  /// Returns whether the model supports the language of a locale; nothing is ruled out.
  public func supportsLocale(_ locale: Locale = .current) async throws -> Bool { true }

  /// The usage of the quota; a server with a limit reports it when the limit is reached.
  public var quotaUsage: QuotaUsage {
    QuotaUsage(status: .belowLimit(.init(isApproachingLimit: false)))
  }

  /// The usage of a quota.
  public struct QuotaUsage: Sendable, Equatable {
    /// The position relative to the limit.
    public enum Status: Sendable, Equatable {
      /// The limit has not been reached.
      case belowLimit(BelowLimit)
      /// The limit has been reached.
      case limitReached(LimitReached)

      /// The details of a limit that has not been reached.
      public struct BelowLimit: Sendable, Equatable {
        /// Whether the limit is near.
        public var isApproachingLimit: Bool
      }

      /// The details of a limit that has been reached.
      public struct LimitReached: Sendable, Equatable {}
    }

    /// The position relative to the limit.
    public let status: Status
    /// When the quota is reset; always `nil`, because no quota is counted.
    public var resetDate: Date? { nil }
    /// Whether the limit has been reached.
    public var isLimitReached: Bool { if case .limitReached = status { true } else { false } }
    /// A way to raise the limit; always `nil`, because servers here offer no page for that.
    public var limitIncreaseSuggestion: LimitIncreaseSuggestion? { nil }

    /// A way to raise the limit, as offered on Apple's platforms; here there never is one.
    public struct LimitIncreaseSuggestion: Sendable, Equatable {
      private init() {}

      /// Shows the suggestion to the person.
      public func show() {}
    }
  }
}
