internal import MediaCore

/// A resource of a server, with the request properties that determine its response.
struct HTTPResource: Sendable {
    /// The server that referred to the URL, if any.
    enum Referrer: Hashable, Sendable {
        /// The application has chosen the URL.
        case none
        case privateServer
        /// A server with a public address, which must not refer to private addresses.
        case publicServer
    }

    let address: HTTPAddress
    let options: NetworkOptions
    var referrer = Referrer.none

    /// Parses a URL and checks the options.
    ///
    /// - Throws: `MediaError` with the code `.invalidArgument` if the URL is not an http or https URL or the options
    ///   are invalid.
    init(url: String, options: NetworkOptions, referrer: Referrer = .none) throws(MediaError) {
        guard let address = HTTPAddress(url) else {
            throw MediaError(.invalidArgument, "not an http or https URL with a host")
        }
        if let flaw = options.flaw { throw MediaError(.invalidArgument, flaw, location: address.name) }
        self.address = address
        self.options = options
        self.referrer = referrer
    }

    private init(_ address: HTTPAddress, _ options: NetworkOptions, _ referrer: Referrer) {
        self.address = address
        self.options = options
        self.referrer = referrer
    }

    /// Returns the digest that names the files of the resource in the disk cache, or nil without a cache. Calls the
    /// application's key function.
    func cacheKey() -> [UInt8]? { options.cache.map { $0.digest(self) } }

    /// Returns a resource that this one refers to. Credentials and header fields that may be secret are sent to the
    /// same origin only.
    ///
    /// - Parameters:
    ///   - url: The reference, absolute or relative to the URL of this resource.
    ///   - isPublic: Whether a public server has sent this resource.
    ///   - isCached: Whether the disk cache may store the resource.
    /// - Throws: `MediaError` if the reference is not an allowed URL.
    func referenced(_ url: String, isPublic: Bool, isCached: Bool) throws(MediaError) -> HTTPResource {
        let target = try address.resolving(url)
        var options = options
        if !isCached { options.cache = nil }
        if target.origin != address.origin { options.headers.removeAll { !$0.mayCrossOrigins } }
        return HTTPResource(target, options, isPublic ? .publicServer : .privateServer)
    }
}

/// Resources are the same if the same server responses are allowed for them. The private server that refers to one
/// makes no difference.
extension HTTPResource: Hashable {
    static func == (one: HTTPResource, other: HTTPResource) -> Bool {
        one.address == other.address && one.options == other.options
            && (one.referrer == .publicServer) == (other.referrer == .publicServer)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(address)
        hasher.combine(options)
    }
}
