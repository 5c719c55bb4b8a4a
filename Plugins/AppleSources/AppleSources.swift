import Foundation
import PackagePlugin

/// Translates the Swift files in `AppleSources/TARGET`, beside the manifest of the package, and adds them to the target.
@main
struct AppleSources: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let folder = context.package.directoryURL.appending(components: "AppleSources", target.name)
        let files = swiftFiles(in: folder)
        guard !files.isEmpty else {
            Diagnostics.error("there is no Swift file in \(folder.path), which the plugin AppleSources translates")
            return []
        }
        let output = context.pluginWorkDirectoryURL
        return [
            .buildCommand(
                displayName: "Translating the Apple sources of \(target.name)",
                executable: try context.tool(named: "AppleSourceTool").url,
                arguments: [output.path] + files.map(\.path),
                inputFiles: files,
                outputFiles: files.map { output.appending(component: $0.lastPathComponent) }
            )
        ]
    }

    /// Returns the Swift files in a folder and the folders in it, in the order of their paths.
    private func swiftFiles(in folder: URL) -> [URL] {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return (files?.compactMap { $0 as? URL } ?? [])
            .filter { $0.pathExtension == "swift" }
            .sorted { $0.path < $1.path }
    }
}
