package import Foundation
package import Playhead

/// A folder on a server that behaves correctly except for the changes of a test.
package final class ServedFolder: Sendable {
    package let server: FaultServer

    /// Serves files by their paths. `change` modifies single responses.
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

    /// Returns all files below a folder by their paths, such as "/list.m3u8".
    package static func files(_ folder: URL) throws -> [String: [UInt8]] {
        var result: [String: [UInt8]] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            let file = folder.appendingPathComponent(name)
            guard (try file.resourceValues(forKeys: [.isRegularFileKey])).isRegularFile == true else {
                continue
            }
            // `Data(contentsOf:)` leaks memory if the file is empty.
            result["/" + name] = [UInt8](try FileHandle(forReadingFrom: file).readToEnd() ?? Data())
        }
        return result
    }

    package func asset(_ path: String, timeout: Duration = .seconds(10)) throws -> Asset {
        guard let url = URL(string: server.url(path)) else { throw URLError(.badURL) }
        return Asset(url: url, options: AssetOptions(network: NetworkOptions(timeout: timeout)))
    }

    /// The paths of the requests, in order.
    package var paths: [String] { server.log.map(\.path) }
}
