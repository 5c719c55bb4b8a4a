import Foundation

#if AppleSources
    import AppleSourceTranslator
#endif

/// Translates the files of a target for the plugin `AppleSources`: `AppleSourceTool OUTPUT FILE...`.
///
/// Each translation is written to the folder `OUTPUT`, unless it is there already, so that the compiler only compiles what
/// has changed. Messages have the form of the compiler's. The exit status is 1 if there are any.
@main
struct AppleSourceTool {
    static func main() {
        do {
            let arguments = CommandLine.arguments.dropFirst()
            guard let output = arguments.first else { return fail("usage: AppleSourceTool OUTPUT FILE...") }
            try translate(Array(arguments.dropFirst()), into: URL(fileURLWithPath: output))
        } catch {
            fail("error: \(error.localizedDescription)")
        }
    }

    private static func fail(_ message: String) {
        print(message)
        exit(1)
    }

    #if AppleSources
        private static func translate(_ paths: [String], into output: URL) throws {
            let sources = try paths.map { path in
                AppleSource(
                    path: path,
                    text: try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
                )
            }
            let translation = Translation(of: sources)
            guard translation.messages.isEmpty else {
                return fail(translation.messages.map(\.description).joined(separator: "\n"))
            }
            for file in translation.files {
                let name = URL(fileURLWithPath: file.path).lastPathComponent
                let target = output.appendingPathComponent(translatedName(of: name))
                let data = Data(file.text.utf8)
                guard FileManager.default.contents(atPath: target.path) != data else { continue }
                try data.write(to: target, options: .atomic)
            }
        }

        /// Returns the name of a translated file, as the plugin expects it.
        private static func translatedName(of name: String) -> String {
            name == "main.swift" ? name : "translated-" + name
        }
    #else
        private static func translate(_ paths: [String], into output: URL) throws {
            fail(
                """
                error: the plugin AppleSources needs the package trait of the same name: \
                .package(url: "...", from: "...", traits: ["AppleSources"])
                """
            )
        }
    #endif
}
