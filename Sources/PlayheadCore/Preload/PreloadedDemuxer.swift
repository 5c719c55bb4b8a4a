import DequeModule
import MediaCore
import PlaybackEngine
import PlayheadBackend

/// A demuxer that a preloader uses until a player claims it. What was opened, read and decoded is then available at
/// once, and the base demuxer continues from there.
///
/// The lock is held during each call, so a player that claims the demuxer during a step waits for that step, on its
/// loading lane. `interrupt`, `cancel` and notices do not wait.
final class PreloadedDemuxer: Demuxer {
    /// The result of a step.
    enum Progress {
        case progressed
        /// Bytes are missing. A notice of the demuxer follows.
        case pending
        case reached
        /// A player has claimed the demuxer.
        case claimed
    }

    private struct State {
        var description: MediaDescription?
        var enabled: Set<Int> = []
        /// The packets that were read and have not been returned.
        var packets: Deque<Packet> = []
        var byteCount = 0
        /// The range of nanoseconds that was read of each track.
        var spans: [Int: (start: Int64, end: Int64)] = [:]
        var hasEnded = false
        /// The stored packets do not match the enabled tracks, so reading restarts at the beginning.
        var mustRewind = false
        var videoTrack: Int?
        /// The decoder that decoded the first frame. It has been flushed.
        var decoder: (any Decoder)?
        var firstFrame: (packet: Packet, frame: VideoFrame)?
        var hasTriedFirstFrame = false

        mutating func forgetPackets() {
            packets = []
            spans = [:]
            hasEnded = false
        }
    }

    private struct Owner {
        var isClaimed = false
        var isAbandoned = false
        /// Whether a player must open the asset itself, because the result would be too old.
        var isOutdated = false
        var claimed: (@Sendable () -> Void)?
    }

    private let base: any Demuxer
    private let backend: any MediaBackend
    private let decoding: DecodingPolicy
    private let decoderOptions: DecoderOptions
    private let usesBlockingReads: Bool
    private let byteLimit: Int
    private let didOpen: @Sendable (MediaDescription) -> Void
    private let state = Locked(State())
    /// Whether the demuxer has been claimed or abandoned. The lock is never held during a step.
    private let owner = Locked(Owner())

    init(
        _ asset: Asset,
        _ configuration: Player.Configuration,
        usesBlockingReads: Bool,
        byteLimit: Int,
        threadLimit: Int?
    ) {
        backend = asset.backend(of: configuration.backend)
        decoding = configuration.decoding
        var options = DecoderOptions(decoding, sharing: PlayerRegistry.players)
        options.maximumThreadCount = threadLimit
        decoderOptions = options
        self.byteLimit = byteLimit
        didOpen = { [weak asset] in asset?.opened(.success($0)) }
        self.usesBlockingReads = usesBlockingReads
        var reading = DemuxerOptions(
            usesBlockingReads: usesBlockingReads,
            chooseVariant: { VariantPreference.first(of: $0) }
        )
        reading.beginsAtPreferredStart = true
        base = asset.makeDemuxer(configuration.backend, decoding: configuration.decoding, reading)
    }

    // MARK: For the preloader

    /// Sets the closure that is called when a player claims the demuxer.
    func setClaimHandler(_ claimed: @escaping @Sendable () -> Void) {
        owner.withLock { $0.claimed = claimed }
    }

    /// Prevents later claims.
    ///
    /// - Returns: False if a player has claimed the demuxer already.
    func abandon() -> Bool {
        let isMine = owner.withLock { owner in
            guard !owner.isClaimed else { return false }
            owner.isAbandoned = true
            return true
        }
        if isMine { base.cancel() }
        return isMine
    }

    /// Performs one step: opens the container, reads a packet, or decodes the first frame.
    func advance(to target: Preloader.Target) throws(MediaError) -> Progress {
        var found: MediaDescription?
        defer { if let found { didOpen(found) } }
        return try state.withLock { state throws(MediaError) -> Progress in
            if owner.withLock({ $0.isClaimed }) { return .claimed }
            guard let description = state.description else {
                found = try open(&state).value
                // The segments that a live playlist has now may be gone when a player needs them.
                if let found, found.joinTime != nil, !found.isSeekable { discard() }
                return found == nil ? .pending : .progressed
            }
            // What cannot be read twice is left to the player, which decides on the tracks.
            guard description.isSeekable else { return .reached }
            if !isSufficient(for: target, state) {
                return try read(&state) ? .progressed : .pending
            }
            guard target.decodesFirstFrame, !state.hasTriedFirstFrame else { return .reached }
            return decodeFirstFrame(&state) ? .progressed : .pending
        }
    }

