internal import CCurl
internal import MediaCore

/// Cookies that servers have set, kept in memory for the lifetime of the store.
///
/// Each cookie is kept for the origin that set it (scheme, host and port): another port of the same host is another
/// origin. By default each asset has a store of its own. Assets that share a store through `NetworkOptions.cookies`
/// appear to a server as one client.
public final class CookieStore: Hashable, Sendable {
    private let jars = Locked([String: CookieJar]())

    /// Creates an empty store.
    public init() {}

    /// Returns whether both values are the same object.
    public static func == (one: CookieStore, other: CookieStore) -> Bool { one === other }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// Returns true if no server of the origin has set a cookie.
    func isEmpty(for address: HTTPAddress) -> Bool {
        jars.withLock { $0[address.origin] }?.hasCookies.withLock { $0 } != true
    }

    /// Returns the cookies of an origin. Creates an empty jar on the first call.
    func jar(of address: HTTPAddress) -> CookieJar {
        jars.withLock { jars in
            if let jar = jars[address.origin] { return jar }
            let jar = CookieJar()
            jars[address.origin] = jar
            return jar
        }
    }
}

/// The cookies of one origin, kept by libcurl.
///
/// `@unchecked Sendable`: everything except `hasCookies` is confined to the thread of the transfer loop. The
/// deinitializer runs when no request uses the jar any more.
final class CookieJar: @unchecked Sendable {
    /// Whether a server has set a cookie. Readable on any thread.
    let hasCookies = Locked(false)
    private var share: UnsafeMutableRawPointer?
    private var functions: UnsafePointer<ph_curl>?

    deinit {
        if let share, let functions { _ = functions.pointee.curl_share_cleanup(share) }
    }

    /// Makes a request send the cookies of this jar and store those of its response. If memory is exhausted, the
    /// request has no cookies.
    func attach(to handle: UnsafeMutableRawPointer, _ functions: UnsafePointer<ph_curl>) {
        if share == nil {
            self.functions = functions
            guard let created = functions.pointee.curl_share_init() else { return }
            _ = ph_curl_share_cookies(functions, created)
            share = created
        }
        _ = ph_curl_set_pointer(functions, handle, Int32(PH_CURL_SHARE), share)
        // An empty file name enables the cookie engine without reading a file.
        _ = ph_curl_set_text(functions, handle, Int32(PH_CURL_COOKIE_FILE), "")
    }
}
