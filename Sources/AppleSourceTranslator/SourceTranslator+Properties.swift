#if AppleSources
import SwiftSyntax

extension SourceTranslator {
    /// Translates `dynamic var`: a stored property of a class whose root is `NSObject` becomes observable.
    ///
    /// A class that inherits from another root, such as a stand-in, keeps a property without observers; observing it
    /// does not compile.
    func translateVariable(_ node: VariableDeclSyntax) {
        guard let modifier = node.modifiers.first(where: { $0.name.text == "dynamic" }) else { return }
        guard let name = scopes.last?.name.split(separator: ".").last,
            index.inheritsFromNSObject(String(name)),
            !node.isComputed, node.parent?.is(MemberBlockItemSyntax.self) ?? false
        else { return remove(modifier) }
        guard node.isObservable else {
            return report(
                modifier,
                "this property cannot be observed here: remove 'dynamic', or make it a stored property without 'lazy', "
                    + "'weak', 'override' and '!'"
            )
        }
        edits.insert("@KeyValueObservable ", at: node.range.lowerBound)
        remove(modifier)
        needsImport = true
    }
}

extension VariableDeclSyntax {
    /// Whether the property has a getter.
    fileprivate var isComputed: Bool {
        switch bindings.first?.accessorBlock?.accessors {
        case .getter: true
        case .accessors(let list):
            !list.allSatisfy { ["didSet", "willSet"].contains($0.accessorSpecifier.text) }
        case nil: false
        }
    }

    /// Whether the declaration has the modifier `dynamic` and can have a property wrapper.
    var isObservable: Bool {
        let names = modifiers.map(\.name.text)
        guard names.contains("dynamic"), bindings.count == 1, !isComputed, bindingSpecifier.text == "var",
            !names.contains(where: ["lazy", "weak", "unowned", "override", "static", "class"].contains)
        else { return false }
        return bindings.first?.typeAnnotation?.type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) != true
    }
}
#endif
