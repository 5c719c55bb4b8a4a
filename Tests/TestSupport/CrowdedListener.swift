internal import Foundation
internal import Glibc

/// A port whose accept queue is full. Clients wait for a connection as if the server did not respond.
package final class CrowdedListener: Sendable {
    package let port: UInt16
    private let listener: Int32
    private let crowd: [Int32]
    /// The local ports of the connections that fill the queue, in the notation of /proc/net/tcp.
    private let crowdPorts: Set<String>

    /// Listens on 127.0.0.`host`. Throws if no socket is available.
    package init(host: UInt8 = 1, port wanted: UInt16 = 0) throws {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        listener = socket(AF_INET, kind, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = (0x7F00_0000 | UInt32(host)).bigEndian
        address.sin_port = wanted.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        var crowd: [Int32] = []
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(listener, address, length) == 0, listen(listener, 0) == 0,
                    getsockname(listener, address, &length) == 0
                else { return false }
                for _ in 0..<3 {
                    let client = socket(AF_INET, kind | Int32(SOCK_NONBLOCK.rawValue), 0)
                    crowd.append(client)
                    _ = connect(client, address, length)
                }
                return true
            }
        }
        guard listener >= 0, isBound else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        port = UInt16(bigEndian: address.sin_port)
        self.crowd = crowd
        crowdPorts = Set(crowd.map(Self.localPort))
    }

    deinit { for descriptor in crowd + [listener] { close(descriptor) } }

    /// Returns the number of other connections in progress.
    package func connecting() throws -> Int {
        // Reading this file by its path would return only one page.
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/net/tcp"))
        defer { file.closeFile() }
        let table = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        let suffix = Self.suffix(port)
        return table.split(separator: "\n").count { line in
            let fields = line.split(separator: " ")
            // SYN_SENT
            guard fields.count > 3, fields[2].hasSuffix(suffix), fields[3] == "02" else { return false }
            return !crowdPorts.contains { fields[1].hasSuffix($0) }
        }
    }

    private static func localPort(_ descriptor: Int32) -> String {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return suffix(UInt16(bigEndian: address.sin_port))
    }

    private static func suffix(_ port: UInt16) -> String { String(format: ":%04X", Int(port)) }
}
