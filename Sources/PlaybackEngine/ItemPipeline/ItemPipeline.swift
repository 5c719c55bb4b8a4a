import MediaCore
import PlayheadBackend
import Synchronization

/// An item's stages, from demuxer to decoded frames, and the queues between them.
final class ItemPipeline: Sendable {
    let description: MediaDescription
    /// The one that is played; nil where there is no choice.
    let variant: Variant?
    let rules: BufferRules
    /// The container does not know how long the item is, or only about.
    let durationIsUncertain: Bool
    let video: TrackPipeline?
    let audio: TrackPipeline?
    /// What is set on the item about its audio.
    let audioSettings: AudioSettingsSource
    private let demuxer: any Demuxer
    private let demux: DemuxStage
    private let demuxRunner: StageRunner
    private let decodingLane: any Lane
    private let loopSetting: LoopSetting
    /// The stages wake each other through these: a circle, until `cancel` cuts it.
    private let wakeDemuxerCall = SettableCallback()
    private let wakeDecodersCall = SettableCallback()

    /// Backward there is no audio.
    private let isReverse = Atomic<Bool>(false)
    private let allTrackPipelines: [TrackPipeline]
    private let reverseTrackPipelines: [TrackPipeline]
    var isReversed: Bool { isReverse.load(ordering: .relaxed) }
    /// The tracks that deliver frames in this epoch.
    var trackPipelines: [TrackPipeline] {
        isReversed ? reverseTrackPipelines : allTrackPipelines
    }
    /// All tracks that are played.
    var tracks: [Track] { allTrackPipelines.map(\.track) }
    /// Where the tracks end that are not played and have a part in the duration; nil: the track does not say.
    let otherEnds: [MediaTime?]
    /// `Track.id` of the tracks that are played; none where one of them does nothing but keep time.
    let trackIDs: Set<Int>

    /// Called on the loading lane, after the demuxer was opened and decoders were made.
    init(
        demuxer: any Demuxer,
        description: MediaDescription,
        variant: Variant?,
        decoders: [(track: Track, decoder: any Decoder)],
        keepsTimeOnly: Bool = false,
        loopSetting: LoopSetting,
        start: EpochStart,
        rules: BufferRules,
        audioSettings: AudioSettingsSource,
        isRealTime: Bool,
        loadingLane: any Lane,
        decodingLane: any Lane,
        report: @escaping @Sendable (StageReport) -> Void
    ) {
        self.demuxer = demuxer
        self.description = description
        self.variant = variant
        self.rules = rules
        durationIsUncertain = description.durationIsEstimate || !description.duration.isNumeric
        let limits = rules.limits
        self.audioSettings = audioSettings
        self.decodingLane = decodingLane
        self.loopSetting = loopSetting
        let (wakeDemuxer, wakeDecoders) = (wakeDemuxerCall, wakeDecodersCall)
        let reverseRequest = Locked<ReverseSegment?>(nil)
        var made: [TrackPipeline] = []
        for (track, decoder) in decoders {
            let packets = PacketQueue(limits: limits.packets)
            let isVideo = track.mediaType == .video
            let frames = FrameQueue(limits: isVideo ? limits.videoFrames : limits.audioBuffers)
            packets.begin(start.epoch)
            frames.begin(start.epoch)
            let stage = DecodeStage(
                isVideo: isVideo,
                decoder: decoder,
                input: packets,
                output: frames,
                start: start,
                allowsBursts: isRealTime,
                reverseRequest: reverseRequest,
                wakeDemuxer: { wakeDemuxer() },
                report: report
            )
            // A video frame can take long to decode, and audio of the same lane must not wait for many of them.
            let runner = StageRunner(stage, on: decodingLane, stepsPerTurn: isVideo ? 2 : 16)
            made.append(
                TrackPipeline(
                    track: track,
                    packets: packets,
                    frames: frames,
                    stage: stage,
                    runner: runner,
                    wakeAll: { wakeDecoders() }
                )
            )
        }
        trackIDs = keepsTimeOnly ? [] : Set(made.map(\.track.id))
        video = made.first { $0.track.mediaType == .video }
        audio = made.first { $0.track.mediaType == .audio }
        allTrackPipelines = [video, audio].compactMap(\.self)
        reverseTrackPipelines = [video].compactMap(\.self)
        otherEnds = Self.ends(of: description.tracks, without: allTrackPipelines.map(\.track.id))
        let stage = DemuxStage(
            demuxer: demuxer,
            description: description,
            queues: Dictionary(made.map { ($0.track.id, $0.packets) }) { first, _ in first },
            request: ReadRequest(start: start, limits: limits.packets, backBuffer: rules.back),
            loopSetting: loopSetting,
            reverseRequest: reverseRequest,
            allowsBursts: isRealTime,
            wakeDecoder: { [made] trackID in
                guard let track = made.first(where: { $0.track.id == trackID }) else { return }
                if track.stage.waitsForInput.load(ordering: .sequentiallyConsistent) { track.runner.wake() }
            },
            report: report
        )
        demux = stage
        let runner = StageRunner(stage, on: loadingLane)
        demuxRunner = runner
        stage.demuxerReportsReadiness = demuxer.setNoticeHandler { [weak stage, weak runner] notice in
            switch notice {
            case .waiting: stage?.reportWaiting()
            case .ready: runner?.wake()
            }
        }
        wakeDemuxer.set { if stage.shouldWake { runner.wake() } }
        isReverse.store(start.isReverse, ordering: .relaxed)
        wakeDecoders.set { [made] in for track in made { track.resumeDecoder() } }
    }

