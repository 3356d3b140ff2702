/// Makes a struct or an enum a type that a model can generate.
///
/// ```swift
/// @Generable
/// struct Recipe {
///   @Guide(description: "The name of the dish") var name: String
///   @Guide(.range(1...12)) var servings: Int
///   var steps: [String]
/// }
/// ```
///
/// The type conforms to ``Generable``. It gains a schema made from its stored properties or cases
/// in declaration order, an initializer from generated content, and a `PartiallyGenerated` form for
/// streaming, whose properties are all optional. The memberwise initializer is kept. The macro
/// ignores a `let` with a value, a `var` with a value but no type, computed properties and static
/// properties. A type that declares `PartiallyGenerated` keeps its own.
///
/// A property `id` of type ``GenerationID`` is the identity of the content from which a value is
/// read. No model generates it, so it is not part of the schema.
///
/// An enum of simple cases is generated as a string: the name of the case, or its raw value if the
/// enum has raw strings. An enum with associated values is generated as an object whose property
/// `type` holds the name of the case, alongside the associated values under their names. Those that
/// have none are called `value`, `value1`, `value2` and so on.
///
/// The behavior comes from FoundationModels 27.
///
/// - Parameter description: What the type means, for the model.
@attached(extension, conformances: Generable, names: named(init(_:)), named(generatedContent))
@attached(
  member,
  names: named(generationSchema),
  named(PartiallyGenerated),
  named(__Cases),
  named(__Types)
)
public macro Generable(description: String? = nil) =
  #externalMacro(module: "AgentKitMacros", type: "GenerableMacro")

/// Makes a struct a type that a model can generate, specifying how `nil` is represented.
///
/// The behavior comes from FoundationModels 27.
///
/// - Parameters:
///   - description: What the type means, for the model.
///   - representNilExplicitlyInGeneratedContent: Whether a property that is `nil` appears as null
///     in generated content instead of being left out. It must be the literal `true` or `false`.
@attached(extension, conformances: Generable, names: named(init(_:)), named(generatedContent))
@attached(
  member,
  names: named(generationSchema),
  named(PartiallyGenerated),
  named(__Cases),
  named(__Types)
)
public macro Generable(
  description: String? = nil,
  representNilExplicitlyInGeneratedContent: Bool
) = #externalMacro(module: "AgentKitMacros", type: "GenerableMacro")

/// Makes a struct or an enum a type that a model can generate, under a custom name.
///
/// The behavior comes from FoundationModels 27.
///
/// - Parameters:
///   - name: The schema's name, which replaces the type's name.
///   - description: What the type means, for the model.
///   - representNilExplicitlyInGeneratedContent: Whether a property or an associated value that is
///     `nil` appears as null in generated content instead of being left out. It must be the literal
///     `true` or `false`.
@attached(extension, conformances: Generable, names: named(init(_:)), named(generatedContent))
@attached(
  member,
  names: named(generationSchema),
  named(PartiallyGenerated),
  named(__Cases),
  named(__Types)
)
public macro Generable(
  name: String,
  description: String? = nil,
  representNilExplicitlyInGeneratedContent: Bool = false
) = #externalMacro(module: "AgentKitMacros", type: "GenerableMacro")

/// Describes a stored property of a `@Generable` type for the model.
///
/// Apply it only to properties that a model generates, and not within `#if`; elsewhere it is an
/// error. Several attributes on one property are read as one: their descriptions are joined by a
/// space, and their limits all apply.
///
/// The behavior comes from FoundationModels 27.
///
/// - Parameter description: What the property means, for the model.
@attached(peer)
public macro Guide(description: String) =
  #externalMacro(module: "AgentKitMacros", type: "GuideMacro")

/// Describes a stored property of a `@Generable` type, and limits what the model can generate for
/// it.
///
/// The limits apply during generation, so a value outside them cannot occur. The behavior comes
/// from FoundationModels 27.
///
/// - Parameters:
///   - description: What the property means, for the model.
///   - guides: The limits. Of several limits of one kind the tightest applies, but of several
///     patterns only the last one does.
@attached(peer)
public macro Guide<T: Generable>(description: String? = nil, _ guides: GenerationGuide<T>...) =
  #externalMacro(module: "AgentKitMacros", type: "GuideMacro")

/// Describes a string property of a `@Generable` type, and sets the pattern that it must match.
///
/// Beside limits in another attribute of the property, it applies like
/// ``GenerationGuide/pattern(_:)`` among them. The behavior comes from FoundationModels 27.
///
/// - Parameters:
///   - description: What the property means, for the model.
///   - guides: The pattern that the whole string must match.
@attached(peer)
public macro Guide<RegexOutput>(description: String? = nil, _ guides: Regex<RegexOutput>) =
  #externalMacro(module: "AgentKitMacros", type: "GuideMacro")

/// Makes a variable in an extension of ``SessionPropertyValues`` a property of each session.
///
/// The variable's value is the initial value in a session. It is evaluated each time it is needed,
/// so that sessions do not share objects by default. A variable of optional type may omit it, and
/// then starts as `nil`.
///
/// The behavior comes from FoundationModels 27, which requires a value for optional variables too.
@attached(accessor)
@attached(peer, names: prefixed(__Key_))
public macro SessionPropertyEntry() =
  #externalMacro(module: "AgentKitMacros", type: "SessionPropertyEntryMacro")

/// Evaluates a default value each time it is needed.
///
/// `@SessionPropertyEntry` generates this for a variable without a type; no other code needs it.
@attached(accessor)
public macro __SessionPropertyEntryDefaultValue() =
  #externalMacro(module: "AgentKitMacros", type: "SessionPropertyEntryDefaultValueMacro")
