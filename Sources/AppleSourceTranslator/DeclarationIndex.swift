#if AppleSources
import SwiftSyntax

/// The declarations in the files of a target, as far as the translation of one file depends on the others.
struct DeclarationIndex {
    /// The types by their last name.
    private(set) var types: [String: TypeFacts] = [:]
    /// The optional methods of `@objc` protocols by their name without labels.
    private(set) var optionalMethods: [String: [OptionalMethod]] = [:]
    /// The names of all variables, also of local ones.
    private(set) var variables: Set<String> = []

    /// Adds the declarations of a file.
    mutating func add(_ source: ParsedSource) {
        let collector = Collector(viewMode: .sourceAccurate)
        collector.walk(source.tree)
        types.merge(collector.types) { first, second in
            var merged = first
            merged.kind = first.kind ?? second.kind
            merged.inherited += second.inherited
            merged.methods += second.methods
            merged.properties.formUnion(second.properties)
            merged.overridesObserveValue = first.overridesObserveValue || second.overridesObserveValue
            merged.hasObservableProperty = first.hasObservableProperty || second.hasObservableProperty
            return merged
        }
        optionalMethods.merge(collector.optionalMethods, uniquingKeysWith: +)
        variables.formUnion(collector.variables)
    }

    /// Returns the superclasses of a type that the target declares, the nearest first.
    func superclasses(of name: String) -> [String] {
        var (found, name) = ([String](), name)
        while let next = types[name]?.inherited.first(where: { types[$0]?.kind == .class }),
            !found.contains(next)
        {
            found.append(next)
            name = next
        }
        return found
    }

    /// Whether a class or a subclass of it observes properties by string, or has properties that can be observed.
    func observesOrIsObserved(_ name: String) -> Bool {
        types.contains { other, facts in
            (facts.overridesObserveValue || facts.hasObservableProperty)
                && (other == name || superclasses(of: other).contains(name))
        }
    }

    /// Whether a class inherits from `NSObject` through classes of the target.
    func inheritsFromNSObject(_ name: String) -> Bool {
        ([name] + superclasses(of: name)).contains { types[$0]?.inherited.contains("NSObject") ?? false }
    }

    /// Returns the methods of a type and its superclasses with a name, and with the labels if they are given.
    func methods(of type: String, named name: String, labels: [String]?) -> [TypeFacts.Method] {
        ([type] + superclasses(of: type)).flatMap { types[$0]?.methods ?? [] }
            .filter { $0.name.name == name && (labels == nil || $0.name.labels == labels) }
    }

    /// Returns the optional method that a class implements although a superclass, which conforms to the protocol, does not.
    /// Swift would call the default implementation instead.
    func methodHiddenBySuperclass(of type: String, _ method: MethodName) -> (
        OptionalMethod, superclass: String
    )? {
        for optional in optionalMethods[method.name] ?? [] where optional.labels == method.labels {
            let `protocol` = optional.protocolName.split(separator: ".").last.map(String.init) ?? ""
            let chain = superclasses(of: type)
            guard !(types[type]?.inherited.contains(`protocol`) ?? false),
                let conforming = chain.last(where: { types[$0]?.inherited.contains(`protocol`) ?? false }),
                methods(of: conforming, named: method.name, labels: method.labels).isEmpty
            else { continue }
            return (optional, conforming)
        }
        return nil
    }
}

/// Collects the declarations of a file.
private final class Collector: SyntaxVisitor {
    var types: [String: TypeFacts] = [:]
    var optionalMethods: [String: [OptionalMethod]] = [:]
    var variables: Set<String> = []
    private var scope: [String] = []

    private func enter(
        _ name: String,
        _ kind: TypeFacts.Kind?,
        _ inheritance: InheritanceClauseSyntax?
    ) -> SyntaxVisitorContinueKind {
        scope.append(name)
        let last = name.split(separator: ".").last.map(String.init) ?? name
        if let kind { types[last, default: TypeFacts()].kind = kind }
        types[last, default: TypeFacts()].inherited +=
            inheritance?.inheritedTypes.map { $0.type.lastName } ?? []
        return .visitChildren
    }

    private func change(_ body: (inout TypeFacts) -> Void) {
        guard let name = scope.last?.split(separator: ".").last.map(String.init) else { return }
        body(&types[name, default: TypeFacts()])
    }

    override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind {
        for clause in Condition.possibleClauses(of: node) { walk(clause) }
        return .skipChildren
    }

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node.name.text, .class, node.inheritanceClause)
    }
    override func visitPost(_ node: ClassDeclSyntax) { scope.removeLast() }

    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
        let path = (scope + [node.name.text]).joined(separator: ".")
        for method in node.optionalMethods {
            optionalMethods[method.name.text, default: []].append(OptionalMethod(method, of: path))
        }
        return enter(node.name.text, .protocol, node.inheritanceClause)
    }
    override func visitPost(_ node: ProtocolDeclSyntax) { scope.removeLast() }

    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node.name.text, .other, node.inheritanceClause)
    }
    override func visitPost(_ node: StructDeclSyntax) { scope.removeLast() }

    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node.name.text, .other, node.inheritanceClause)
    }
    override func visitPost(_ node: EnumDeclSyntax) { scope.removeLast() }

    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node.name.text, .other, node.inheritanceClause)
    }
    override func visitPost(_ node: ActorDeclSyntax) { scope.removeLast() }

    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node.extendedType.lastName, nil, node.inheritanceClause)
    }
    override func visitPost(_ node: ExtensionDeclSyntax) { scope.removeLast() }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        if node.parent?.is(MemberBlockItemSyntax.self) ?? false {
            let isStatic = node.modifiers.contains { ["static", "class"].contains($0.name.text) }
            change {
                let name = MethodName(node)
                $0.methods.append(TypeFacts.Method(name: name, isStatic: isStatic))
                if name.description == "observeValue(forKeyPath:of:change:context:)" {
                    $0.overridesObserveValue = true
                }
            }
        }
        return .visitChildren
    }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        if node.parent?.is(MemberBlockItemSyntax.self) ?? false {
            let names = node.bindings.compactMap {
                $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
            }
            change {
                $0.properties.formUnion(names)
                if node.isObservable { $0.hasObservableProperty = true }
            }
        }
        return .visitChildren
    }

    override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind {
        variables.insert(node.identifier.text)
        return .skipChildren
    }
}

extension ProtocolDeclSyntax {
    /// The methods with the modifier `optional`.
    var optionalMethods: [FunctionDeclSyntax] {
        memberBlock.members.compactMap { $0.decl.as(FunctionDeclSyntax.self) }
            .filter { $0.modifiers.contains { $0.name.text == "optional" } }
    }
}

extension TypeSyntaxProtocol {
    /// The last name of a type without its generic arguments.
    var lastName: String {
        if let member = self.as(MemberTypeSyntax.self) { return member.name.text }
        if let identifier = self.as(IdentifierTypeSyntax.self) { return identifier.name.text }
        if let attributed = self.as(AttributedTypeSyntax.self) { return attributed.baseType.lastName }
        return trimmedDescription
    }
}
#endif
