internal import CFFmpeg
internal import Glibc
internal import HLS
internal import MediaCore
internal import Synchronization

/// Opens the resources that a local playlist refers to. Only files below the playlist's folder are allowed.
///
/// libav does not apply its protocol rules when it reads through custom I/O, so these rules are the only ones. The
/// opener is used by one thread at a time, like the format context that it serves.
final class NestedOpener {
    /// The playlist's folder with all links resolved. If it is nil, everything is rejected.
    private let root: String?
    private let interruption: Interruption
    private var open: [UnsafeMutablePointer<AVIOContext>: AVIOBridge] = [:]
    /// The contexts that libav's "crypto" protocol has created.
    private var decrypting: Set<UnsafeMutablePointer<AVIOContext>> = []
    /// The reason why the last resource could not be opened.
    private(set) var failure: MediaError?
    /// The number of nested resources that may be opened before the playlist itself is open. It stops a playlist that
    /// refers to itself.
    private static let openingLimit = 512
    private var openingCount = 0
    /// The date ranges of the first media playlist that has any.
    var dates: [DateSpan] = []
    /// Whether the playlist is open. The limit does not apply to its segments.
    var isOpened = false

    init(playlistPath: String?, interruption: Interruption) {
        self.root = playlistPath.flatMap { path in
            guard let resolved = NestedOpener.resolve(path) else { return nil }
            return String(resolved[..<(resolved.lastIndex(of: "/") ?? resolved.startIndex)])
        }
        self.interruption = interruption
    }

    /// Makes `context` open nested resources through this object, which must outlive the context.
    func install(on context: UnsafeMutablePointer<AVFormatContext>) {
        context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
        context.pointee.io_open = { format, result, url, flags, options in
            guard let opener = NestedOpener.from(format), let result, let url else { return PH_ERROR_EINVAL }
            return opener.openNested(String(cString: url), flags, options, result)
        }
        context.pointee.io_close2 = { format, io in
            guard let opener = NestedOpener.from(format), let io else { return 0 }
            return opener.closeNested(io)
        }
    }

    func clearFailure() { failure = nil }

    private static func from(_ format: UnsafeMutablePointer<AVFormatContext>?) -> NestedOpener? {
        guard let opaque = format?.pointee.opaque else { return nil }
        return Unmanaged<NestedOpener>.fromOpaque(opaque).takeUnretainedValue()
    }

    private func openNested(
        _ url: String,
        _ flags: Int32,
        _ options: UnsafeMutablePointer<OpaquePointer?>?,
        _ result: UnsafeMutablePointer<UnsafeMutablePointer<AVIOContext>?>
    ) -> Int32 {
        if interruption.mustAbort() { return PH_ERROR_EXIT }
        guard flags & AVIO_FLAG_WRITE == 0 else { return PH_ERROR_EPERM }
        if !isOpened {
            openingCount += 1
            guard openingCount <= NestedOpener.openingLimit else {
                failure = MediaError(
                    .exceedsLimits,
                    "too many resources in the playlist (limit \(NestedOpener.openingLimit))",
                    location: url
                )
                return PH_ERROR_EPERM
            }
        }
        let isEncrypted = url.hasPrefix("crypto:") || url.hasPrefix("crypto+")
        do throws(MediaError) {
            let path = try allowedPath(isEncrypted ? String(url.dropFirst("crypto:".count)) : url)
            if isEncrypted { return openEncrypted(path, options, result) }
            let bridge = try AVIOBridge(SourceReader(source(path), interruption))
            guard let context = bridge.context else { return PH_ERROR_ENOMEM }
            open[context] = bridge
            result.pointee = context
            return 0
        } catch {
            failure = error
            switch error.code {
            case .notFound: return PH_ERROR_ENOENT
            case .forbidden, .permissionDenied: return PH_ERROR_EPERM
            default: return PH_ERROR_EIO
            }
        }
    }

    /// Returns the source of a nested file. Playlists get an end tag, and their date ranges are stored.
    private func source(_ path: String) throws(MediaError) -> any ByteSource {
        let file = try FileByteSource(path: path)
        guard !isOpened, let playlist = try PlaylistSource(SourceReader(file, interruption)) else {
            return file
        }
        if dates.isEmpty { dates = playlist.text.dates }
        return playlist
    }

    /// Opens an AES-128 segment. libav decrypts it and may open only the allowed file.
    private func openEncrypted(
        _ path: String,
        _ options: UnsafeMutablePointer<OpaquePointer?>?,
        _ result: UnsafeMutablePointer<UnsafeMutablePointer<AVIOContext>?>
    ) -> Int32 {
        av_dict_set(options, "protocol_whitelist", "crypto,file", 0)
        var callback = interruption.makeCallback()
        // The context copies the callback. This object keeps the interruption alive.
        defer { Interruption.release(callback) }
        let code = avio_open2(result, "crypto:file:" + path, AVIO_FLAG_READ, &callback, options)
        if code >= 0, let context = result.pointee { decrypting.insert(context) }
        return code
    }

    private func closeNested(_ context: UnsafeMutablePointer<AVIOContext>) -> Int32 {
        if decrypting.remove(context) != nil { return avio_close(context) }
        // Releasing the bridge frees the context.
        open[context] = nil
        return 0
    }

    /// Returns the resolved path of a URL if it is below the playlist's folder.
    private func allowedPath(_ url: String) throws(MediaError) -> String {
        let location = try Location(url)
        guard case .file(let path) = location, let root else {
            throw MediaError(.forbidden, "playlist entry rejected: only files are allowed", location: url)
        }
        guard let resolved = NestedOpener.resolve(path) else {
            throw MediaError(.notFound, "file of the playlist not found", location: path)
        }
        guard resolved.hasPrefix(root + "/") else {
            throw MediaError(
                .forbidden,
                "playlist entry rejected: the file is outside the playlist's folder",
                location: path
            )
        }
        return resolved
    }

    /// Returns the path without links, "." and "..", or nil if there is no file.
    private static func resolve(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
