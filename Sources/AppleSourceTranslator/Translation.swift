#if AppleSources
import SwiftSyntax

/// The Swift files of a target, translated for Linux's Swift.
///
/// The files are translated together, because a file can depend on the classes and protocols of another one.
public struct Translation: Sendable {
    /// The translated files, in the order of the originals.
    public let files: [AppleSource]
    /// Messages about code that cannot be translated, in the order of files and lines. The translation is of use only
    /// if there are none.
    public let messages: [TranslationMessage]

    /// Translates files.
    ///
    /// - Parameter sources: All files of the target that are to be translated.
    public init(of sources: [AppleSource]) {
        let parsed = sources.map(ParsedSource.init)
        var index = DeclarationIndex()
        for source in parsed { index.add(source) }
        var files: [AppleSource] = []
        var messages: [TranslationMessage] = []
        for source in parsed {
            let translator = SourceTranslator(source, index)
            translator.walk(source.tree)
            files.append(AppleSource(path: source.path, text: translator.translatedText()))
            messages += translator.messages.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
        }
        self.files = files
        self.messages = messages
    }
}
#endif
