#if AppleSources
import SwiftSyntax

/// A method that an `@objc` protocol declares as optional.
struct OptionalMethod {
    /// The translation of a call.
    enum Form {
        /// The default implementation does nothing or returns nil, so that a call needs no question mark.
        case defaultResult(body: String)
        /// The default implementation throws an error, and a call is `try?`.
        case missingResult
    }
    /// The protocol, as an extension names it.
    let protocolName: String
    let name: String
    let labels: [String]
    let form: Form

    /// The name with its labels.
    var fullName: String { MethodName(name, labels).description }

    init(_ node: FunctionDeclSyntax, of protocolName: String) {
        self.protocolName = protocolName
        name = node.name.text
        labels = MethodName(node).labels
        if let type = node.signature.returnClause?.type, !Self.isVoid(type) {
            form = Self.isOptional(type) ? .defaultResult(body: "{ nil }") : .missingResult
        } else {
            form = .defaultResult(body: "{}")
        }
    }

    /// Whether a call has the arguments of the method. Trailing closures have no labels.
    func accepts(_ call: FunctionCallExprSyntax) -> Bool {
        let labels = call.arguments.map { $0.label?.text ?? "_" }
        let closures = (call.trailingClosure == nil ? 0 : 1) + call.additionalTrailingClosures.count
        return labels.count + closures == self.labels.count && self.labels.starts(with: labels)
    }

    static func isOptional(_ type: TypeSyntax) -> Bool {
        type.is(OptionalTypeSyntax.self) || type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
            || type.as(IdentifierTypeSyntax.self)?.name.text == "Optional"
    }

    private static func isVoid(_ type: TypeSyntax) -> Bool {
        type.trimmedDescription == "Void" || type.trimmedDescription == "()"
    }
}
#endif
