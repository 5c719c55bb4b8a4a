public import MediaCore
import PlaybackEngine
import PlayheadBackend

/// What came of one time that an image was asked for.
public enum ImageResult: Sendable {
    /// The frame that the tolerances allow, and when it is due on the item's timeline.
    case success(requestedTime: MediaTime, frame: VideoFrame, actualTime: MediaTime)
    /// None could be made. `.cancelled`: the request was called off.
    case failure(requestedTime: MediaTime, error: PlaybackError)

    /// The time that was asked for.
    public var requestedTime: MediaTime {
        switch self {
        case .success(let time, _, _), .failure(let time, _): time
        }
    }

    /// The image; throws what stood against it.
    public var frame: VideoFrame {
        get throws(PlaybackError) {
            switch self {
            case .success(_, let frame, _): return frame
            case .failure(_, let error): throw error
            }
        }
    }

    /// When the image is due on the item's timeline.
    public var actualTime: MediaTime {
        get throws(PlaybackError) { try frame.presentationTime }
    }
}

/// Stills of an asset: posters, thumbnails, frames for a filmstrip.
///
/// Any thread; nothing blocks its caller. Requests are answered one by one in the order of the calls, and share
/// one open file and one decoder: times that ascend inside a group of pictures go on decoding where the last
/// one ended, and one that the last image is still due at costs nothing. Of images that nobody has asked for
/// yet none is made, so that a thousand times need no more memory than one. Changing a property does not touch
/// requests in flight. Players go first: while they
/// have something to decode, little is done here. Releasing a generator calls off what it still has to do.
public final class ImageGenerator: Sendable {
    /// What the images are of. It is opened with the first request.
    public let asset: Asset

    private struct Settings {
        var before = MediaTime.positiveInfinity
        var after = MediaTime.positiveInfinity
        var maximumSize: PixelSize?
        var targetSize: PixelSize?
        var gravity = VideoGravity.resizeAspect
        var pixelFormat: PixelFormat?
        var isUpright = false
        var deinterlacing = Deinterlacing.auto
        var dynamicRange = DynamicRangePolicy.forceSDR
    }

    private let settings = Locked(Settings())
    private let queue: ImageRequestQueue

    /// Does no I/O (AVAssetImageGenerator).
    public convenience init(asset: Asset) { self.init(asset: asset, clock: .host) }

    /// With a driver of the caller's, for tests; clocks mean nothing here.
    public init(asset: Asset, clock: ClockMode) {
        self.asset = asset
        queue = ImageRequestQueue(
            driver: clock.makeDriver(),
            role: asset.loadingRole,
            makeDemuxer: { asset.makeDemuxer() },
            converter: asset.backend.makeVideoConverter(),
            deinterlacer: FrameDeinterlacer { asset.backend.makeDeinterlacer() },
            options: { DecoderOptions(sharing: PlayerRegistry.all) },
            didOpen: { asset.opened(.success($0)) }
        )
        PlayerRegistry.enterGenerator()
    }

    deinit {
        PlayerRegistry.leaveGenerator()
        queue.close()
    }

    /// How much earlier than asked for an image may be. Where a key frame lies within the tolerances, the
    /// nearest one is taken: quick. Otherwise it is the first frame in reach, or the one due. Infinite by
    /// default; with both zero the image is the last frame due at or before the time, as a player shows it.
    public var requestedTimeToleranceBefore: MediaTime {
        get { settings.withLock { $0.before } }
        set { settings.withLock { $0.before = newValue } }
    }

    /// The same for later.
    public var requestedTimeToleranceAfter: MediaTime {
        get { settings.withLock { $0.after } }
        set { settings.withLock { $0.after = newValue } }
    }

    /// Images are scaled down to fit inside, with square pixels and their shape kept, and never made larger;
    /// nil: as they are. A side of zero is no bound. Meant upright where the transform is applied.
    public var maximumSize: PixelSize? {
        get { settings.withLock { $0.maximumSize } }
        set { settings.withLock { $0.maximumSize = newValue } }
    }

    /// Images have exactly this size, upright and with square pixels, whatever `maximumSize` and
    /// `appliesPreferredTrackTransform` say; nil: those decide. Bars are black, or clear where the image has alpha.
    public var targetSize: PixelSize? {
        get { settings.withLock { $0.targetSize } }
        set { settings.withLock { $0.targetSize = newValue } }
    }

    /// How an image is laid into `targetSize`; `.resizeAspect` by default.
    public var videoGravity: VideoGravity {
        get { settings.withLock { $0.gravity } }
        set { settings.withLock { $0.gravity = newValue } }
    }

    /// What images are converted to; nil, the default: they stay as they were decoded, as far as their shape allows.
    public var pixelFormat: PixelFormat? {
        get { settings.withLock { $0.pixelFormat } }
        set { settings.withLock { $0.pixelFormat = newValue } }
    }

