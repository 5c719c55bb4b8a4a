#if AppleSources
import SwiftSyntax

/// The value of the condition of an `#if`, as far as it is known without the settings of the build.
enum Condition {
    private static let platforms: Set<String> = [
        "iOS", "macOS", "OSX", "tvOS", "watchOS", "visionOS", "Windows", "Android",
    ]

    /// Returns the clauses that can be compiled on Linux.
    static func possibleClauses(of node: IfConfigDeclSyntax) -> [IfConfigClauseSyntax] {
        var clauses: [IfConfigClauseSyntax] = []
        for clause in node.clauses {
            let value = clause.condition.map { self.value($0) } ?? true
            if value != false { clauses.append(clause) }
            if value == true { break }
        }
        return clauses
    }

    /// Returns the value of a condition on Linux, or nil if it depends on the build.
    private static func value(_ expression: ExprSyntax) -> Bool? {
        if let sequence = expression.as(SequenceExprSyntax.self) {
            return value(Array(sequence.elements)[...])
        }
        if let tuple = expression.as(TupleExprSyntax.self), tuple.elements.count == 1 {
            return tuple.elements.first.flatMap { value($0.expression) }
        }
        if let negated = expression.as(PrefixOperatorExprSyntax.self), negated.operator.text == "!" {
            return value(negated.expression).map { !$0 }
        }
        if let literal = expression.as(BooleanLiteralExprSyntax.self) {
            return literal.literal.text == "true"
        }
        guard let call = expression.as(FunctionCallExprSyntax.self), let argument = call.arguments.first
        else {
            return nil
        }
        let name = argument.expression.trimmedDescription
        switch call.calledExpression.trimmedDescription {
        case "os", "platform": return platforms.contains(name) ? false : name == "Linux" ? true : nil
        case "targetEnvironment": return false
        case "canImport": return name == "ObjectiveC" ? false : nil
        default: return nil
        }
    }

    /// Returns the value of operands with `&&` and `||` between them.
    private static func value(_ elements: ArraySlice<ExprSyntax>) -> Bool? {
        for (name, decisive) in [("||", true), ("&&", false)] {
            let isOperator = { (element: ExprSyntax) in
                element.as(BinaryOperatorExprSyntax.self)?.operator.text == name
            }
            guard elements.contains(where: isOperator) else { continue }
            let values = elements.split(whereSeparator: isOperator).map { value($0) }
            if values.contains(decisive) { return decisive }
            return values.contains(nil) ? nil : !decisive
        }
        return elements.count == 1 ? elements.first.flatMap { value($0) } : nil
    }
}
#endif
