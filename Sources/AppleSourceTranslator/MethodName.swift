#if AppleSources
import SwiftSyntax

/// The name of a method with the labels of its parameters, as in `move(_:to:)`.
struct MethodName: Hashable, CustomStringConvertible {
    let name: String
    /// The labels; "_" for none.
    let labels: [String]

    init(_ name: String, _ labels: [String]) {
        self.name = name
        self.labels = labels
    }

    init(_ node: FunctionDeclSyntax) {
        self.init(node.name.text, node.signature.parameterClause.parameters.map { $0.firstName.text })
    }

    var description: String { "\(name)(\(labels.map { "\($0):" }.joined()))" }
}
#endif
