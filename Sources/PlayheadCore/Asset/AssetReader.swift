import FoundationEssentials
import MediaCore
import PlaybackEngine
import PlayheadBackend

/// Starts readers of an asset.
struct AssetReader: Sendable {
    private let asset: Asset
    private let clock: ClockMode

    /// The frames that wait to be read, beyond those of the stages.
    private static let frameLimits = QueueLimits(count: 4, bytes: FrameSampler.byteLimit)
    private static let sampleLimits = QueueLimits(count: 64, bytes: FrameSampler.byteLimit)
    private static let audioLimits = QueueLimits(count: 64, bytes: 4 << 20)
    /// The largest number of decoders that work on the samples of one asset. Each keeps frames in memory.
    private static let maximumDecoderCount = 4

    init(_ asset: Asset, clock: ClockMode) {
        self.asset = asset
        self.clock = clock
    }

    // MARK: Frames

    func frames(
        _ sampling: FrameSampling,
        _ shape: FrameShape,
        _ range: MediaTimeRange?,
        track: TrackChoice = .automatic
    ) -> ReaderStart<VideoFrame> {
        if let size = shape.size, size.isEmpty {
            return .failed(MediaError(.invalidArgument, "invalid frame size: \(size)"))
        }
        // Times are given, so that the range has no effect.
        let isBounded = if case .times = sampling { false } else { true }
        guard let bounds = ReadBounds(isBounded ? range : nil) else { return Self.invalid(range) }
        if bounds.isEmpty { return .empty }
        let driver = clock.makeDriver()
        if let refusal = driver.refusal { return .failed(refusal) }
        switch sampling {
        case .all: return .session(self.track(bounds, shape, choice: track, on: driver))
        case .keyFrames: return .session(self.track(bounds, shape, readsOnlyKeyFrames: true, on: driver))
        case .uniform(let count):
            return count > 0 ? .session(samples(.middles(count: count), bounds, shape, on: driver)) : .empty
        case .times(let times):
            return times.isEmpty ? .empty : .session(samples(.times(times), ReadBounds(), shape, on: driver))
        case .rate(let rate, let limit):
            guard rate.isFinite, rate > 0 else {
                return .failed(MediaError(.invalidArgument, "invalid rate of frames: \(rate)"))
            }
            if let limit, limit <= 0 { return .empty }
            // A source that can be read only once is decoded from start to end.
            if isStream { return .session(self.track(bounds, shape, rate: (rate, limit), on: driver)) }
            return .session(samples(.rate(rate, limit: limit), bounds, shape, on: driver))
        }
    }

    private static func invalid<Element>(_ range: MediaTimeRange?) -> ReaderStart<Element> {
        .failed(MediaError(.invalidArgument, "invalid time range: \(range?.description ?? "nil")"))
    }

    /// Whether the bytes of the asset can be read only once, as far as that is known.
    private var isStream: Bool { asset.location == "-" || asset.options.byteSource?.isSeekable == false }

    /// Whether bytes at any offset cost little.
    private var isRandomAccess: Bool {
        if let source = asset.options.byteSource { return source is DataByteSource }
        return asset.url.isFileURL && !isStream
    }

    private var converters: any MediaBackend { asset.backend(of: asset.backend) }

    private func track(
        _ bounds: ReadBounds,
        _ shape: FrameShape,
        choice: TrackChoice = .automatic,
        readsOnlyKeyFrames: Bool = false,
        rate: (perSecond: Double, limit: Int?)? = nil,
        on driver: any Driver
    ) -> ReaderSession<VideoFrame> {
        let output = ReaderOutput<VideoFrame>(limits: Self.frameLimits)
        let share = ReaderShare()
        let close = startTrack(
            bounds,
            shape,
            choice,
            readsOnlyKeyFrames: readsOnlyKeyFrames,
            rate: rate,
            on: driver,
            output
        )
        return ReaderSession(output) {
            close()
            share.end()
        }
    }

    /// Starts to read the video track. Returns a closure that ends it.
    private func startTrack(
        _ bounds: ReadBounds,
        _ shape: FrameShape,
        _ choice: TrackChoice = .automatic,
        readsOnlyKeyFrames: Bool,
        rate: (perSecond: Double, limit: Int?)?,
        on driver: any Driver,
        _ output: ReaderOutput<VideoFrame>
    ) -> @Sendable () -> Void {
        var settings = TrackReaderSettings(.video, track: choice, start: bounds.start, end: bounds.end)
        settings.readsOnlyKeyFrames = readsOnlyKeyFrames
        let selector = rate.map { rate in
            FrameRateSelector(
                SampleTimes(
                    rate: rate.perSecond,
                    from: bounds.start ?? .zero,
                    length: bounds.length,
                    limit: rate.limit
                )
            )
        }
        let process = FrameProcess(shape, converters.makeVideoConverter(), selector: selector)
        var options = DecoderOptions(sharing: PlayerRegistry.all)
        options.sharesCoresWithConversion = shape.isConversion
        let reader = TrackReader(
            settings,
            driver: driver,
            item: item(options),
            process: process,
            output: output
        )
        reader.start()
        return { reader.close() }
    }

