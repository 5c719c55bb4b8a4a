#if AppleSources
import SwiftSyntax

extension SourceTranslator {
    /// Modules whose symbols, as far as they exist on Linux, AVFoundation has or re-exports. They are imported if the build
    /// has them, as stand-ins.
    private static let covered: Set<String> = [
        "AppKit", "Cocoa", "CoreGraphics", "CoreVideo", "QuartzCore", "UIKit",
    ]

    func translateImport(_ node: ImportDeclSyntax) {
        guard let module = node.path.first?.name.text else { return }
        if ["AVFoundation", "AVKit"].contains(module) && node.importKindSpecifier == nil {
            importsModule = true
        }
        let isTopLevel = node.parent?.parent?.parent?.is(SourceFileSyntax.self) ?? false
        guard Self.covered.contains(module), isTopLevel, source.isAlone(node.range) else { return }
        needsImport = true
        let end = source.lineEnd
        let position = source.position(of: node.range.lowerBound)
        edits.insert(
            "#if canImport(\(module))\(end)\(source.locationDirective(line: position.line))\(end)",
            at: node.range.lowerBound - (position.column - 1)
        )
        let last = source.position(of: node.range.upperBound).line
        edits.insert(
            "\(end)#endif\(end)\(source.locationDirective(line: last))\(end)",
            at: node.range.upperBound
        )
    }
}
#endif
