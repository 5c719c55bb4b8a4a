public import FoundationEssentials
public import MediaCore
public import Network

/// Options for opening an asset.
public struct AssetOptions: Sendable {
    /// Whether to analyze the streams even if the header would suffice. This gives the most precise durations and frame
    /// rates, at the cost of a slower start.
    public var preciseTiming = false
    /// The source of the bytes. The URL is then not opened and only names the asset.
    public var byteSource: (any ByteSource)?
    /// The MIME type ("video/mp2t") that overrides the detected format. Nil detects the format by content and file name
    /// extension. Loading fails with the code `.unrecognizedFormat` if the type is unknown.
    public var overrideMIMEType: String?
    /// The encoding of a text file of subtitles that is not UTF-8. Nil reads such lines as Windows-1252.
    package var subtitleEncoding: TextEncoding?
    /// Options for http and https URLs.
    ///
    /// Nil, the default, selects those of the first player, preloader or feed that the asset is given to
    /// (`Player.Configuration.network`). An asset that is opened before that, for example by `load()` or for an image,
    /// has the default options. They never change afterwards.
    public var network: NetworkOptions?
    /// A closure that returns a new URL for the same resource when a server rejects the current one (status 401, 403,
    /// 404 or 410), as it happens with signed URLs that expire.
    ///
    /// If the closure is nil, or returns nil, the error is final. The resource must be the same: if its length or
    /// entity tag differs, reading fails with the code `.resourceChanged`. The closure is called on an arbitrary
    /// thread, one call at a time, and again only after further bytes have been received.
    ///
    /// The closure replaces the URL of the asset only. If that is a playlist, the closure is not called for the media
    /// playlists, segments and keys that it refers to, and not when a live playlist is reloaded: their signatures must
    /// be valid for as long as the presentation is played. If they expire and the item fails, playback can continue
    /// with another item, whose asset has a new URL and which is sought to the same time.
    public var renewedURL: (@Sendable (URL, PlaybackError) async -> URL?)?

    /// Creates options. By default the URL is opened and analyzed only as far as necessary.
    ///
    /// - Parameters:
    ///   - preciseTiming: Whether to analyze the streams for precise durations and frame rates.
    ///   - byteSource: The source of the bytes, or nil to open the URL.
    ///   - overrideMIMEType: The MIME type that overrides the detected format, or nil.
    ///   - network: Options for http and https URLs, or nil for those of the player.
    ///   - renewedURL: A closure that replaces an expired URL, or nil.
    public init(
        preciseTiming: Bool = false,
        byteSource: (any ByteSource)? = nil,
        overrideMIMEType: String? = nil,
        network: NetworkOptions? = nil,
        renewedURL: (@Sendable (URL, PlaybackError) async -> URL?)? = nil
    ) {
        self.preciseTiming = preciseTiming
        self.byteSource = byteSource
        self.overrideMIMEType = overrideMIMEType
        self.network = network
        self.renewedURL = renewedURL
    }
}
