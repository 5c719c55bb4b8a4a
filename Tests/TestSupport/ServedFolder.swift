package import Foundation
package import Playhead

/// A folder of a misbehaving server, as a good one would serve it but for what a test changes.
package final class ServedFolder: Sendable {
    package let server: FaultServer

    /// `files` by their paths; `change` makes something else of single answers.
    package init(
        _ files: [String: [UInt8]],
        change: @escaping @Sendable (FaultServer.Request, inout FaultServer.Answer) -> Void = { _, _ in }
    ) throws {
        server = try FaultServer { request in
            let path = String(request.path.prefix { $0 != "?" })
            var answer =
                files[path].map { FaultServer.Answer.file($0, for: request) } ?? FaultServer.Answer(404)
            change(request, &answer)
            return answer
        }
    }

    deinit { server.stop() }

    /// All files below a folder, by their paths: "/list.m3u8".
    package static func files(_ folder: URL) throws -> [String: [UInt8]] {
        var result: [String: [UInt8]] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            let file = folder.appendingPathComponent(name)
            guard (try file.resourceValues(forKeys: [.isRegularFileKey])).isRegularFile == true else {
                continue
            }
            // Not by `Data(contentsOf:)`, which leaks memory where the file is empty.
            result["/" + name] = [UInt8](try FileHandle(forReadingFrom: file).readToEnd() ?? Data())
        }
        return result
    }

    package func asset(_ path: String, timeout: Double = 10) throws -> Asset {
        guard let url = URL(string: server.url(path)) else { throw URLError(.badURL) }
        return Asset(url: url, options: AssetOptions(network: NetworkOptions(timeout: timeout)))
    }

    /// Paths in the order in which they were asked for.
    package var paths: [String] { server.log.map(\.path) }
}