    /// Releases what was opened unless a player has claimed it. A player that claims it later opens the asset itself.
    private func discard() {
        let isMine = owner.withLock { owner in
            owner.isOutdated = !owner.isClaimed
            return owner.isOutdated
        }
        if isMine { base.cancel() }
    }

    private func open(_ state: inout State) throws(MediaError) -> Poll<MediaDescription> {
        guard case .ready(let description) = try base.open() else { return .pending }
        let variant = VariantPreference.first(of: description)
        let tracks = description.tracks(of: variant)
        state.videoTrack = tracks.defaultTrack(.video)?.id
        let audio = tracks.defaultTrack(.audio)?.id
        state.enabled = Set([state.videoTrack, audio].compactMap(\.self))
        state.description = description
        return .ready(description)
    }

    private func isSufficient(for target: Preloader.Target, _ state: State) -> Bool {
        if state.hasEnded || state.enabled.isEmpty || state.byteCount >= byteLimit { return true }
        if target.decodesFirstFrame, let track = state.videoTrack, state.spans[track] == nil { return false }
        if state.byteCount < target.byteCount { return false }
        let wanted = target.nanoseconds
        guard wanted > 0 else { return true }
        return state.enabled.allSatisfy { track in
            state.spans[track].map { $0.end.subtractingClamped($0.start) >= wanted } ?? false
        }
    }

    /// Reads a packet. Returns false if bytes are missing.
    private func read(_ state: inout State) throws(MediaError) -> Bool {
        if state.packets.isEmpty, state.spans.isEmpty { base.setEnabledTracks(state.enabled) }
        guard case .ready(let next) = try base.read() else { return false }
        guard let packet = next else {
            state.hasEnded = true
            return true
        }
        state.packets.append(packet)
        state.byteCount += packet.byteCount
        let time = (packet.presentationTime ?? packet.decodeTime)?.nanoseconds ?? 0
        // A file can contain any time.
        let end = time.addingClamped(packet.duration?.nanoseconds ?? 0)
        let span = state.spans[packet.track] ?? (time, end)
        state.spans[packet.track] = (min(span.start, time), max(span.end, end))
        return true
    }

    /// Decodes the first frame. If that fails, the player's own decoder reports the error. Returns false if bytes are
    /// missing.
    private func decodeFirstFrame(_ state: inout State) -> Bool {
        // If packets have no presentation times, a frame that is decoded alone has another time than in playback.
        if let track = state.videoTrack, let first = state.packets.first(where: { $0.track == track }),
            first.presentationTime != nil
        {
            do throws(MediaError) {
                let made = try base.makeDecoder(for: track, options: decoderOptions)
                guard case .ready(let decoder) = made else { return false }
                if let frame = try Self.decode(first, with: decoder) {
                    decoder.flush()
                    state.decoder = decoder
                    state.firstFrame = (first, frame)
                }
            } catch {
                state.decoder = nil
            }
        }
        state.hasTriedFirstFrame = true
        return true
    }

    /// Returns the frame of a packet, or nil if the packet alone yields none.
    private static func decode(_ packet: Packet, with decoder: any Decoder) throws(MediaError) -> VideoFrame?
    {
        guard try decoder.send(packet) else { return nil }
        var isDrained = false
        while true {
            switch try decoder.receive() {
            case .video(let frame): return frame
            case .audio, .ended: return nil
            case .needsInput where isDrained: return nil
            case .needsInput: isDrained = try decoder.send(nil)
            }
        }
    }

    // MARK: For the player

