/// Makes a struct or an enum something that a model can generate.
///
/// The type conforms to `Generable`: it gains a schema that its stored properties or cases make up
/// in the order of their declaration, an initializer from generated content, and a
/// `PartiallyGenerated` form, whose properties are all optional, for streaming. The memberwise
/// initializer stays. A `let` with a value, a `var` with a value and no type, computed properties
/// and static ones are left out; a type that declares a `PartiallyGenerated` keeps its own.
///
/// A property `id` of the type `GenerationID` is the identity of the content that a value is read
/// from. No model generates it, so it is in no schema.
///
/// An enum of simple cases is generated as a string: a case's name, or its raw value where the enum
/// has raw strings. An enum with associated values is generated as an object whose property `case`
/// holds the case's name, with the associated values beside it; an unlabeled one is called `value`.
///
/// The behavior comes from FoundationModels 27.
///
/// - Parameter description: What the type means, for the model.
@attached(extension, conformances: Generable, names: named(init(_:)), named(generatedContent))
@attached(member, names: arbitrary)
public macro Generable(description: String? = nil) =
  #externalMacro(module: "AgentKitMacros", type: "GenerableMacro")

/// Makes a struct something that a model can generate, with a say in what becomes of `nil`.
///
/// The behavior comes from FoundationModels 27.
///
/// - Parameters:
///   - description: What the type means, for the model.
///   - representNilExplicitlyInGeneratedContent: Whether a property that is `nil` appears as null
///     in generated content, rather than not at all. `true` or `false`, written out.
@attached(extension, conformances: Generable, names: named(init(_:)), named(generatedContent))
@attached(member, names: arbitrary)
public macro Generable(
  description: String? = nil,
  representNilExplicitlyInGeneratedContent: Bool
) = #externalMacro(module: "AgentKitMacros", type: "GenerableMacro")

/// Makes a struct or an enum something that a model can generate, under a name of your choice.
///
/// The behavior comes from FoundationModels 27.
///
/// - Parameters:
///   - name: The schema's name, in place of the type's.
///   - description: What the type means, for the model.
///   - representNilExplicitlyInGeneratedContent: Whether a property that is `nil` appears as null
///     in generated content, rather than not at all. `true` or `false`, written out.
@attached(extension, conformances: Generable, names: named(init(_:)), named(generatedContent))
@attached(member, names: arbitrary)
public macro Generable(
  name: String,
  description: String? = nil,
  representNilExplicitlyInGeneratedContent: Bool = false
) = #externalMacro(module: "AgentKitMacros", type: "GenerableMacro")

/// Describes a stored property of a `@Generable` type for the model.
///
/// It stands on a property that a model generates; on one that is left out it is refused.
///
/// The behavior comes from FoundationModels 27.
///
/// - Parameter description: What the property means, for the model.
@attached(peer)
public macro Guide(description: String) =
  #externalMacro(module: "AgentKitMacros", type: "GuideMacro")

/// Describes a stored property of a `@Generable` type, and limits what the model can put there.
///
/// The limits hold while the model generates: a value outside them cannot come out. The behavior
/// comes from FoundationModels 27.
///
/// - Parameters:
///   - description: What the property means, for the model.
///   - guides: The limits. Of several of one kind the tightest apply, but of several patterns only the
///     last one.
@attached(peer)
public macro Guide<T: Generable>(description: String? = nil, _ guides: GenerationGuide<T>...) =
  #externalMacro(module: "AgentKitMacros", type: "GuideMacro")

/// Describes a string property of a `@Generable` type, and gives the pattern that it follows.
///
/// The behavior comes from FoundationModels 27.
///
/// - Parameters:
///   - description: What the property means, for the model.
///   - guides: The pattern that the whole string matches.
@attached(peer)
public macro Guide<RegexOutput>(description: String? = nil, _ guides: Regex<RegexOutput>) =
  #externalMacro(module: "AgentKitMacros", type: "GuideMacro")

/// Makes a variable in an extension of `SessionPropertyValues` a property of each session.
///
/// The variable's value is the one that a session starts with. It is evaluated anew each time it is
/// asked for, so that sessions share no object by default. A variable of an optional type may do
/// without: it starts as `nil`.
///
/// The behavior comes from FoundationModels 27, which asks for a value of optional variables too.
@attached(accessor)
@attached(peer, names: prefixed(__Key_))
public macro SessionPropertyEntry() =
  #externalMacro(module: "AgentKitMacros", type: "SessionPropertyEntryMacro")

/// Has a default evaluated anew each time it is asked for.
///
/// `@SessionPropertyEntry` writes it, where a variable has no type; nobody else need.
@attached(accessor)
public macro __SessionPropertyEntryDefaultValue() =
  #externalMacro(module: "AgentKitMacros", type: "SessionPropertyEntryDefaultValueMacro")
