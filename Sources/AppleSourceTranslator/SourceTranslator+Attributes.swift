#if AppleSources
import SwiftSyntax

extension SourceTranslator {
    /// Attributes that only concern Objective-C and Xcode.
    private static let removed: Set<String> = [
        "objc", "objcMembers", "nonobjc", "IBOutlet", "IBAction", "IBSegueAction", "IBInspectable",
        "IBDesignable",
        "GKInspectable",
    ]
    private static let untranslatable = [
        "NSManaged": "@NSManaged needs Core Data, which Linux does not have",
        "NSCopying": "@NSCopying cannot be translated: copy the value in the initializer and in a setter",
        "UIApplicationMain": "@UIApplicationMain needs UIKit: mark the entry point of the program with @main",
        "NSApplicationMain":
            "@NSApplicationMain needs AppKit: mark the entry point of the program with @main",
        "implementation": "@implementation needs Objective-C headers, which Linux's Swift does not read",
    ]

    func translateAttribute(_ node: AttributeSyntax) {
        let name = node.attributeName.trimmedDescription
        if let text = Self.untranslatable[name] {
            report(node, text)
        } else if Self.removed.contains(name) {
            remove(node)
        }
    }

    func translateModifier(_ node: DeclModifierSyntax) {
        switch node.name.text {
        case "dynamic": if node.parent?.parent?.is(VariableDeclSyntax.self) != true { remove(node) }
        case "optional": remove(node)
        case "override": checkOverride(node)
        default: break
        }
    }

    // MARK: Classes

    /// Makes a class, or a class whose subclass observes by string, inherit the method that `NSObject` on Linux does not have.
    func replaceSuperclass(of node: ClassDeclSyntax) {
        guard index.observesOrIsObserved(node.name.text),
            let superclass = node.inheritanceClause?.inheritedTypes.first?.type,
            ["NSObject", "Foundation.NSObject", "ObjectiveC.NSObject"].contains(superclass.trimmedDescription)
        else { return }
        edits.replace(superclass.range, with: "KeyValueObserver")
        needsImport = true
    }

    /// Moves the overrides in an extension, which Swift without Objective-C refuses, into the class in the same file.
    func moveOverrides(of node: ExtensionDeclSyntax) {
        let overrides = node.memberBlock.members.filter { $0.decl.overrideModifier != nil }
        guard !overrides.isEmpty, let target = movableTarget(of: node) else { return }
        let brace = target.memberBlock.rightBrace.range.lowerBound
        let end = source.lineEnd
        let line = source.position(of: brace).line
        for member in overrides {
            let range = member.decl.range
            let position = source.position(of: range.lowerBound)
            edits.move(
                range,
                to: brace,
                before: end + source.locationDirective(line: position.line) + end
                    + String(repeating: " ", count: position.column - 1),
                after: end + source.locationDirective(line: line) + end
            )
        }
    }

    /// Reports an override in an extension that is not moved.
    private func checkOverride(_ node: DeclModifierSyntax) {
        guard let declaration = node.parent?.parent,
            let block = declaration.enclosingMemberBlock,
            let `extension` = block.parent?.as(ExtensionDeclSyntax.self)
        else { return }
        let isDirect = declaration.parent?.parent?.parent?.id == block.id
        if !isDirect || movableTarget(of: `extension`) == nil {
            report(
                node,
                "an override in an extension needs Objective-C: move it into the class, or the extension without "
                    + "conditions, attributes and modifiers into the file of the class"
            )
        }
    }

    /// Returns the class in this file that an extension without conditions, attributes and modifiers extends.
    private func movableTarget(of node: ExtensionDeclSyntax) -> ClassDeclSyntax? {
        guard node.genericWhereClause == nil, node.modifiers.isEmpty, node.attributes.allSatisfy(\.isObjC)
        else {
            return nil
        }
        let finder = ClassFinder(path: node.extendedType.trimmedDescription)
        finder.walk(source.tree)
        return finder.found
    }
}

/// Finds a class by its path.
private final class ClassFinder: SyntaxVisitor {
    private let path: [String]
    private var scope: [String] = []
    private(set) var found: ClassDeclSyntax?

    init(path: String) {
        self.path = path.split(separator: ".").map(String.init)
        super.init(viewMode: .sourceAccurate)
    }

    private func enter(_ name: String) -> SyntaxVisitorContinueKind {
        scope.append(name)
        return path.starts(with: scope) ? .visitChildren : .skipChildren
    }

    override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
        let kind = enter(node.name.text)
        if scope == path { found = node }
        return kind
    }
    override func visitPost(_ node: ClassDeclSyntax) { scope.removeLast() }
    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name.text) }
    override func visitPost(_ node: StructDeclSyntax) { scope.removeLast() }
    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name.text) }
    override func visitPost(_ node: EnumDeclSyntax) { scope.removeLast() }
    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}

extension AttributeListSyntax.Element {
    /// Whether the attribute is `@objc`.
    var isObjC: Bool {
        switch self {
        case .attribute(let attribute): attribute.attributeName.trimmedDescription == "objc"
        default: false
        }
    }
}

extension DeclSyntax {
    /// The modifier `override`.
    var overrideModifier: DeclModifierSyntax? {
        asProtocol((any WithModifiersSyntax).self)?.modifiers.first { $0.name.text == "override" }
    }
}

extension SyntaxProtocol {
    /// The nearest members of a type around a member.
    var enclosingMemberBlock: MemberBlockSyntax? {
        var node = parent
        while let current = node {
            if let block = current.as(MemberBlockSyntax.self) { return block }
            node = current.parent
        }
        return nil
    }
}
#endif
