internal import Glibc

/// The IP address of a server: 4 bytes for IPv4, 16 for IPv6.
package struct PeerAddress: Hashable, Sendable {
    package let bytes: [UInt8]

    /// Parses an address such as "10.0.0.1" or "fe80::1%eth0". Returns nil if the text is not an address.
    package init?(_ text: String) {
        let text = String(text.prefix { $0 != "%" })
        var v4 = in_addr()
        var v6 = in6_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            bytes = withUnsafeBytes(of: v4) { Array($0) }
        } else if inet_pton(AF_INET6, text, &v6) == 1 {
            bytes = withUnsafeBytes(of: v6) { Array($0) }
        } else {
            return nil
        }
    }

    /// Parses an address. Also accepts "2130706433" and "0x7f.1", which libcurl treats as IPv4 addresses.
    init?(numeric text: String) {
        var v4 = in_addr()
        guard inet_aton(text, &v4) == 1 else {
            self.init(text)
            return
        }
        self.init(withUnsafeBytes(of: v4) { $0.map { "\($0)" }.joined(separator: ".") })
    }

    /// Copies a socket address. Returns nil if it is neither IPv4 nor IPv6.
    init?(_ address: UnsafePointer<sockaddr>, length: Int) {
        switch Int32(address.pointee.sa_family) {
        case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
            bytes = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
                withUnsafeBytes(of: pointer.pointee.sin_addr) { Array($0) }
            }
        case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
            bytes = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
                withUnsafeBytes(of: pointer.pointee.sin6_addr) { Array($0) }
            }
        default: return nil
        }
    }

    /// Whether the address is reachable from the public internet: not loopback, not a private or carrier network, not
    /// multicast (the registries of RFC 6890). An IPv6 address with an embedded IPv4 address counts as that address.
    package var isPublic: Bool {
        if let inner = innerV4 { return Self.isPublicV4(inner) }
        // 2000::/3 is global unicast. 2001:db8::/32 is reserved for documentation.
        return bytes[0] & 0xE0 == 0x20 && !bytes.starts(with: [0x20, 0x01, 0x0D, 0xB8])
    }

    /// The embedded IPv4 address: plain, mapped (::ffff:0:0/96), translated (64:ff9b::/96) or 6to4 (2002::/16).
    private var innerV4: ArraySlice<UInt8>? {
        if bytes.count == 4 { return bytes[...] }
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        let translated: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
        if bytes.starts(with: mapped) || bytes.starts(with: translated) { return bytes[12...] }
        if bytes.starts(with: [0x20, 0x02]) { return bytes[2..<6] }
        return nil
    }

    private static func isPublicV4(_ bytes: ArraySlice<UInt8>) -> Bool {
        let number = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return !privateV4.contains { block in
            number >> (32 - block.length) == block.prefix >> (32 - block.length)
        }
    }

    private static let privateV4: [(prefix: UInt32, length: UInt32)] = [
        (0x0000_0000, 8),  // this network
        (0x0A00_0000, 8), (0xAC10_0000, 12), (0xC0A8_0000, 16),  // private networks
        (0x6440_0000, 10),  // carrier-grade NAT
        (0x7F00_0000, 8),  // loopback
        (0xA9FE_0000, 16),  // link local
        (0xC000_0000, 24), (0xC000_0200, 24),  // protocol assignments, documentation
        (0xC633_6400, 24), (0xCB00_7100, 24),  // documentation
        (0xC612_0000, 15),  // benchmarking
        (0xE000_0000, 3),  // multicast, reserved, broadcast
    ]
}