    /// Begins a new epoch: everything older is dropped by comparison from here on, and a read that waits for
    /// bytes ends.
    func begin(_ start: EpochStart) {
        isReverse.store(start.isReverse, ordering: .relaxed)
        for track in allTrackPipelines {
            track.stage.start.withLock { $0 = start }
            track.packets.begin(start.epoch)
            track.frames.begin(start.epoch)
        }
        // Last: reading goes on at once, on its own lane, and queues of an older epoch would drop what it brings.
        demux.request.withLock { $0.start = start }
        demuxer.interrupt(before: start.epoch)
        wake()
    }

    /// What was found is taken although it lies behind the wanted time.
    func acceptLateStart() {
        for track in trackPipelines { track.stage.start.withLock { $0.isLastAttempt = true } }
    }

    var canPlayReverse: Bool { video != nil && description.isSeekable }

    /// Where playing backward ends.
    func setReverseEnd(_ time: MediaTime) { video?.stage.reverseEnd.withLock { $0 = time } }

    func setLooping(_ isLooping: Bool) {
        loopSetting.set(isLooping)
        demux.request.withLock { $0.isLooping = isLooping }
        demuxRunner.wake()
    }

    /// From the next frames on; what lies decoded beyond is up to the renderer.
    func setEndTime(_ time: MediaTime?) {
        demux.request.withLock { $0.endTime = time }
        for track in allTrackPipelines { track.stage.endTime.withLock { $0 = time } }
        demuxRunner.wake()
    }

    /// Nanoseconds of packets to read ahead from now on; nil: as the rules have it.
    func setForwardBufferDuration(_ duration: Int64?) {
        let limit = duration ?? rules.limits.packets.duration
        demux.request.withLock { $0.limits.duration = limit }
        demuxRunner.wake()
    }

    /// How much memory there is for packets that come over a network; nil: as the rules have it. What is held already stays
    /// until it is played.
    func setPacketShare(_ share: PacketShare?) {
        guard !description.isLocal else { return }
        demux.request.withLock { request in
            request.byteLimit = share?.ahead ?? .max
            request.backBuffer.bytes = min(rules.back.bytes, share?.behind ?? .max)
        }
        demuxRunner.wake()
    }

