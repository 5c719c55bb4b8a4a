import MediaCore
import PlayheadBackend
import Synchronization

/// The stages of an item, from the demuxer to decoded frames, and the queues between them.
final class ItemPipeline: Sendable {
    let description: MediaDescription
    /// The variant that is played, or nil if the item has no variants.
    let variant: Variant?
    let rules: BufferRules
    /// The start of the epoch in which the item was opened.
    let firstStart: EpochStart
    /// A Boolean value that indicates whether the container declares no duration, or only an estimate.
    let durationIsUncertain: Bool
    let video: TrackPipeline?
    let audio: TrackPipeline?
    /// A Boolean value that indicates whether `audio` is the silence in place of a video track that only keeps time.
    let audioReplacesVideo: Bool
    /// The source of the item's audio settings.
    let audioSettings: AudioSettingsSource
    private let demuxer: any Demuxer
    private let demux: DemuxStage
    private let demuxRunner: StageRunner
    private let decodingLane: any Lane
    private let loopSetting: LoopSetting
    /// The callbacks by which the stages wake each other. They form a reference cycle until `cancel` clears them.
    private let wakeDemuxerCall = SettableCallback()
    private let wakeDecodersCall = SettableCallback()

    private let isReverse = Atomic<Bool>(false)
    /// Backward, and while a user drags the position, there is no audio.
    private let omitsAudio = Atomic<Bool>(false)
    private let allTrackPipelines: [TrackPipeline]
    private let videoTrackPipelines: [TrackPipeline]
    private let ahead: DecodeAhead
    var isReversed: Bool { isReverse.load(ordering: .relaxed) }
    /// The tracks that deliver frames in the current epoch.
    var trackPipelines: [TrackPipeline] {
        omitsAudio.load(ordering: .relaxed) ? videoTrackPipelines : allTrackPipelines
    }
    /// All tracks that are played.
    var tracks: [Track] { allTrackPipelines.map(\.track) }
    /// The ends of the tracks that are not played and contribute to the duration. An element is nil if the track does
    /// not declare its end.
    let otherEnds: [MediaTime?]
    /// The `Track.id` of each track that is played. It is empty if the only track just keeps time.
    let trackIDs: Set<Int>

