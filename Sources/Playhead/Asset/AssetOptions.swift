public import Foundation
public import MediaCore
public import Network

/// How to open an asset.
public struct AssetOptions: Sendable {
    /// Analyse the streams even where the header says enough: the best durations and frame rates that can be
    /// had, for a slower start.
    public var preciseTiming = false
    /// Bytes to read instead of opening the URL, which then only serves as a name.
    public var byteSource: (any ByteSource)?
    /// The type that the bytes are taken for ("video/mp2t"), whatever they and the URL's extension say; nil: those
    /// decide. Loading a type that is not known fails with `.unrecognizedFormat`.
    public var overrideMIMEType: String?
    /// How http and https URLs are read.
    public var network = NetworkOptions()
    /// Gives another URL of the same resource where a server refuses the present one or does not know it any more (401, 403,
    /// 404, 410), as with links that are good for a while only; nil: there is none, and the error stands. The resource must
    /// be the same: where its length or its tag differs, reading fails with `.resourceChanged`. Called on no thread in
    /// particular, once at a time, and again only after further bytes have come.
    public var renewedURL: (@Sendable (URL, PlaybackError) async -> URL?)?

    /// What is left out is as it is by default: the URL is opened, and looked into no further than need be.
    public init(
        preciseTiming: Bool = false,
        byteSource: (any ByteSource)? = nil,
        overrideMIMEType: String? = nil,
        network: NetworkOptions = NetworkOptions(),
        renewedURL: (@Sendable (URL, PlaybackError) async -> URL?)? = nil
    ) {
        self.preciseTiming = preciseTiming
        self.byteSource = byteSource
        self.overrideMIMEType = overrideMIMEType
        self.network = network
        self.renewedURL = renewedURL
    }
}
