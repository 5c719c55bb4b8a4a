#if AppleSources
import SwiftSyntax

extension SourceTranslator {
    /// Restricts an `@objc` protocol to classes, and gives its optional members default implementations.
    func translateProtocol(_ node: ProtocolDeclSyntax) {
        guard node.attributes.contains(where: \.isObjC) else { return }
        if let inherited = node.inheritanceClause?.inheritedTypes {
            let names = inherited.map(\.type.trimmedDescription)
            if let index = names.firstIndex(of: "class") {
                edits.replace(Array(inherited)[index].type.range, with: "AnyObject")
            } else if let first = inherited.first,
                !names.contains(where: ["AnyObject", "NSObjectProtocol"].contains)
            {
                edits.insert("AnyObject, ", at: first.range.lowerBound)
            }
        } else {
            edits.insert(": AnyObject", at: node.name.range.upperBound)
        }
        let access = node.modifiers.contains { ["public", "open"].contains($0.name.text) } ? "public " : ""
        let members =
            node.optionalMethods.compactMap { defaultImplementation(of: $0, access) }
            + node.memberBlock.members.compactMap { defaultImplementation(of: $0.decl, access) }
        reportConditionalOptionals(in: node)
        guard !members.isEmpty else { return }
        additions.append("extension \(scopePath) {")
        additions += members.map { "    " + $0 }
        additions.append("}")
    }

    private func defaultImplementation(of node: FunctionDeclSyntax, _ access: String) -> String? {
        let method = OptionalMethod(node, of: scopePath)
        let modifiers = node.modifiers.map(\.name.text)
        if modifiers.contains("static") || modifiers.contains("class") {
            report(node, "an optional class method cannot be translated")
            return nil
        }
        let attributes = node.attributes.filter { !$0.isObjC }.map { $0.flatDescription + " " }.joined()
        let generics = node.genericParameterClause?.flatDescription ?? ""
        let parameters = node.signature.parameterClause.flatDescription
        let effects = node.signature.effectSpecifiers.map { " " + $0.flatDescription } ?? ""
        let result = node.signature.returnClause.map { " " + $0.flatDescription } ?? ""
        let head = "\(attributes)\(access)func \(node.name.text)\(generics)\(parameters)\(effects)"
        switch method.form {
        case .defaultResult(let body): return "\(head)\(result) \(body)"
        case .missingResult:
            if !effects.isEmpty {
                report(
                    node,
                    "an optional method that throws or suspends and returns a value cannot be translated"
                )
                return nil
            }
            edits.insert(" throws", at: node.signature.parameterClause.range.upperBound)
            return "\(head) throws\(result) { throw CancellationError() }"
        }
    }

    private func defaultImplementation(of node: DeclSyntax, _ access: String) -> String? {
        guard let variable = node.as(VariableDeclSyntax.self),
            variable.modifiers.contains(where: { $0.name.text == "optional" }),
            let binding = variable.bindings.first
        else { return nil }
        guard let type = binding.typeAnnotation?.type, OptionalMethod.isOptional(type) else {
            report(
                node,
                "an optional property of a protocol needs an optional type, because it is nil where it is missing"
            )
            return nil
        }
        let isSettable = binding.accessorBlock?.trimmedDescription.contains("set") ?? false
        let body = isSettable ? "{ get { nil } set {} }" : "{ nil }"
        return "\(access)var \(binding.pattern.trimmedDescription): \(type.flatDescription) \(body)"
    }

    private func reportConditionalOptionals(in node: ProtocolDeclSyntax) {
        for block in node.memberBlock.members.compactMap({ $0.decl.as(IfConfigDeclSyntax.self) }) {
            for token in block.tokens(viewMode: .sourceAccurate) where token.tokenKind == .keyword(.optional)
            {
                report(
                    token,
                    "an optional member inside #if cannot be translated: put the protocol inside #if"
                )
            }
        }
    }

