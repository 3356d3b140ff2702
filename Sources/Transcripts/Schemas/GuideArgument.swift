/// Conversion of what a `@Guide` attribute was given, whether that is a guide or a regex.
///
/// The code that `@Generable` generates converts this way where several attributes guide one
/// property, because it does not know their types and a list cannot hold guides and regexes.
public enum GuideArgument {
  /// Returns the guide.
  public static func guide<Value>(_ guide: GenerationGuide<Value>) -> GenerationGuide<Value> {
    guide
  }

  /// Returns a guide that requires the regex to match.
  public static func guide<Output>(_ regex: Regex<Output>) -> GenerationGuide<String> {
    .pattern(regex)
  }
}
