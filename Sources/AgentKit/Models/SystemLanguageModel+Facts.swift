#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension SystemLanguageModel {
  /// Whether the configured model can be used.
  @frozen public enum Availability: Sendable, Equatable {
    /// It can.
    case available
    /// It cannot.
    case unavailable(UnavailableReason)

    /// Why a model cannot be used.
    @frozen public enum UnavailableReason: Sendable, Equatable {
      /// The device cannot run it; never the case here.
      case deviceNotEligible
      /// The system's models are switched off; never the case here.
      case appleIntelligenceNotEnabled
      /// No model is configured in this process.
      case modelNotReady
    }
  }

  /// Whether a model is configured in this process.
  ///
  /// A worker tells its coordinator why a model cannot be loaded, and runs no agent then: so an
  /// agent sees a model that is ready, or that it runs without one.
  public var availability: Availability {
    isAvailable ? .available : .unavailable(.modelNotReady)
  }

  /// Whether a model is configured in this process.
  public var isAvailable: Bool { Self.model != nil }

  /// How many tokens a context may have: instructions, tools, history and the answer together.
  ///
  /// It is 0 when no model is configured, or the configured one does not run in this process.
  public var contextSize: Int { Self.localModel?.contextSize ?? 0 }

  /// Which model the name stands for.
  public struct Variant: Sendable, Equatable {
    /// The name of the model in its file.
    public let displayName: String

    /// A model of Apple's; never the one that is configured here.
    public static let core3 = Variant(displayName: "core3")
    /// A larger model of Apple's; never the one that is configured here.
    public static let coreAdvanced3 = Variant(displayName: "coreAdvanced3")
  }

  /// Which model the name stands for; without a name when none is configured.
  public var variant: Variant { Variant(displayName: Self.localModel?.displayName ?? "") }

  /// Whether the model knows the language of a locale, by what its file lists.
  ///
  /// Most files list no languages; then nothing is ruled out.
  public func supportsLocale(_ locale: Locale = .current) -> Bool {
    let languages = Self.localModel?.languages ?? []
    let wanted = Self.languageCode(locale.identifier)
    return languages.isEmpty || languages.contains { Self.languageCode($0) == wanted }
  }

  /// The languages that the model knows, by what its file lists; most files list none.
  public var supportedLanguages: Set<Locale.Language> {
    Set((Self.localModel?.languages ?? []).map(Locale.Language.init(tag:)))
  }

  private static func languageCode(_ identifier: String) -> String {
    identifier.prefix { $0 != "_" && $0 != "-" && $0 != "@" }.lowercased()
  }
}

extension Locale.Language {
  /// Reads a BCP 47 code: a language, and perhaps a script of four letters and a region.
  fileprivate init(tag: String) {
    let parts = tag.split { $0 == "-" || $0 == "_" }.map(String.init)
    let others = parts.dropFirst()
    self.init(
      languageCode: parts.first.map { Locale.LanguageCode($0) },
      script: others.first { $0.count == 4 }.map { Locale.Script($0) },
      region: others.first { (2...3).contains($0.count) }.map { Locale.Region($0) }
    )
  }
}