    /// Turns and mirrors images as the track says, and makes their pixels square; false by default, and then a
    /// portrait clip's are sideways: `VideoFrame.format` says how to turn them.
    public var appliesPreferredTrackTransform: Bool {
        get { settings.withLock { $0.isUpright } }
        set { settings.withLock { $0.isUpright = newValue } }
    }

    /// Whether interlaced frames are made whole, each of itself alone: not with `.none`. `.auto` by default.
    /// `VideoFrame.isInterlaced` tells where it could not be done: without libavfilter, say.
    public var deinterlacing: Deinterlacing {
        get { settings.withLock { $0.deinterlacing } }
        set { settings.withLock { $0.deinterlacing = newValue } }
    }

    /// Whether images of high dynamic range are mapped to the standard one, BT.709: `.forceSDR`, the default, as `.auto` does;
    /// `.matchSource`: they keep their colours. `VideoFormat.color` says which they are.
    public var dynamicRangePolicy: DynamicRangePolicy {
        get { settings.withLock { $0.dynamicRange } }
        set { settings.withLock { $0.dynamicRange = newValue } }
    }

    /// The image at `time`, held within the asset, and when it is due. A task that is cancelled gets an error
    /// with the code `.cancelled` at once.
    public func image(
        at time: MediaTime
    ) async throws(PlaybackError) -> (frame: VideoFrame, actualTime: MediaTime) {
        let frame = try await Self.answer(makeRequest(time), queue, asset)
        return (frame, frame.presentationTime)
    }

    /// One result for each of `times`, in their order, each made when it is asked for. Ends early where the
    /// reader's task is cancelled; after `cancelAllImageGeneration()`, and when the generator is released, the
    /// rest are failures with the code `.cancelled`.
    public func images(for times: [MediaTime]) -> AsyncStream<ImageResult> {
        let requests = times.map(makeRequest)
        let next = Locked(0)
        return AsyncStream { [queue, asset] in
            let index = next.withLock { next in
                defer { next += 1 }
                return next
            }
            guard index < requests.count else { return nil }
            do throws(PlaybackError) {
                let frame = try await Self.answer(requests[index], queue, asset)
                let time = frame.presentationTime
                return .success(requestedTime: times[index], frame: frame, actualTime: time)
            } catch {
                return .failure(requestedTime: times[index], error: error)
            }
        }
    }

    /// The same for who has no task: `completion` is called once, on some lane, unless the generator or the token goes
    /// before.
    package func requestImage(
        at time: MediaTime,
        _ completion: @escaping @Sendable (Result<VideoFrame, PlaybackError>) -> Void
    ) -> ObservationToken {
        let ticket = ImageTicket()
        queue.request(makeRequest(time), ticket) { [asset] answer in
            completion(answer.mapError { PlaybackError($0, url: asset.url) })
        }
        return ObservationToken { [queue] in queue.cancel(ticket) }
    }

    /// Every request that has not been answered fails at once with the code `.cancelled`; later ones do not.
    public func cancelAllImageGeneration() { queue.cancelAll() }

    /// The nearest key frame, small and gray, for whoever compares pictures.
    func sample(near time: MediaTime) async throws(PlaybackError) -> VideoFrame {
        let request = ImageRequest(
            time: time,
            toleranceBefore: .positiveInfinity,
            toleranceAfter: .positiveInfinity,
            maximumSize: PixelSize(width: 64, height: 64),
            pixelFormat: .gray,
            generation: queue.generation
        )
        return try await Self.answer(request, queue, asset)
    }

    /// The frame due at `time`, whatever the tolerances are.
    func exactImage(at time: MediaTime) async throws(PlaybackError) -> (
        frame: VideoFrame, actualTime: MediaTime
    ) {
        var request = makeRequest(time)
        (request.toleranceBefore, request.toleranceAfter) = (.zero, .zero)
        let frame = try await Self.answer(request, queue, asset)
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
            pixelFormat: settings.pixelFormat,
            isUpright: settings.isUpright,
            deinterlacing: settings.deinterlacing,
            dynamicRange: settings.dynamicRange,
            generation: queue.generation
        )
    }

    private static func answer(
        _ request: ImageRequest,
        _ queue: ImageRequestQueue,
        _ asset: Asset
    ) async throws(PlaybackError) -> VideoFrame {
        let ticket = ImageTicket()
        // Under a lock, for the thread sanitizer does not see how a continuation hands a value over.
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
        case .failure(let error)?: throw PlaybackError(error, url: asset.url)
        case nil:
            throw PlaybackError(MediaError(.unknown, "there was no answer"), url: asset.url)
        }
    }
}
