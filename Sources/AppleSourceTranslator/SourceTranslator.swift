#if AppleSources
import SwiftSyntax

/// Translates one file: collects the changes of its text while it visits the syntax tree.
///
/// The translation has the lines of the original, so that messages of the compiler name them. What it adds is before the
/// first line and after the last one, or is followed by a directive that restores the number of the line.
final class SourceTranslator: SyntaxVisitor {
    /// A type or an extension around the visited node.
    struct Scope {
        /// The name by which the code in the scope refers to the type.
        let name: String
        let kind: TypeFacts.Kind?
    }

    let source: ParsedSource
    let index: DeclarationIndex
    var edits = Edits()
    private(set) var messages: [TranslationMessage] = []
    private(set) var scopes: [Scope] = []
    /// Declarations that follow the last line.
    var additions: [String] = []
    /// Whether the translation refers to the module AVFoundation, which the file may not import.
    var needsImport = false
    var importsModule = false

    init(_ source: ParsedSource, _ index: DeclarationIndex) {
        self.source = source
        self.index = index
        super.init(viewMode: .sourceAccurate)
    }

    /// Returns the text after the visit.
    func translatedText() -> String {
        let end = source.lineEnd
        var text = needsImport && !importsModule ? "import AVFoundation\(end)" : ""
        text += source.locationDirective(line: 1) + end + edits.applied(to: source)
        if !additions.isEmpty {
            text += ([end + "#sourceLocation()"] + additions).joined(separator: end) + end
        }
        return text
    }

    func report(_ node: some SyntaxProtocol, _ text: String) {
        let position = source.position(of: node.range.lowerBound)
        messages.append(
            TranslationMessage(
                path: source.path,
                line: position.line,
                column: position.column,
                text: text
            )
        )
    }

    /// Replaces a node by spaces.
    func remove(_ node: some SyntaxProtocol) { edits.replace(node.range, with: source.blank(node.range)) }

    // MARK: Scopes

    private func enter(_ name: String, _ kind: TypeFacts.Kind?) {
        scopes.append(Scope(name: name, kind: kind))
    }

    /// The names of the scopes, as an extension in the file names the innermost one.
    var scopePath: String { scopes.map(\.name).joined(separator: ".") }

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node.name.text, .class)
        replaceSuperclass(of: node)
        return .visitChildren
    }
    override func visitPost(_ node: ClassDeclSyntax) { scopes.removeLast() }

    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node.name.text, .protocol)
        translateProtocol(node)
        return .visitChildren
    }
    override func visitPost(_ node: ProtocolDeclSyntax) { scopes.removeLast() }

    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node.name.text, .other)
        return .visitChildren
    }
    override func visitPost(_ node: StructDeclSyntax) { scopes.removeLast() }

    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node.name.text, .other)
        return .visitChildren
    }
    override func visitPost(_ node: EnumDeclSyntax) { scopes.removeLast() }

    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node.name.text, .other)
        return .visitChildren
    }
    override func visitPost(_ node: ActorDeclSyntax) { scopes.removeLast() }

    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node.extendedType.trimmedDescription, index.types[node.extendedType.lastName]?.kind)
        moveOverrides(of: node)
        return .visitChildren
    }
    override func visitPost(_ node: ExtensionDeclSyntax) { scopes.removeLast() }

    // MARK: Nodes

    override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind {
        for clause in Condition.possibleClauses(of: node) { walk(clause) }
        return .skipChildren
    }

    override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
        translateImport(node)
        return .skipChildren
    }

    override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind {
        translateAttribute(node)
        return .visitChildren
    }

    override func visit(_ node: DeclModifierSyntax) -> SyntaxVisitorContinueKind {
        translateModifier(node)
        return .skipChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        checkOptionalMethod(node)
        return .visitChildren
    }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        translateVariable(node)
        return .visitChildren
    }

    override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind {
        translateMacro(node)
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind { translateCall(node) }

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        checkReference(node)
        return .visitChildren
    }
}
#endif
