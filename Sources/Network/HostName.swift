internal import Glibc

/// Names of hosts with characters beyond ASCII.
///
/// libidn2 converts them. Debian's libcurl needs it as well, but uses it in the character set of the process's locale.
enum HostName {
    private typealias Lookup =
        @convention(c) @Sendable (
            UnsafePointer<CChar>, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, CInt
        ) -> CInt

    /// `idn2_lookup_u8`, or nil if libidn2 is not installed.
    private static let lookup: Lookup? = {
        guard let library = dlopen("libidn2.so.0", RTLD_NOW | RTLD_LOCAL),
            let function = dlsym(library, "idn2_lookup_u8")
        else { return nil }
        return unsafeBitCast(function, to: Lookup.self)
    }()

    /// `IDN2_NFC_INPUT` and `IDN2_NONTRANSITIONAL`: UTS #46, as in libcurl.
    private static let flags: CInt = 1 | 8

    /// Returns a host as it is sent to servers: "xn--mller-kva.example" for "müller.example".
    ///
    /// - Parameter host: A name or an address, percent-decoded.
    /// - Returns: `host` if it is ASCII. Nil if it is not a valid name, or if libidn2 is not installed.
    static func ascii(_ host: String) -> String? {
        guard !host.utf8.allSatisfy({ $0 < 0x80 }) else { return host }
        var result: UnsafeMutablePointer<CChar>?
        guard let lookup, lookup(host, &result, flags) == 0, let result else { return nil }
        // libidn2 allocates with malloc.
        defer { free(result) }
        return String(cString: result)
    }
}
