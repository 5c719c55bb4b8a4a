#if AppleSources
import SwiftSyntax

extension SourceTranslator {
    func translateMacro(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind {
        switch node.macroName.text {
        case "selector":
            translateSelector(node)
            return .skipChildren
        case "keyPath":
            translateKeyPath(node)
            return .skipChildren
        case "colorLiteral", "imageLiteral", "fileLiteral":
            report(
                node,
                "#\(node.macroName.text) needs Apple's frameworks: create the object by its initializer"
            )
            return .skipChildren
        default: return .visitChildren
        }
    }

    /// Replaces `#selector(method)` by the selector made of the method, which the compiler checks.
    private func translateSelector(_ node: MacroExpansionExprSyntax) {
        guard node.arguments.count == 1, let argument = node.arguments.first else {
            return report(node, "#selector takes one method")
        }
        if let label = argument.label {
            return report(
                label,
                "#selector(\(label.text):) cannot be translated: write a method, and select that"
            )
        }
        var method = argument.expression
        var type: TypeSyntax?
        if let sequence = method.as(SequenceExprSyntax.self), sequence.elements.count == 3,
            let first = sequence.elements.first, let last = sequence.elements.last?.as(TypeExprSyntax.self)
        {
            (method, type) = (first, last.type)
        }
        while let tuple = method.as(TupleExprSyntax.self), tuple.elements.count == 1,
            let only = tuple.elements.first
        {
            method = only.expression
        }
        guard let owner = owner(of: method) else { return }
        let declaration =
            method.as(MemberAccessExprSyntax.self)?.declName ?? method.as(DeclReferenceExprSyntax.self)
        guard let name = declaration?.trimmedDescription, check(declaration, of: owner, node) else { return }
        var text = "\(owner).\(name)"
        if let type { text += " as \(unboundType(type, of: owner))" }
        // The ends of lines in the original are kept inside the parentheses.
        edits.replace(node.range, with: "Selector(\(text)\(source.lineEnds(node.range)))")
        needsImport = true
    }

    /// Returns the type that declares a selected method, or nil after a message.
    private func owner(of method: ExprSyntax) -> String? {
        if method.is(DeclReferenceExprSyntax.self) { return enclosingClass(method) }
        guard let access = method.as(MemberAccessExprSyntax.self), let base = access.base else {
            report(method, "#selector takes the name of a method")
            return nil
        }
        let name = base.trimmedDescription
        if ["self", "Self", "self?", "self!", "type(of: self)"].contains(name) {
            return enclosingClass(method)
        }
        let last = base.as(MemberAccessExprSyntax.self)?.declName.baseName.text ?? name
        if index.types[last] != nil || last.first?.isUppercase == true { return name }
        report(
            base,
            name == "super"
                ? "#selector(super.method) cannot be translated: write a method that calls super, and select that"
                : "the type of '\(name)' is not known here: write #selector(Type.\(access.declName.trimmedDescription))"
        )
        return nil
    }

    private func enclosingClass(_ node: some SyntaxProtocol) -> String? {
        guard let scope = scopes.last else {
            report(node, "#selector outside of a class needs the name of one: #selector(Type.method)")
            return nil
        }
        switch scope.kind {
        case .other, .protocol:
            report(node, "a selector is a method of a class, and '\(scope.name)' is not a class")
            return nil
        case .class, nil: return scope.name
        }
    }

    /// Checks what the files of the target say about a selected method.
    private func check(
        _ declaration: DeclReferenceExprSyntax?,
        of owner: String,
        _ node: MacroExpansionExprSyntax
    ) -> Bool {
        guard let declaration else {
            report(node, "#selector takes the name of a method")
            return false
        }
        let type = owner.split(separator: ".").last.map(String.init) ?? owner
        if index.types[type]?.kind == .protocol {
            report(node, "the method of a protocol has no selector here: write #selector(Class.method)")
            return false
        }
        let labels = declaration.argumentNames?.arguments.map(\.name.text)
        let methods = index.methods(of: type, named: declaration.baseName.text, labels: labels)
        if !methods.isEmpty, methods.allSatisfy(\.isStatic) {
            report(node, "a selector of a class method cannot be translated: select a method of an object")
            return false
        }
        if !methods.isEmpty, methods.allSatisfy({ $0.name.labels.count > 1 }) {
            report(node, "a selected method has at most one parameter here")
            return false
        }
        return true
    }

    /// Returns the type of a method as a function of its object: `(Object) -> (Argument) -> Result`.
    private func unboundType(_ type: TypeSyntax, of owner: String) -> String {
        let function = type.as(FunctionTypeSyntax.self)
        if let result = function?.returnClause.type, result.is(FunctionTypeSyntax.self) {
            return type.flatDescription
        }
        return "(\(owner)) -> \(type.flatDescription)"
    }

    /// Replaces `#keyPath(Type.property)` by the string.
    private func translateKeyPath(_ node: MacroExpansionExprSyntax) {
        guard let expression = node.arguments.first?.expression, node.arguments.count == 1 else {
            return report(node, "#keyPath takes one path")
        }
        var components: [String] = []
        var rest: ExprSyntax? = expression
        while let current = rest {
            if let access = current.as(MemberAccessExprSyntax.self), access.declName.argumentNames == nil {
                components.insert(access.declName.baseName.text, at: 0)
                rest = access.base
            } else if let reference = current.as(DeclReferenceExprSyntax.self), reference.argumentNames == nil
            {
                components.insert(reference.baseName.text, at: 0)
                rest = nil
            } else if let chain = current.as(OptionalChainingExprSyntax.self) {
                rest = chain.expression
            } else if let forced = current.as(ForceUnwrapExprSyntax.self) {
                rest = forced.expression
            } else {
                return report(current, "#keyPath takes the names of properties with dots between them")
            }
        }
        let keys = components.drop { $0 == "self" || $0 == "Self" || isType($0) }
        guard !keys.isEmpty else { return report(node, "#keyPath needs a property: #keyPath(Type.property)") }
        let path = keys.map { key(of: $0.replacing("`", with: "")) }.joined(separator: ".")
        let lineEnds = source.lineEnds(node.range)
        edits.replace(node.range, with: lineEnds.isEmpty ? "\"\(path)\"" : "(\"\(path)\"\(lineEnds))")
    }

    private func isType(_ name: String) -> Bool {
        name.first?.isUppercase == true || (index.types[name] != nil && !index.variables.contains(name))
    }

    /// Returns Objective-C's name of a property: Apple's Boolean properties have getters with the prefix `is`.
    private func key(of property: String) -> String {
        guard Self.getters.contains(property),
            !index.types.values.contains(where: { $0.properties.contains(property) })
        else { return property }
        let name = property.dropFirst(2)
        return name.prefix(1).lowercased() + name.dropFirst()
    }

    private static let getters: Set<String> = [
        "isPlaybackLikelyToKeepUp", "isPlaybackBufferEmpty", "isPlaybackBufferFull", "isMuted",
        "isReadyForDisplay",
        "isExternalPlaybackActive", "isPlayable", "isReadable", "isEnabled", "isHidden",
    ]
}

extension SyntaxProtocol {
    /// The text on one line.
    var flatDescription: String {
        trimmedDescription.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}
#endif