    /// Creates the stages. Called on the loading lane after the demuxer was opened and the decoders were created.
    init(
        demuxer: any Demuxer,
        description: MediaDescription,
        variant: Variant?,
        decoders: [(track: Track, decoder: any EpochDecoder)],
        demand: DeinterlacingDemand,
        share: FrameCacheShare,
        ahead: DecodeAhead,
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
        firstStart = start
        durationIsUncertain = description.durationIsEstimate || !description.duration.isNumeric
        let limits = rules.limits
        self.audioSettings = audioSettings
        self.decodingLane = decodingLane
        self.loopSetting = loopSetting
        self.ahead = ahead
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
                track: track,
                decoder: decoder,
                demand: demand,
                share: share,
                ahead: ahead,
                input: packets,
                output: frames,
                start: start,
                allowsBursts: isRealTime,
                reverseRequest: reverseRequest,
                wakeDemuxer: { wakeDemuxer() },
                report: report
            )
            // Decoding a video frame can take long, and audio on the same lane must not wait for many of them.
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
        let audioID = audio?.track.id
        audioReplacesVideo =
            keepsTimeOnly && description.tracks.contains { $0.id == audioID && $0.mediaType == .video }
        allTrackPipelines = [video, audio].compactMap(\.self)
        videoTrackPipelines = [video].compactMap(\.self)
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
        runner.wakes(for: demuxer) { [weak stage] in stage?.reportWaiting() }
        wakeDemuxer.set { if stage.shouldWake { runner.wake() } }
        ahead.setWake { [made] in made.first { $0.stage.isVideo }?.runner.wake() }
        setDirection(start)
        wakeDecoders.set { [made] in for track in made { track.resumeDecoder() } }
    }

    /// Begins a new epoch. Everything older is dropped by comparison from now on, and a read that waits for bytes
    /// returns.
    func begin(_ start: EpochStart) {
        setDirection(start)
        for track in allTrackPipelines {
            track.stage.start.withLock { $0 = start }
            track.packets.begin(start.epoch)
            track.frames.begin(start.epoch)
        }
        // The request is set last: reading resumes at once on its own lane, and queues of an older epoch would drop
        // its packets.
        demux.request.withLock { $0.start = start }
        demuxer.interrupt(before: start.epoch)
        wake()
    }

    private func setDirection(_ start: EpochStart) {
        isReverse.store(start.isReverse, ordering: .relaxed)
        omitsAudio.store(start.isReverse || start.isScrubbing && video != nil, ordering: .relaxed)
    }

    /// Sets whether the next frames backward are decoded before they are needed.
    func setDecodesAhead(_ decodesAhead: Bool) { ahead.setEnabled(decodesAhead) }

    /// Accepts the first frames although they follow the requested time.
    func acceptLateStart() {
        for track in trackPipelines { track.stage.start.withLock { $0.isLastAttempt = true } }
    }

    var canPlayReverse: Bool { video != nil && description.isSeekable }

    /// Sets the time at which backward playback ends.
    func setReverseEnd(_ time: MediaTime) { video?.stage.reverseEnd.withLock { $0 = time } }

    func setLooping(_ isLooping: Bool) {
        loopSetting.set(isLooping)
        demux.request.withLock { $0.isLooping = isLooping }
        demuxRunner.wake()
    }

    /// Sets the time at which the item ends, beginning with the next frames. The scheduler handles frames after it
    /// that are decoded already.
    func setEndTime(_ time: MediaTime?) {
        demux.request.withLock { $0.endTime = time }
        for track in allTrackPipelines { track.stage.endTime.withLock { $0 = time } }
        demuxRunner.wake()
    }

    /// Sets the duration of packets to read ahead, in nanoseconds. If `duration` is nil, the buffer rules apply.
    func setForwardBufferDuration(_ duration: Int64?) {
        let limit = duration ?? rules.limits.packets.duration
        demux.request.withLock { $0.limits.duration = limit }
        demuxRunner.wake()
    }

    /// Sets the memory for packets that are read over a network. If `share` is nil, the buffer rules apply. Packets
    /// that are held already stay until they are played.
    func setPacketShare(_ share: PacketShare?) {
        guard !description.isLocal else { return }
        demux.request.withLock { request in
            request.byteLimit = share?.ahead ?? .max
            request.backBuffer.bytes = min(rules.back.bytes, share?.back ?? .max)
        }
        demuxRunner.wake()
    }

    /// Sets whether reading continues beyond its limits, because decoding is too slow.
    func setUsesExtendedLimits(_ usesExtendedLimits: Bool) {
        let isNew = demux.request.withLock { request in
            defer { request.usesExtendedLimits = usesExtendedLimits }
            return request.usesExtendedLimits != usesExtendedLimits
        }
        if isNew { demuxRunner.wake() }
    }

    /// Sets whether each packet that is read is reported.
    func setReportsProgress(_ reportsProgress: Bool) {
        demux.reportsProgress.store(reportsProgress, ordering: .relaxed)
    }

    /// Returns whether a seek to `target` finds what it needs among the retained packets.
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

    /// Returns whether the data has ended in `epoch`, so that nothing more will be read.
    func hasEndedReading(_ epoch: Epoch) -> Bool { demux.endedEpoch.withLock { $0 == epoch } }

    /// Returns whether, in `epoch`, the demuxer waits for space in the queues or has reached the end of the data.
    func isFull(_ epoch: Epoch) -> Bool { demux.readIdle.withLock { $0?.epoch == epoch } }

    /// Returns whether, in `epoch`, the track has no frame and receives none before other tracks have made space.
    /// This happens if the track begins far into the file.
    func isBlockedByOtherTracks(_ track: TrackPipeline, _ epoch: Epoch) -> Bool {
        guard
            demux.readIdle.withLock({ $0?.epoch == epoch && $0?.emptyTracks.contains(track.track.id) == true }
            )
        else { return false }
        return track.isEmpty
    }

    /// Returns whether, in `epoch`, nothing of the track is queued and the other tracks have been read far beyond its
    /// data. Its end is known only when all of the file has been read, which takes long over a network.
    func isOver(_ track: TrackPipeline, _ epoch: Epoch) -> Bool {
        track.isEmpty && withProgress { $0.epoch == epoch && $0.isOver(track.track.id) }
    }

    /// Returns whether, in `epoch`, every track has a frame, is blocked by other tracks, or is over.
    func isReady(_ epoch: Epoch) -> Bool {
        trackPipelines.allSatisfy {
            !$0.frames.isEmpty || isBlockedByOtherTracks($0, epoch) || isOver($0, epoch)
        }
    }

    /// Returns the item time at which an epoch is expected to begin. Without a target, it is where the demuxer was
    /// opened.
    func expectedStart(of start: EpochStart) -> ItemTime {
        ItemTime(start.firstWanted ?? start.demuxTarget ?? description.joinTime) ?? .zero
    }

    /// Returns whether enough is buffered to play from the start of the epoch. Over a network, a first frame alone
    /// does not suffice.
    func hasSufficientData(_ start: EpochStart) -> Bool {
        if description.isLocal || start.isReverse || isFull(start.epoch) || hasEndedReading(start.epoch) {
            return true
        }
        let time = expectedStart(of: start)
        return withProgress { $0.epoch == start.epoch && $0.ahead(of: time, pass: 0) >= rules.start }
    }

    /// Returns whether reading waits for bytes in `epoch`.
    func isWaiting(_ epoch: Epoch) -> Bool { demux.waitingEpoch.withLock { $0 == epoch } }

    /// Calls `body` with the progress of reading. `body` runs under a lock, so that nothing is copied.
    func withProgress<Result>(_ body: (ReadingProgress) -> Result) -> Result {
        demux.progress.withLock { body($0) }
    }

    /// The state of loading the item's bytes, or nil if it is unknown.
    var loadingState: LoadingState? { demuxer.loadingState }

    /// The number of bytes received for the item over a network for any purpose, or nil if they are not counted.
    var receivedBytes: Int64? { demuxer.receivedBytes }
    /// Whether the demuxer waits for media that a live source does not offer yet.
    var awaitsMedia: Bool { demuxer.awaitsMedia }

    /// Cancels all work. Blocking calls return soon, and the stages release each other. May be called from any
    /// thread.
    func cancel() {
        demuxer.cancel()
        demuxer.setNoticeHandler(nil)
        wakeDemuxerCall.clear()
        wakeDecodersCall.clear()
        ahead.cancel()
        demuxRunner.stop()
        for track in allTrackPipelines { track.runner.stop() }
    }

    /// Returns the error of an item whose data ended without a frame, although nothing else failed.
    ///
    /// - Parameter fault: The newest error of a packet, or nil.
    static func missingFramesError(_ fault: MediaError?) -> MediaError {
        guard let fault else {
            return MediaError(.noPlayableTracks, "no complete video frame or audio sample")
        }
        return MediaError(
            .decodeFailed,
            "no data could be decoded: \(fault.message)",
            track: fault.track,
            libraryLog: fault.libraryLog,
            underlyingCode: fault.underlyingCode
        )
    }

    /// Releases the pipeline on the decoding lane. A decoder waits for its threads when it is released, and the
    /// caller must not wait.
    func releaseOnItsLane() { decodingLane.enqueue { withExtendedLifetime(self) {} } }
}
