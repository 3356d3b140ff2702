#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension PrivateCloudComputeLanguageModel {
  /// Whether the model can be asked.
  @frozen public enum Availability: Sendable, Equatable {
    /// It can.
    case available
    /// It cannot.
    case unavailable(UnavailableReason)

    /// Why a model cannot be asked.
    @frozen public enum UnavailableReason: Sendable, Equatable {
      /// The device may not ask it; never the case here.
      case deviceNotEligible
      /// No server is named in the environment of this process.
      case systemNotReady
    }
  }

  /// Whether a server is named in the environment of this process; whether it answers is not tried.
  public var availability: Availability { isAvailable ? .available : .unavailable(.systemNotReady) }

  /// Whether a server is named in the environment of this process.
  public var isAvailable: Bool { ModelSupply.supplier?.serverOfEnvironment != nil }

  /// How many tokens a context may have; 0, because a server does not say.
  public var contextSize: Int {
    get async throws { 0 }
  }

  /// The languages that the model knows; none, because a server does not say.
  public var supportedLanguages: Set<Locale.Language> {
    get async throws { [] }
  }

  /// Whether the model knows the language of a locale; nothing is ruled out.
  public func supportsLocale(_ locale: Locale = .current) async throws -> Bool { true }

  /// How much may be asked still; a server that sets a limit says so when it is reached.
  public var quotaUsage: QuotaUsage { QuotaUsage(status: .belowLimit(isApproachingLimit: false)) }

  /// How much of what may be asked has been asked.
  public struct QuotaUsage: Sendable, Equatable {
    /// Where the limit is.
    public enum Status: Sendable, Equatable {
      /// More may be asked.
      case belowLimit(isApproachingLimit: Bool)
      /// No more may be asked.
      case limitReached
    }

    /// Where the limit is.
    public let status: Status
    /// When the counting begins anew; `nil`, because nobody counts.
    public var resetDate: Date? { nil }
    /// Whether no more may be asked.
    public var isLimitReached: Bool { status == .limitReached }
    /// How a person may raise the limit; `nil`, because a server here has no page for that.
    public var limitIncreaseSuggestion: LimitIncreaseSuggestion? { nil }
  }

  /// A way to raise the limit, which Apple's platforms offer; here there never is one.
  public struct LimitIncreaseSuggestion: Sendable, Equatable {
    private init() {}

    /// Shows it to the person.
    public func show() {}
  }
}
