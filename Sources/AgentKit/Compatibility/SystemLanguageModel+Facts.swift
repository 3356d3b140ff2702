public import PlatformLibraries

extension SystemLanguageModel {
  /// Whether the configured model can be used.
  @frozen public enum Availability: Sendable, Equatable {
    /// The model can be used.
    case available
    /// The model cannot be used.
    case unavailable(UnavailableReason)

    /// A reason why a model cannot be used.
    @frozen public enum UnavailableReason: Sendable, Equatable {
      /// The device cannot run the model; never the case here.
      case deviceNotEligible
      /// The system's models are switched off; never the case here.
      case appleIntelligenceNotEnabled
      /// No model is configured in this process.
      case modelNotReady
    }
  }

  /// Whether a model is configured in this process.
  ///
  /// If a model cannot be loaded, the worker tells its coordinator why and runs no agent. An agent
  /// therefore sees either a model that is ready or no model at all.
  public var availability: Availability {
    isAvailable ? .available : .unavailable(.modelNotReady)
  }

  /// Whether a model is configured in this process.
  public var isAvailable: Bool { Self.model != nil }

  /// The size of the window in tokens, which holds instructions, tools, history and the answer.
  ///
  /// It is 0 if no model is configured or the configured model does not run in this process.
  public var contextSize: Int { Self.localModel?.contextSize ?? 0 }

  /// The model that is in use.
  public struct Variant: Sendable, Equatable {
    /// The name of the model, as given in its file.
    public let displayName: String

    /// A model of Apple's; never the configured one here.
    public static let core3 = Variant(displayName: "core3")
    /// A larger model of Apple's; never the configured one here.
    public static let coreAdvanced3 = Variant(displayName: "coreAdvanced3")
  }

  /// The configured model; its name is empty if none is configured.
  public var variant: Variant { Variant(displayName: Self.localModel?.displayName ?? "") }

  /// Returns whether the model supports the language of a locale, according to its file.
  ///
  /// Most files list no languages, and then nothing is ruled out.
  public func supportsLocale(_ locale: Locale = .current) -> Bool {
    let languages = Self.localModel?.languages ?? []
    let wanted = Self.languageCode(locale.identifier)
    return languages.isEmpty || languages.contains { Self.languageCode($0) == wanted }
  }

  /// The languages that the model's file lists; most files list none.
  public var supportedLanguages: Set<Locale.Language> {
    Set((Self.localModel?.languages ?? []).map(Locale.Language.init(tag:)))
  }

  private static func languageCode(_ identifier: String) -> String {
    identifier.prefix { $0 != "_" && $0 != "-" && $0 != "@" }.lowercased()
  }
}

extension Locale.Language {
  /// Parses a BCP 47 code: a language, optionally followed by a four-letter script and a region.
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
