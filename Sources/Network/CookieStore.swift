internal import CCurl
internal import MediaCore

/// Cookies that servers set, for as long as it lives and no longer.
///
/// Each is kept for the origin that set it (scheme, host and port): another port of the same host is another server. An asset has a
/// store of its own, unless `NetworkOptions.cookies` gives it one: then all assets that were given it are one visitor.
public final class CookieStore: Hashable, Sendable {
    private let jars = Locked([String: CookieJar]())

    /// An empty one.
    public init() {}

    /// The same object.
    public static func == (one: CookieStore, other: CookieStore) -> Bool { one === other }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// No server of the origin has set any.
    func isEmpty(for address: HTTPAddress) -> Bool {
        jars.withLock { $0[address.origin] }?.hasCookies.withLock { $0 } != true
    }

    func jar(of address: HTTPAddress) -> CookieJar {
        jars.withLock { jars in
            if let jar = jars[address.origin] { return jar }
            let jar = CookieJar()
            jars[address.origin] = jar
            return jar
        }
    }
}

/// libcurl's cookies of one origin.
///
/// `@unchecked Sendable`: all but `hasCookies` is confined to the loop's thread, but for its end, when no request holds it any more.
final class CookieJar: @unchecked Sendable {
    /// A server has set some. Read on any thread.
    let hasCookies = Locked(false)
    private var share: UnsafeMutableRawPointer?
    private var functions: UnsafePointer<ph_curl>?

    deinit {
        if let share, let functions { _ = functions.pointee.curl_share_cleanup(share) }
    }

    /// The request sends them, and what its answer sets is kept. Without memory for them there are none.
    func attach(to handle: UnsafeMutableRawPointer, _ functions: UnsafePointer<ph_curl>) {
        if share == nil {
            self.functions = functions
            guard let created = functions.pointee.curl_share_init() else { return }
            _ = ph_curl_share_cookies(functions, created)
            share = created
        }
        _ = ph_curl_set_pointer(functions, handle, Int32(PH_CURL_SHARE), share)
        // No file: it makes the handle look at cookies at all.
        _ = ph_curl_set_text(functions, handle, Int32(PH_CURL_COOKIE_FILE), "")
    }
}
