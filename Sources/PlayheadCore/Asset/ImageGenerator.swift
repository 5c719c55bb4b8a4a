public import MediaCore
import PlaybackEngine
package import PlayheadBackend

/// The result of an image request.
public enum ImageResult: Sendable {
    /// The image that the tolerances allow, and the time at which it is presented on the item's timeline.
    case success(requestedTime: MediaTime, frame: VideoFrame, actualTime: MediaTime)
    /// The image could not be made. The error has the code `.cancelled` if the request was cancelled.
    case failure(requestedTime: MediaTime, error: PlaybackError)

    /// The requested time.
    public var requestedTime: MediaTime {
        switch self {
        case .success(let time, _, _), .failure(let time, _): time
        }
    }

    /// The image.
    ///
    /// - Throws: The error of a request that failed.
    public var frame: VideoFrame {
        get throws(PlaybackError) {
            switch self {
            case .success(_, let frame, _): return frame
            case .failure(_, let error): throw error
            }
        }
    }

    /// The time at which the image is presented on the item's timeline.
    ///
    /// - Throws: The error of a request that failed.
    public var actualTime: MediaTime {
        get throws(PlaybackError) { try frame.presentationTime }
    }
}

/// Makes still images of an asset: posters, thumbnails, and frames for a filmstrip.
///
/// All members may be used from any thread, and no call blocks. Requests are answered one at a time in the order of the
/// calls; they share one open file and one decoder. Request times in ascending order: decoding then continues where it
/// stopped, and a request for the frame that was delivered last costs nothing. `images(for:)` makes an image only when
/// it is read, so a long list needs little memory.
///
/// Changing a property does not affect requests in flight. Image generation has lower priority than playback: it does
/// little while a player has work to do. Releasing a generator cancels its pending requests.
public final class ImageGenerator: Sendable {
    /// The asset that images are made of. It is opened with the first request.
    public let asset: Asset

    private struct Settings {
        var before = MediaTime.positiveInfinity
        var after = MediaTime.positiveInfinity
        var maximumSize: PixelSize?
        var targetSize: PixelSize?
        var gravity = VideoGravity.resizeAspect
        var background = Color.clear
        var pixelFormats: [PixelFormat] = []
        var isUpright = false
        var deinterlacing = Deinterlacing.auto
        var dynamicRange = DynamicRangePolicy.forceSDR
        var subtitleTrack: Int?
        var legibleAsset: Asset?
        var subtitles: ImageSubtitles?
    }

    private let settings = Locked(Settings())
    private let queue: ImageRequestQueue
    private let backend: (any MediaBackend)?

    /// Creates an image generator without doing any I/O.
    ///
    /// - Parameter asset: The asset to make images of.
    public convenience init(asset: Asset) { self.init(asset: asset, clock: .host) }

    /// Creates an image generator that runs on a driver of the caller, for tests.
    ///
    /// - Parameters:
    ///   - asset: The asset to make images of.
    ///   - clock: The driver. Image generation does not depend on time.
    public convenience init(asset: Asset, clock: ClockMode) {
        self.init(asset: asset, clock: clock, backend: nil)
    }

    /// Creates an image generator with a backend, unless the asset has one of its own. Nil is the default one.
    package init(asset: Asset, clock: ClockMode, backend: (any MediaBackend)?) {
        self.asset = asset
        self.backend = backend
        let own = asset.backend(of: backend ?? asset.backend)
        queue = ImageRequestQueue(
            driver: clock.makeDriver(),
            role: asset.loadingRole,
            makeDemuxer: { asset.makeDemuxer(backend) },
            converter: own.makeVideoConverter(),
            deinterlacer: FrameDeinterlacer { own.makeDeinterlacer() },
            options: { DecoderOptions(sharing: PlayerRegistry.all) },
            didOpen: { asset.opened(.success($0)) }
        )
        PlayerRegistry.enterGenerator()
    }

    deinit {
        PlayerRegistry.leaveGenerator()
        queue.close()
    }

    /// The maximum time by which an image may precede the requested time.
    ///
    /// If a key frame lies within the tolerances, the nearest one is used, which is fast. Otherwise the image is the
    /// first frame within the tolerances, or the frame that is due. The default is `.positiveInfinity`. If both
    /// tolerances are zero, the image is the frame that a player shows at that time.
    ///
    /// With the default, as in AVFoundation, times that lie closer together than key frames give the same image: of a
    /// film with a key frame every two seconds, an image for every second is each key frame twice. Set both tolerances
    /// to zero, or read `Asset.frames(_:)` with `.rate(perSecond: 1)`, for the frames that are due.
    public var requestedTimeToleranceBefore: MediaTime {
        get { settings.withLock { $0.before } }
        set { settings.withLock { $0.before = newValue } }
    }

    /// The maximum time by which an image may follow the requested time. The default is `.positiveInfinity`.
    public var requestedTimeToleranceAfter: MediaTime {
        get { settings.withLock { $0.after } }
        set { settings.withLock { $0.after = newValue } }
    }

