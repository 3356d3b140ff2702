import Testing

/// A source that a macro rejects, and the message that it produces.
struct Refusal: Sendable {
  let source: String
  let line: Int
  let complaint: String

  init(_ source: String, line: Int = 2, _ complaint: String) {
    self.source = source
    self.line = line
    self.complaint = complaint
  }
}

extension Refusal {
  /// Compiles sources, and returns what the compiler says of each.
  ///
  /// They are compiled as one module, in which their types have different names.
  static func complaints(about refusals: [Refusal]) async throws -> [(Refusal, output: String)] {
    let sources = refusals.enumerated().map { place, refusal in
      refusal.source.replacing(/\b[EPS]\b/) { "\($0.output)\(place)" }
    }
    return Array(zip(refusals, try await SwiftCompiler.complaints(aboutEach: sources)))
  }
}

@Suite(.timeLimit(.minutes(20)))
struct `A macro that cannot be expanded` {
  @Test func `says why, once and where`() async throws {
    let properties = entries.map { entry in
      Refusal("extension SessionPropertyValues {\n\(entry.source)\n}", line: 3, entry.complaint)
    }
    for (refusal, output) in try await Refusal.complaints(about: generable + guide + properties) {
      let errors = output.split(separator: "\n").filter {
        $0.contains(": error: ") && !$0.hasPrefix(" ")
      }
      #expect(errors.count == 1, "\(refusal.complaint)\n\(output)")
      let head = errors.first?.firstMatch(of: /Snippet[0-9]+\.swift:([0-9]+):/)?.output.1
      #expect(head.flatMap { Int($0) } == refusal.line, "\(output)")
      #expect(errors.first?.contains("error: \(refusal.complaint)") == true, "\(output)")
    }
  }

  @Test func `is refused by the compiler as well where it can stand nowhere`() async throws {
    let refusals = [
      Refusal(
        "struct Other {}\nextension Other { @SessionPropertyEntry var x: Int = 0 }",
        line: 3,
        "'@SessionPropertyEntry' can only be attached to a 'var' in an extension of"
          + " 'SessionPropertyValues'."
      ),
      Refusal(
        "extension SessionPropertyValues { @SessionPropertyEntry let x: Int = 0 }",
        "A session property must be a 'var': a session changes it."
      ),
      Refusal(
        "extension SessionPropertyValues { @SessionPropertyEntry var y: Int = 0, z: Int = 0 }",
        "accessor macro 'SessionPropertyEntry()' can only apply to a single variable"
      ),
    ]
    for (refusal, output) in try await Refusal.complaints(about: refusals) {
      #expect(output.contains(".swift:\(refusal.line):"), "\(output)")
      #expect(output.contains("error: \(refusal.complaint)"), "\(output)")
    }
  }
}

private let generable: [Refusal] = [
  Refusal(
    "@Generable class C { var x: Int = 1 }",
    "'@Generable' can only be used on structs and enums."
  ),
  Refusal(
    "@Generable struct S {\n  var x: [Optional<[String: Int]>]\n}",
    line: 3,
    "'@Generable' does not support the property 'x': its type is a dictionary."
  ),
  Refusal(
    "@Generable struct S { var x: () -> Void }",
    "'@Generable' does not support the property 'x': its type is a function."
  ),
  Refusal(
    "@Generable struct S { var (x, y): (Int, Int) }",
    "'@Generable' needs one name for each property."
  ),
  Refusal(
    "@propertyWrapper struct W<T> { var wrappedValue: T }\n@Generable struct S { @W var x: Int }",
    line: 3,
    "'@Generable' does not support '@W' on the property 'x'"
  ),
  Refusal(
    "@Generable struct S { lazy var x: Int = 1 }",
    "'@Generable' does not support the lazy property 'x'."
  ),
  Refusal(
    "@Generable struct S {\n#if DEBUG\n  var x: Int\n#endif\n}",
    line: 4,
    "'@Generable' does not support properties or cases in '#if'."
  ),
  Refusal(
    "@Generable struct S {\n#if DEBUG\n#if DEBUG\n  var x: Int\n#endif\n#endif\n}",
    line: 5,
    "'@Generable' does not support properties or cases in '#if'."
  ),
  Refusal(
    "@Generable struct S: Generable { var x: Int }",
    "Type already conforms to 'Generable'"
  ),
  Refusal("@Generable enum E {}", "A '@Generable' enum needs at least one case."),
  Refusal(
    "@Generable enum E { case a([String: Int]) }",
    "'@Generable' does not support the property 'value': its type is a dictionary."
  ),
  Refusal(
    "@Generable enum E { case a(type: Int) }",
    "An associated value of a '@Generable' enum cannot be called 'type'"
  ),
  Refusal(
    """
    let flag = true
    @Generable(description: nil, representNilExplicitlyInGeneratedContent: flag)
    struct S { var x: Int? }
    """,
    line: 3,
    "'representNilExplicitlyInGeneratedContent' must be 'true' or 'false', written out."
  ),
]

