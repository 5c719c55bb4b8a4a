// The names of constants are Apple's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import FoundationNetworking
import MediaCore
import Network
import Playhead

/// The key of an `NSNumber` that requests the most precise durations and times, at the cost of a slower start.
public let AVURLAssetPreferPreciseDurationAndTimingKey = "AVURLAssetPreferPreciseDurationAndTimingKey"
/// The key of the MIME type that overrides the detected format.
public let AVURLAssetOverrideMIMETypeKey = "AVURLAssetOverrideMIMETypeKey"
/// The key of the value of the header User-Agent.
public let AVURLAssetHTTPUserAgentKey = "AVURLAssetHTTPUserAgentKey"
/// The key of an array of `HTTPCookie`s. Those that apply to the URL are sent with each request to its origin, also for
/// other paths, and none is sent to another origin.
public let AVURLAssetHTTPCookiesKey = "AVURLAssetHTTPCookiesKey"
/// The key of an `NSNumber` that permits cellular networks. Has no effect.
public let AVURLAssetAllowsCellularAccessKey = "AVURLAssetAllowsCellularAccessKey"
/// The key of an `NSNumber` that permits networks that charge for data. Has no effect.
public let AVURLAssetAllowsExpensiveNetworkAccessKey = "AVURLAssetAllowsExpensiveNetworkAccessKey"
/// The key of an `NSNumber` that permits networks on which the user saves data. Has no effect.
public let AVURLAssetAllowsConstrainedNetworkAccessKey = "AVURLAssetAllowsConstrainedNetworkAccessKey"

/// The media at a URL that is given at creation.
///
/// `@unchecked Sendable`: as for `AVAsset`.
open class AVURLAsset: AVAsset, @unchecked Sendable {
    /// Creates an asset for a URL. Does no I/O.
    ///
    /// - Parameters:
    ///   - url: The URL of the media: a file, or an http or https URL.
    ///   - options: Values for the keys of this module, and the headers of requests for the key
    ///     "AVURLAssetHTTPHeaderFieldsKey". Other keys have no effect.
    public init(url: URL, options: [String: Any]? = nil) {
        var assetOptions = Self.assetOptions(options ?? [:], url)
        let source = ResourceLoaderSource(url, assetOptions.network ?? NetworkOptions())
        assetOptions.byteSource = source
        resourceLoader = source?.loader ?? AVAssetResourceLoader()
        super.init(asset: AdapterConfiguration.makeAsset(url, assetOptions))
    }

    /// Creates an asset over an asset of the player's API.
    override init(asset: Asset) {
        let source = asset.options.byteSource as? ResourceLoaderSource
        resourceLoader = source?.loader ?? AVAssetResourceLoader()
        super.init(asset: asset)
    }

    /// Asks its delegate for the bytes if the scheme of the URL is neither `file` nor `http` nor `https`.
    public let resourceLoader: AVAssetResourceLoader

    /// The URL that the asset was created with.
    open var url: URL { asset.url }

    /// Returns the MIME types of media that can be opened, sorted.
    ///
    /// - Returns: The types.
    open class func audiovisualMIMETypes() -> [String] { Asset.audiovisualMIMETypes }

    /// Returns whether media of a MIME type can be played. Each codec that the type names must be one that can be
    /// decoded.
    ///
    /// - Parameter extendedMIMEType: The type, such as `video/mp4; codecs="avc1.42E01E, mp4a.40.2"`.
    /// - Returns: True if the media can be played; false also for unknown types.
    open class func isPlayableExtendedMIMEType(_ extendedMIMEType: String) -> Bool {
        Asset.isPlayableExtendedMIMEType(extendedMIMEType)
    }

    private static func assetOptions(_ options: [String: Any], _ url: URL) -> AssetOptions {
        var result = AssetOptions()
        let precise = options[AVURLAssetPreferPreciseDurationAndTimingKey]
        result.preciseTiming = precise as? Bool ?? (precise as? NSNumber)?.boolValue ?? false
        result.overrideMIMEType = options[AVURLAssetOverrideMIMETypeKey] as? String
        var network = NetworkOptions()
        let headers = options["AVURLAssetHTTPHeaderFieldsKey"] as? [String: String] ?? [:]
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
            network.headers.append(NetworkOptions.Header(name: name, value: value))
        }
        if let agent = options[AVURLAssetHTTPUserAgentKey] as? String {
            network.headers.append(NetworkOptions.Header(name: "User-Agent", value: agent))
        }
        let cookies = options[AVURLAssetHTTPCookiesKey] as? [HTTPCookie] ?? []
        let sent = cookies.filter { $0.applies(to: url) }
        if !sent.isEmpty {
            let value = sent.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
            network.headers.append(NetworkOptions.Header(name: "Cookie", value: value))
        }
        if !network.headers.isEmpty { result.network = network }
        return result
    }
}