    /// Claims the demuxer for a player.
    ///
    /// - Returns: False if another player has claimed it, if it was abandoned or is outdated, or if the player would
    ///   have opened it differently.
    func claim(_ backend: any MediaBackend, _ decoding: DecodingPolicy, _ options: DemuxerOptions) -> Bool {
        guard isSame(backend), decoding.opensLike(self.decoding),
            options.usesBlockingReads == usesBlockingReads, options.liveOffset == nil
        else { return false }
        let (isClaimed, claimed) = owner.withLock { owner -> (Bool, (@Sendable () -> Void)?) in
            guard !owner.isClaimed, !owner.isAbandoned else { return (false, nil) }
            owner.isClaimed = true
            defer { owner.claimed = nil }
            return (!owner.isOutdated, owner.claimed)
        }
        claimed?()
        return isClaimed
    }

    private func isSame(_ other: any MediaBackend) -> Bool {
        guard type(of: other) == type(of: backend) else { return false }
        guard type(of: other) is AnyClass else { return true }
        return other as AnyObject === backend as AnyObject
    }

    func open() throws(MediaError) -> Poll<MediaDescription> {
        try state.withLock { state throws(MediaError) -> Poll<MediaDescription> in
            if let description = state.description { return .ready(description) }
            return try open(&state)
        }
    }

    func setEnabledTracks(_ ids: Set<Int>) {
        state.withLock { state in
            defer { state.enabled = ids }
            base.setEnabledTracks(ids)
            guard !state.spans.isEmpty || state.hasEnded else { return }
            if ids.isSubset(of: state.enabled) {
                state.packets.removeAll { !ids.contains($0.track) }
            } else {
                state.forgetPackets()
                state.mustRewind = true
            }
        }
    }

    func read() throws(MediaError) -> Poll<Packet?> {
        try state.withLock { state throws(MediaError) -> Poll<Packet?> in
            if state.mustRewind {
                let beginning = state.description?.joinTime ?? .zero
                guard case .ready = try base.seek(to: beginning, preference: .atOrBefore) else {
                    return .pending
                }
                state.mustRewind = false
            }
            if let packet = state.packets.popFirst() { return .ready(packet) }
            return state.hasEnded ? .ready(nil) : try base.read()
        }
    }

    func seek(to target: MediaTime, preference: SeekPreference) throws(MediaError) -> Poll<Void> {
        try state.withLock { state throws(MediaError) in
            state.forgetPackets()
            state.mustRewind = false
            return try base.seek(to: target, preference: preference)
        }
    }

    func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> Poll<any Decoder> {
        try state.withLock { state throws(MediaError) -> Poll<any Decoder> in
            guard track == state.videoTrack, let decoder = state.decoder,
                options.decodesLike(decoderOptions)
            else {
                if track == state.videoTrack { state.firstFrame = nil }
                return try base.makeDecoder(for: track, options: options)
            }
            state.decoder = nil
            return .ready(decoder)
        }
    }

    func decodedFirstFrame(of track: Int) -> (packet: Packet, frame: VideoFrame)? {
        state.withLock { state in
            guard track == state.videoTrack else { return nil }
            defer { state.firstFrame = nil }
            return state.firstFrame
        }
    }

    func makeTextDecoder(for track: Int) throws(MediaError) -> Poll<any TextDecoder> {
        try state.withLock { _ throws(MediaError) in try base.makeTextDecoder(for: track) }
    }

    func begin(_ epoch: Epoch) { base.begin(epoch) }
    func interrupt(before epoch: Epoch) { base.interrupt(before: epoch) }
    func setNoticeHandler(_ handler: (@Sendable (ReadNotice) -> Void)?) { base.setNoticeHandler(handler) }
    var loadingState: LoadingState? { base.loadingState }
    var receivedBytes: Int64? { base.receivedBytes }
    var awaitsMedia: Bool { base.awaitsMedia }
    func cancel() { base.cancel() }
}

extension DecodingPolicy {
    /// Returns whether both policies open a container with the same result.
    fileprivate func opensLike(_ other: DecodingPolicy) -> Bool {
        maximumPixelCount == other.maximumPixelCount && maximumStreamCount == other.maximumStreamCount
    }
}

extension DecoderOptions {
    fileprivate func decodesLike(_ made: DecoderOptions) -> Bool {
        threadCount == made.threadCount && maximumPixelCount == made.maximumPixelCount
            && hardware == made.hardware
            && made.maximumThreadCount ?? .max <= maximumThreadCount ?? .max
    }
}