    /// Reports a method that Swift would not call, because the conformance belongs to a superclass.
    func checkOptionalMethod(_ node: FunctionDeclSyntax) {
        guard node.parent?.is(MemberBlockItemSyntax.self) ?? false, let scope = scopes.last,
            scope.kind == .class
        else {
            return
        }
        let type = scope.name.split(separator: ".").last.map(String.init) ?? scope.name
        guard let hidden = index.methodHiddenBySuperclass(of: type, MethodName(node)) else { return }
        report(
            node,
            "the superclass '\(hidden.superclass)' conforms to '\(hidden.0.protocolName)' without "
                + "'\(hidden.0.fullName)': declare it there too, so that it can be overridden"
        )
    }

    // MARK: Calls

    func translateCall(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        let called = node.calledExpression
        if let member = called.as(MemberAccessExprSyntax.self), member.declName.baseName.text == "responds",
            node.arguments.first?.label?.text == "to"
        {
            report(node, "responds(to:) needs Objective-C: call an optional method with a question mark")
            return .skipChildren
        }
        let name = called.trimmedDescription
        let isText = node.arguments.first.map { $0.label == nil && $0.expression.isText } ?? false
        if (name == "Selector" || name == "NSSelectorFromString") && isText {
            report(node, "a selector made of text cannot be translated: write #selector(method)")
            return .skipChildren
        }
        translateOptionalCall(node)
        return .visitChildren
    }

    /// Translates `object.method?()` and `object.method!()`.
    private func translateOptionalCall(_ node: FunctionCallExprSyntax) {
        let chain = node.calledExpression.as(OptionalChainingExprSyntax.self)
        let forced = node.calledExpression.as(ForceUnwrapExprSyntax.self)
        guard let mark = chain?.questionMark ?? forced?.exclamationMark,
            let member = (chain?.expression ?? forced?.expression)?.as(MemberAccessExprSyntax.self),
            member.base != nil,
            let method = index.optionalMethods[member.declName.baseName.text]?.first(where: {
                $0.accepts(node)
            })
        else { return }
        if method.labels.allSatisfy({ $0 == "_" }), index.variables.contains(method.name) {
            return report(
                mark,
                "'\(method.name)' is the name of an optional method and of a variable: rename one of them"
            )
        }
        edits.replace(mark.range, with: "")
        guard case .missingResult = method.form else { return }
        // The caller has written `!`, which ends the program as well if the method is missing.
        edits.insert(chain == nil ? "(try! " : "(try? ", at: node.range.lowerBound)
        edits.insert(chain != nil && node.isContinued ? ")?" : ")", at: node.range.upperBound)
    }

    /// Reports a reference to an optional method that is not called, which is never nil after the translation.
    func checkReference(_ node: MemberAccessExprSyntax) {
        let name = node.declName.baseName.text
        guard let base = node.base, let methods = index.optionalMethods[name],
            !index.variables.contains(name),
            base.trimmedDescription.first?.isUppercase == false
        else { return }
        let parent = node.parent
        if parent?.as(FunctionCallExprSyntax.self)?.calledExpression.id == node.id { return }
        let isMarked =
            (parent?.is(OptionalChainingExprSyntax.self) ?? false)
            || (parent?.is(ForceUnwrapExprSyntax.self) ?? false)
        if isMarked, parent?.parent?.is(FunctionCallExprSyntax.self) ?? false { return }
        report(
            node.declName,
            "the optional method '\(methods[0].fullName)' can be called with a question mark, but not referred to"
        )
    }
}

extension ExprSyntax {
    /// Whether the expression is a string literal, possibly in parentheses.
    fileprivate var isText: Bool {
        if let tuple = self.as(TupleExprSyntax.self) {
            return tuple.elements.first?.expression.isText ?? false
        }
        return self.is(StringLiteralExprSyntax.self)
    }
}

extension FunctionCallExprSyntax {
    /// Whether the result is used by a member access, a call or a subscript directly after the call.
    fileprivate var isContinued: Bool {
        if let access = parent?.as(MemberAccessExprSyntax.self) {
            return access.base?.id == ExprSyntax(self).id
        }
        if let call = parent?.as(FunctionCallExprSyntax.self) {
            return call.calledExpression.id == ExprSyntax(self).id
        }
        if let access = parent?.as(SubscriptCallExprSyntax.self) {
            return access.calledExpression.id == ExprSyntax(self).id
        }
        return false
    }
}
#endif