    /// The maximum size of images. Images are scaled down to fit, with square pixels and their aspect ratio, and are
    /// never enlarged. Nil applies no limit, and so does a side of zero. If the track transform is applied, the limit
    /// refers to the upright image.
    public var maximumSize: PixelSize? {
        get { settings.withLock { $0.maximumSize } }
        set { settings.withLock { $0.maximumSize = newValue } }
    }

    /// The exact size of images, upright and with square pixels. It overrides `maximumSize` and
    /// `appliesPreferredTrackTransform`. Nil leaves the size to those properties. Bars have the color `backgroundColor`.
    public var targetSize: PixelSize? {
        get { settings.withLock { $0.targetSize } }
        set { settings.withLock { $0.targetSize = newValue } }
    }

    /// The way in which an image is fitted into `targetSize`. The default is `.resizeAspect`.
    public var videoGravity: VideoGravity {
        get { settings.withLock { $0.gravity } }
        set { settings.withLock { $0.gravity = newValue } }
    }

    /// The color of the part of `targetSize` that the image does not cover. The default is `.clear`, which is black in
    /// pixel formats without alpha.
    public var backgroundColor: Color {
        get { settings.withLock { $0.background } }
        set { settings.withLock { $0.background = newValue } }
    }

    /// The pixel format of images. Nil, the default, keeps the decoder's format as far as the scaling allows.
    public var pixelFormat: PixelFormat? {
        get { settings.withLock { $0.pixelFormats.first } }
        set { settings.withLock { $0.pixelFormats = newValue.map { [$0] } ?? [] } }
    }

    /// The pixel formats that a sink accepts, instead of `pixelFormat`: as in a layer, an image in one of them keeps its
    /// format, and other images with alpha get the first one with alpha.
    package var acceptedPixelFormats: [PixelFormat] {
        get { settings.withLock { $0.pixelFormats } }
        set { settings.withLock { $0.pixelFormats = newValue } }
    }

    /// Whether images are rotated and mirrored as the track declares, with square pixels. If false, the default, images
    /// of a portrait clip lie on their side, and `VideoFrame.format` says how to rotate them.
    public var appliesPreferredTrackTransform: Bool {
        get { settings.withLock { $0.isUpright } }
        set { settings.withLock { $0.isUpright = newValue } }
    }

    /// Which interlaced frames are deinterlaced. Each image is made of one frame. The default is `.auto`.
    /// `VideoFrame.isInterlaced` is still true where deinterlacing was not possible, for example without libavfilter.
    public var deinterlacing: Deinterlacing {
        get { settings.withLock { $0.deinterlacing } }
        set { settings.withLock { $0.deinterlacing = newValue } }
    }

    /// Whether images of high dynamic range are tone mapped to standard dynamic range (BT.709). `.forceSDR`, the
    /// default, and `.auto` map them; `.matchSource` keeps their colors. `VideoFormat.color` describes the colors of an
    /// image.
    public var dynamicRangePolicy: DynamicRangePolicy {
        get { settings.withLock { $0.dynamicRange } }
        set { settings.withLock { $0.dynamicRange = newValue } }
    }

    /// The subtitle track that is drawn into images (`Track.id`), or nil to draw none, which is the default.
    ///
    /// An image shows the subtitles of the requested time if its frame is due then, and those of its own time
    /// otherwise. Text needs libass at run time (Debian: `libass9`); without it, images with text fail with the code
    /// `.conversionFailed`. Images should be upright: set `appliesPreferredTrackTransform` or `targetSize`.
    public var subtitleTrack: Int? {
        get { settings.withLock { $0.subtitleTrack } }
        set { changeSubtitles { $0.subtitleTrack = newValue } }
    }

    /// An asset with external subtitles ("film.srt", "film.vtt") that are drawn instead of those of `subtitleTrack`:
    /// its first subtitle track. Nil, the default, draws those of `subtitleTrack`.
    public var legibleAsset: Asset? {
        get { settings.withLock { $0.legibleAsset } }
        set { changeSubtitles { $0.legibleAsset = newValue } }
    }

    private func changeSubtitles(_ body: (inout Settings) -> Void) {
        settings.withLock { settings in
            body(&settings)
            guard settings.legibleAsset != nil || settings.subtitleTrack != nil else {
                settings.subtitles = nil
                return
            }
            let source = settings.legibleAsset ?? asset
            let choice = settings.legibleAsset == nil ? settings.subtitleTrack.map(TrackChoice.track) : nil
            var cues = CueSource.subtitles(
                choice ?? .automatic,
                makeDemuxer: { [backend] in source.makeDemuxer(backend, $0) },
                listeners: { [] }
            )
            cues.location = settings.legibleAsset?.location
            cues.readsOnlySubtitles = settings.legibleAsset == nil
            let own = asset.backend(of: backend ?? asset.backend)
            settings.subtitles = ImageSubtitles(cues) { own.makeSubtitleRenderer() }
        }
    }

