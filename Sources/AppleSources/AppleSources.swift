import Foundation
import PackagePlugin

/// Translates the Swift files in `AppleSources/TARGET`, beside the manifest of the package, and adds them to the target.
@main
struct AppleSources: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let folder = context.package.directoryURL.appending(components: "AppleSources", target.name)
        let files = swiftFiles(in: folder)
        guard !files.isEmpty else {
            Diagnostics.error(
                "there is no Swift file in \(folder.path), which the plugin AppleSources translates"
            )
            return []
        }
        let output = context.pluginWorkDirectoryURL
        return [
            .buildCommand(
                displayName: "Translating the Apple sources of \(target.name)",
                executable: try context.tool(named: "AppleSourceTool").url,
                arguments: [output.path] + files.map(\.path),
                inputFiles: files,
                outputFiles: files.map {
                    output.appending(component: translatedName(of: $0.lastPathComponent))
                }
            )
        ]
    }

    /// Returns the name of a translated file, as the tool does: the compiler warns about a file that has the name of the
    /// original. Only a file named `main.swift` can contain statements.
    private func translatedName(of name: String) -> String {
        name == "main.swift" ? name : "translated-" + name
    }

    /// Returns the Swift files in a folder and the folders in it, in the order of their paths. Links are followed.
    private func swiftFiles(in folder: URL) -> [URL] {
        // A folder that does not exist has no files, which the caller reports.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().flatMap { name in
            let url = folder.appending(component: name)
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
                return [URL]()
            }
            return isFolder.boolValue ? swiftFiles(in: url) : url.pathExtension == "swift" ? [url] : []
        }
    }
}
