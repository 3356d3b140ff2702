import Testing

/// A source that a macro rejects, and the message that it produces.
struct Refusal: Sendable, CustomTestStringConvertible {
  let source: String
  let line: Int
  let complaint: String
  var testDescription: String { complaint }

  init(_ source: String, line: Int = 2, _ complaint: String) {
    self.source = source
    self.line = line
    self.complaint = complaint
  }
}

// Serialized, because each case runs a compiler, and they would only compete for the cores.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct `A macro that cannot be expanded` {
  @Test(arguments: generable + guide)
  func `says why, once and where`(refusal: Refusal) async throws {
    try await expect(refusal)
  }

  @Test(arguments: entries)
  func `says why of session properties, once and where`(refusal: Refusal) async throws {
    try await expect(
      Refusal(
        "extension SessionPropertyValues {\n\(refusal.source)\n}",
        line: 3,
        refusal.complaint
      )
    )
  }

  @Test(arguments: [
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
      "extension SessionPropertyValues { @SessionPropertyEntry var x: Int = 0, y: Int = 0 }",
      "accessor macro 'SessionPropertyEntry()' can only apply to a single variable"
    ),
  ])
  func `is refused by the compiler as well where it can stand nowhere`(
    refusal: Refusal
  ) async throws {
    let output = try await SwiftCompiler.complaints(about: refusal.source)
    #expect(output.contains("Snippet.swift:\(refusal.line):"))
    #expect(output.contains("error: \(refusal.complaint)"))
  }

  private func expect(_ refusal: Refusal) async throws {
    let output = try await SwiftCompiler.complaints(about: refusal.source)
    let errors = output.split(separator: "\n").filter {
      $0.contains(": error: ") && !$0.hasPrefix(" ")
    }
    #expect(errors.count == 1, "\(output)")
    #expect(errors.first?.contains("Snippet.swift:\(refusal.line):") == true, "\(output)")
    #expect(errors.first?.contains("error: \(refusal.complaint)") == true, "\(output)")
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
    "@SessionPropertyEntry var x: Int { 0 }",
    "A session property cannot have accessors: '@SessionPropertyEntry' writes them."
  ),
  Refusal("@SessionPropertyEntry var x: Int", "Property missing a default value"),
]