    /// Returns the image at a time, which is clamped to the asset.
    ///
    /// - Parameter time: The requested time on the item's timeline.
    /// - Returns: The image, and the time at which it is presented.
    /// - Throws: `PlaybackError` if the image could not be made, or at once with the code `.cancelled` if the task is
    ///   cancelled.
    public func image(
        at time: MediaTime
    ) async throws(PlaybackError) -> (frame: VideoFrame, actualTime: MediaTime) {
        let frame = try await Self.answer(makeRequest(time), queue, asset, legibleAsset)
        return (frame, frame.presentationTime)
    }

    /// Returns a stream with one result for each time, in the order of the times. Each image is made when it is read.
    ///
    /// The stream ends early if the reader's task is cancelled. After `cancelAllImageGeneration()`, and when the
    /// generator is released, the remaining results are failures with the code `.cancelled`.
    ///
    /// - Parameter times: The requested times on the item's timeline.
    /// - Returns: The stream of results.
    public func images(for times: [MediaTime]) -> AsyncStream<ImageResult> {
        let requests = times.map(makeRequest)
        let next = Locked(0)
        return AsyncStream { [queue, asset, legibleAsset] in
            let index = next.withLock { next in
                defer { next += 1 }
                return next
            }
            guard index < requests.count else { return nil }
            do throws(PlaybackError) {
                let frame = try await Self.answer(requests[index], queue, asset, legibleAsset)
                let time = frame.presentationTime
                return .success(requestedTime: times[index], frame: frame, actualTime: time)
            } catch {
                return .failure(requestedTime: times[index], error: error)
            }
        }
    }

    /// Requests an image without a task.
    ///
    /// - Parameters:
    ///   - time: The requested time on the item's timeline.
    ///   - completion: Called once, on an arbitrary lane, unless the generator or the token is released first.
    /// - Returns: A token that cancels the request when it is invalidated or released.
    package func requestImage(
        at time: MediaTime,
        _ completion: @escaping @Sendable (Result<VideoFrame, PlaybackError>) -> Void
    ) -> ObservationToken {
        let ticket = ImageTicket()
        let subtitles = legibleAsset
        queue.request(makeRequest(time), ticket) { [asset] answer in
            completion(answer.mapError { PlaybackError($0, of: asset, subtitles: subtitles) })
        }
        return ObservationToken { [queue] in queue.cancel(ticket) }
    }

    /// Cancels all pending requests: they fail at once with the code `.cancelled`. Later requests are not affected.
    public func cancelAllImageGeneration() { queue.cancelAll() }

    /// Returns the nearest key frame as a small grayscale image, for comparisons.
    func sample(near time: MediaTime) async throws(PlaybackError) -> VideoFrame {
        let request = ImageRequest(
            time: time,
            toleranceBefore: .positiveInfinity,
            toleranceAfter: .positiveInfinity,
            maximumSize: PixelSize(width: 64, height: 64),
            pixelFormats: [.gray],
            generation: queue.generation
        )
        return try await Self.answer(request, queue, asset, legibleAsset)
    }

    /// Returns the frame that is due at a time, regardless of the tolerances.
    func exactImage(at time: MediaTime) async throws(PlaybackError) -> (
        frame: VideoFrame, actualTime: MediaTime
    ) {
        var request = makeRequest(time)
        (request.toleranceBefore, request.toleranceAfter) = (.zero, .zero)
        let frame = try await Self.answer(request, queue, asset, legibleAsset)
        return (frame, frame.presentationTime)
    }

    private func makeRequest(_ time: MediaTime) -> ImageRequest {
        let settings = settings.withLock { $0 }
        return ImageRequest(
            time: time,
            toleranceBefore: settings.before,
            toleranceAfter: settings.after,
            maximumSize: settings.maximumSize,
            targetSize: settings.targetSize,
            gravity: settings.gravity,
            background: settings.background,
            pixelFormats: settings.pixelFormats,
            isUpright: settings.isUpright,
            deinterlacing: settings.deinterlacing,
            dynamicRange: settings.dynamicRange,
            subtitles: settings.subtitles,
            generation: queue.generation
        )
    }

    private static func answer(
        _ request: ImageRequest,
        _ queue: ImageRequestQueue,
        _ asset: Asset,
        _ subtitles: Asset?
    ) async throws(PlaybackError) -> VideoFrame {
        let ticket = ImageTicket()
        // A lock guards the answer, because the thread sanitizer does not see that a continuation orders the accesses.
        let box = Locked<ImageRequestQueue.Answer?>(nil)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.request(request, ticket) { answer in
                    box.withLock { $0 = answer }
                    continuation.resume()
                }
            }
        } onCancel: {
            queue.cancel(ticket)
        }
        switch box.withLock({ $0 }) {
        case .success(let frame)?: return frame
        case .failure(let error)?: throw PlaybackError(error, of: asset, subtitles: subtitles)
        case nil:
            throw PlaybackError(MediaError(.unknown, "the image request was not answered"), url: asset.url)
        }
    }
}

extension PlaybackError {
    /// Creates an error that names the asset which it is about: the film or its external subtitles.
    fileprivate init(_ error: MediaError, of asset: Asset, subtitles: Asset?) {
        let isOfSubtitles = error.location != nil && error.location == subtitles?.location
        self.init(error, url: isOfSubtitles ? subtitles?.url : asset.url)
    }
}
