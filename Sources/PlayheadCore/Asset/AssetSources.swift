import FFmpeg
import FoundationEssentials
import HLS
import MediaCore
import Network
import PlayheadBackend

/// The sources that all openings of an asset share, so that received bytes are reused.
struct AssetSources {
    /// The options for requests.
    let network: NetworkOptions
    /// The HTTP source. Nil if the URL has neither the scheme http nor https, and if the application supplies the
    /// bytes.
    let remote: Result<HTTPByteSource?, MediaError>
    /// The playlist resources. Nil if the asset cannot be a playlist: the application supplies the bytes, or it is
    /// a file with the name of another format.
    let playlists: PresentationResources?

    init(of url: URL, _ options: AssetOptions, network: NetworkOptions) {
        let remote = Result<HTTPByteSource?, MediaError> { () throws(MediaError) in
            guard options.byteSource == nil, let scheme = url.scheme?.lowercased(),
                ["http", "https"].contains(scheme)
            else { return nil }
            return try HTTPByteSource(
                url: url.absoluteString,
                options: network,
                urlRefresh: Self.urlRefresh(of: url, options)
            )
        }
        let local = Self.playlistPath(url, options).map { FileResource(location: $0) }
        let root: (any ResourceByteSource)? = if case .success(let source?) = remote { source } else { local }
        self.network = network
        self.remote = remote
        playlists = root.map { PresentationResources(root: $0) }
    }

    /// Returns the location of a local file that may be a playlist by its name or its declared type. Otherwise returns
    /// nil.
    private static func playlistPath(_ url: URL, _ options: AssetOptions) -> String? {
        let location = location(of: url)
        guard options.byteSource == nil, url.isFileURL || url.scheme == nil, location != "-" else {
            return nil
        }
        let isPossible = options.container.map { $0 == "hls" } ?? PlaylistSignature.mayName(location)
        return isPossible ? location : nil
    }

    private static func urlRefresh(of url: URL, _ options: AssetOptions) -> HTTPRepresentation.URLRefresh? {
        guard let renewedURL = options.renewedURL else { return nil }
        return { error in await renewedURL(url, PlaybackError(error, url: url))?.absoluteString }
    }

    /// Returns the location for the backend: the path of a `file:` URL, "-" for standard input, otherwise the URL.
    static func location(of url: URL) -> String {
        if url.isFileURL { return url.path }
        return url.scheme == nil ? url.relativePath : url.absoluteString
    }
}

extension AssetOptions {
    /// FFmpeg's name of the declared container, or nil if it is to be detected.
    var container: String? { overrideMIMEType.map { MIMEType.container(of: $0) ?? $0 } }
}
