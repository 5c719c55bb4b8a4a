import Glibc

/// An address and a port to listen on: "8080", "0.0.0.0:8080", "[::1]:8080" or "localhost:8080".
struct HTTPEndpoint: Sendable {
    /// A numeric address.
    let address: String
    let port: UInt16

    init?(_ text: String) {
        let separator = text.lastIndex(of: ":")
        let number = separator.map { text[text.index(after: $0)...] } ?? text[...]
        // The initializer accepts a sign.
        guard number.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(number) else {
            return nil
        }
        var address = separator.map { String(text[..<$0]) } ?? "127.0.0.1"
        if address.hasPrefix("["), address.hasSuffix("]") { address = String(address.dropFirst().dropLast()) }
        if address == "localhost" { address = "127.0.0.1" }
        self.address = address
        self.port = port
        guard Self.resolve(address, port)?.isEmpty == false else { return nil }
    }

    var isLoopback: Bool { address.hasPrefix("127.") || address == "::1" }

    func url(port: UInt16) -> String {
        "http://" + (address.contains(":") ? "[\(address)]" : address) + ":\(port)/"
    }

    /// Opens a socket that listens.
    ///
    /// - Returns: The descriptor and the port, which the system chooses for 0.
    /// - Throws: `ControlSocketError` if the address is not available.
    func listen() throws(ControlSocketError) -> (descriptor: Int32, port: UInt16) {
        let name = url(port: port)
        guard let bytes = Self.resolve(address, port) else { throw ControlSocketError(name, EINVAL) }
        let family = Int32(bytes.withUnsafeBytes { $0.load(as: sa_family_t.self) })
        let descriptor = socket(
            family,
            Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue),
            0
        )
        guard descriptor >= 0 else { throw ControlSocketError(name, errno) }
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        let isBound = bytes.withUnsafeBytes { bytes in
            bytes.baseAddress.map {
                bind(descriptor, $0.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count)) == 0
            } ?? false
        }
        var actual = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isListening =
            isBound && Glibc.listen(descriptor, 128) == 0
            && withUnsafeMutablePointer(to: &actual) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
                    == 0
            }
        guard isListening else {
            let error = ControlSocketError(name, errno)
            Glibc.close(descriptor)
            throw error
        }
        // The port is at the same offset in addresses of IPv4 and IPv6.
        let port = withUnsafeBytes(of: actual) {
            UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self))
        }
        return (descriptor, port)
    }

    /// Returns the bytes of a socket address, or nil if `address` is not numeric.
    private static func resolve(_ address: String, _ port: UInt16) -> [UInt8]? {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address, "\(port)", &hints, &found) == 0, let first = found else { return nil }
        defer { freeaddrinfo(first) }
        return [UInt8](
            UnsafeRawBufferPointer(start: first.pointee.ai_addr, count: Int(first.pointee.ai_addrlen))
        )
    }
}