private let guide: [Refusal] = [
  Refusal(
    "@Generable struct S {\n  @Guide(description: \"x\") var x: Int { 1 }\n}",
    line: 3,
    "'@Guide' can only be attached to a stored property of a '@Generable' type."
  ),
  Refusal(
    "@Guide(description: \"x\") func f() {}",
    "'@Guide' can only be attached to a stored property of a '@Generable' type."
  ),
  Refusal(
    """
    @Generable struct S {
      @Guide(.range(1...9))
      @Guide(/[1-9]/)
      var pages: Int
    }
    """,
    line: 4,
    "A regex can guide only a string, but the type of the property 'pages' is 'Int'."
  ),
  Refusal(
    "@Generable struct S {\n  @Guide(description: \"x\", /[a-z]/) var tags: [String]?\n}",
    line: 3,
    "A regex can guide only a string, but the type of the property 'tags' is '[String]?'."
  ),
  Refusal(
    """
    @Generable struct S {
      @Guide(.minimum(1))
      @Guide(description: "x", .anyOf(["a"]))
      var pages: Int
    }
    """,
    line: 4,
    "'.anyOf' can guide only a string, but the type of the property 'pages' is 'Int'."
  ),
  Refusal(
    "@Generable struct S {\n  @Guide(.range(1...9)) var title: String?\n}",
    line: 3,
    "'.range' can guide only a number, but the type of the property 'title' is 'String?'."
  ),
  Refusal(
    "@Generable struct S {\n  @Guide(.count(3)) var share: Optional<Double>\n}",
    line: 3,
    "'.count' can guide only an array, but the type of the property 'share' is 'Double?'."
  ),
  Refusal(
    "@Generable struct S {\n  @Guide(.maximum(3)) var isLate: Bool\n}",
    line: 3,
    "'.maximum' can guide only a number, but the type of the property 'isLate' is 'Bool'."
  ),
  Refusal(
    "@Generable struct S {\n  @Guide(.constant(\"a\")) var tags: [String]\n}",
    line: 3,
    "'.constant' can guide only a string, but the type of the property 'tags' is '[String]'."
  ),
  Refusal(
    "@Generable struct S {\n#if DEBUG\n  @Guide(description: \"x\")\n#endif\n  var x: Int\n}",
    line: 4,
    "'@Generable' does not support '@Guide' in '#if' on the property 'x'"
  ),
  Refusal(
    """
    @Generable struct S {
      #if os(Linux)
        @available(macOS 10.15, *)
        #if DEBUG
        #else
          @Guide(.minimum(1))
        #endif
      #endif
      var x: Int
    }
    """,
    line: 7,
    "'@Generable' does not support '@Guide' in '#if' on the property 'x'"
  ),
  Refusal(
    "@Generable struct S {\n  @Guide(description: \"x\") static let x: Int = 1\n}",
    line: 3,
    "'@Guide' can only be attached to a stored property of a '@Generable' type."
  ),
  Refusal(
    "@Generable struct S {\n  @Guide(description: \"x\", .range(1...9)) var pages = 1\n}",
    line: 3,
    "'@Guide' cannot be attached to the property 'pages': it has no type annotation"
  ),
  Refusal(
    "@Generable struct S {\n  @Guide(description: \"x\") let unit: String = \"kg\"\n}",
    line: 3,
    "'@Guide' cannot be attached to the property 'unit': it is a constant that already has a value"
  ),
  Refusal(
    "@Generable struct S {\n  @Guide(description: \"x\") var id: GenerationID\n}",
    line: 3,
    "'@Guide' cannot be attached to the property 'id': it is the identity of the content"
  ),
]

private let entries: [Refusal] = [
  Refusal(
    "@SessionPropertyEntry static var x: Int = 0",
    "A session property cannot be static: each session has its own value."
  ),
  Refusal(
    "@SessionPropertyEntry var y: Int { 0 }",
    "A session property cannot have accessors: '@SessionPropertyEntry' writes them."
  ),
  Refusal("@SessionPropertyEntry var z: Int", "Property missing a default value"),
]