    /// Whether reading goes on beyond its bounds, because decoding falls behind.
    func setUsesExtendedLimits(_ usesExtendedLimits: Bool) {
        let isNew = demux.request.withLock { request in
            defer { request.usesExtendedLimits = usesExtendedLimits }
            return request.usesExtendedLimits != usesExtendedLimits
        }
        if isNew { demuxRunner.wake() }
    }

    /// Whether each packet that is read is reported.
    func setReportsProgress(_ reportsProgress: Bool) {
        demux.reportsProgress.store(reportsProgress, ordering: .relaxed)
    }

    /// A seek to `target` would find what it needs among the packets that are kept.
    func holds(_ target: MediaTime) -> Bool {
        withProgress { progress in
            guard let from = progress.bufferedRange?.from, let time = ItemTime(target) else { return false }
            return from <= target && progress.ahead(of: time, pass: progress.pass) > 0
        }
    }

    func wake() {
        demuxRunner.wake()
        for track in allTrackPipelines { track.runner.wake() }
    }

    func wakeDemuxer() { demuxRunner.wake() }

    /// The data has ended for `epoch`: nothing more will be read.
    func hasEndedReading(_ epoch: Epoch) -> Bool { demux.endedEpoch.withLock { $0 == epoch } }

    /// In `epoch` the demuxer waits for room, or has come to the end of the data.
    func isFull(_ epoch: Epoch) -> Bool { demux.readIdle.withLock { $0?.epoch == epoch } }

    /// In `epoch` the track has no frame, and none will come before other tracks have made room: it begins far
    /// into the file, say.
    func isBlockedByOtherTracks(_ track: TrackPipeline, _ epoch: Epoch) -> Bool {
        guard
            demux.readIdle.withLock({ $0?.epoch == epoch && $0?.emptyTracks.contains(track.track.id) == true }
            )
        else { return false }
        return track.isEmpty
    }

    /// In `epoch` every track has a frame, or will have none before others have made room.
    func isReady(_ epoch: Epoch) -> Bool {
        trackPipelines.allSatisfy { !$0.frames.isEmpty || isBlockedByOtherTracks($0, epoch) }
    }

    /// There is enough at hand to play on from where the epoch begins: of what comes over a network a first frame says little.
    func hasEnough(_ start: EpochStart) -> Bool {
        if description.isLocal || start.isReverse || isFull(start.epoch) || hasEndedReading(start.epoch) {
            return true
        }
        let time = ItemTime(start.firstWanted) ?? .zero
        return withProgress { $0.epoch == start.epoch && $0.ahead(of: time, pass: 0) >= rules.start }
    }

    /// In `epoch` reading waits for bytes.
    func isWaiting(_ epoch: Epoch) -> Bool { demux.waitingEpoch.withLock { $0 == epoch } }

    /// How far reading has come. `body` runs under a lock, so that nothing is copied for it.
    func withProgress<Result>(_ body: (ReadingProgress) -> Result) -> Result {
        demux.progress.withLock { body($0) }
    }

    /// How loading of the item's bytes stands; nil: nobody knows.
    var loadingState: LoadingState? { demuxer.loadingState }

    /// Bytes that have come for the item over a network, whatever for; nil: nobody counts them.
    var receivedBytes: Int64? { demuxer.receivedBytes }

    /// From any thread; what blocks returns soon, and the stages let go of each other.
    func cancel() {
        demuxer.cancel()
        _ = demuxer.setNoticeHandler(nil)
        wakeDemuxerCall.clear()
        wakeDecodersCall.clear()
        demuxRunner.stop()
        for track in allTrackPipelines { track.runner.stop() }
    }

    /// A decoder waits for its threads when it goes, so it goes on its own lane and not on the caller's.
    func releaseOnItsLane() { decodingLane.enqueue { withExtendedLifetime(self) {} } }
}