    private func item(_ options: DecoderOptions) -> MediaItem {
        MediaItem(
            makeDemuxer: { [asset] in asset.makeDemuxer(nil, $0) },
            loadingRole: asset.loadingRole,
            decoding: options,
            didOpen: { [asset] in asset.opened($0) }
        )
    }

    private func samples(
        _ selection: FrameSelection,
        _ bounds: ReadBounds,
        _ shape: FrameShape,
        on driver: any Driver
    ) -> ReaderSession<VideoFrame> {
        let output = ReaderOutput<VideoFrame>(limits: Self.sampleLimits)
        let share = ReaderShare()
        let decoderCount =
            isRandomAccess ? min(Self.maximumDecoderCount, ProcessInfo.processInfo.activeProcessorCount) : 1
        let closeFallback = Locked<ReaderFallback>(.none)
        let sampler = FrameSampler(
            selection,
            from: bounds.start ?? .zero,
            to: bounds.end,
            shape: shape,
            driver: driver,
            queues: (0..<decoderCount).map { _ in queue(driver, decoderCount) },
            findsSyncPoints: isRandomAccess,
            converter: converters.makeVideoConverter(),
            output: output,
            fallback: {
                guard case .rate(let rate, let limit) = selection else { return }
                let close = startTrack(
                    bounds,
                    shape,
                    readsOnlyKeyFrames: false,
                    rate: (rate, limit),
                    on: driver,
                    output
                )
                closeFallback.withLock { $0.start(close) }?()
            }
        )
        sampler.begin()
        return ReaderSession(output) {
            sampler.close()
            closeFallback.withLock { $0.close() }?()
            share.end()
        }
    }

    private func queue(_ driver: any Driver, _ decoderCount: Int) -> ImageRequestQueue {
        ImageRequestQueue(
            driver: driver,
            role: asset.loadingRole,
            makeDemuxer: { [asset] in
                asset.makeDemuxer(nil, DemuxerOptions(usesBlockingReads: driver.stopsTimeDuringReads))
            },
            converter: converters.makeVideoConverter(),
            options: { DecoderOptions(sharing: PlayerRegistry.all * decoderCount) },
            didOpen: { [asset] in asset.opened(.success($0)) }
        )
    }

    // MARK: Audio

    func audio(
        _ format: AudioFormat?,
        _ range: MediaTimeRange?,
        track: TrackChoice = .automatic
    ) -> ReaderStart<AudioBuffer> {
        if let format, format.sampleRate <= 0 || format.channelCount <= 0 {
            return .failed(MediaError(.invalidArgument, "invalid audio format: \(format)"))
        }
        guard let bounds = ReadBounds(range) else { return Self.invalid(range) }
        if bounds.isEmpty { return .empty }
        let driver = clock.makeDriver()
        if let refusal = driver.refusal { return .failed(refusal) }
        let output = ReaderOutput<AudioBuffer>(limits: Self.audioLimits)
        let share = ReaderShare()
        let reader = TrackReader(
            TrackReaderSettings(.audio, track: track, start: bounds.start, end: bounds.end),
            driver: driver,
            item: item(DecoderOptions(sharing: PlayerRegistry.all)),
            process: AudioProcess(format.map { converters.makeAudioConverter(to: $0) }),
            output: output
        )
        reader.start()
        return .session(
            ReaderSession(output) {
                reader.close()
                share.end()
            }
        )
    }

    // MARK: Cues

    func cues(_ track: Track) -> ReaderSession<[TextCue]> {
        let output = ReaderOutput<[TextCue]>(limits: QueueLimits(count: 1))
        var source = CueSource.subtitles(
            .track(track.id),
            makeDemuxer: { [asset] in asset.makeDemuxer(nil, $0) },
            listeners: { [] }
        )
        source.readsOnlySubtitles = asset.media != nil
        let driver = clock.makeDriver()
        let reader = CueReader(source, driver: driver, role: asset.loadingRole, output: output)
        if let refusal = driver.refusal { output.finish(refusal) } else { reader.start() }
        return ReaderSession(output) { reader.close() }
    }
}
