import DequeModule
import MediaCore
import PlaybackEngine
import PlayheadBackend

/// A demuxer that a preloader has used, or still uses, for the player that takes it over: what was opened, read and decoded
/// is there at once, and then it goes on with what it stands for.
///
/// Its lock is held by whoever works with it, so a player that takes it in the middle of a step waits until that is done, on
/// its loading lane. `interrupt`, `cancel` and notices do not wait.
final class PreloadedDemuxer: Demuxer {
    /// What came of a step.
    enum Progress {
        case moved
        case reached
        /// A player has it.
        case taken
    }

    private struct State {
        var description: MediaDescription?
        var isTaken = false
        var enabled: Set<Int> = []
        /// What was read and not handed out.
        var packets: Deque<Packet> = []
        var byteCount = 0
        /// Nanoseconds that lie there, from the first packet of a track on.
        var spans: [Int: (start: Int64, end: Int64)] = [:]
        var hasEnded = false
        /// What lies in `packets` is not what is wanted: reading begins at the start again.
        var mustRewind = false
        var videoTrack: Int?
        var decoder: PreloadedDecoder?
        var hasTriedFirstFrame = false

        mutating func forgetPackets() {
            packets = []
            spans = [:]
            hasEnded = false
        }
    }

    private let base: any Demuxer
    private let backend: any MediaBackend
    private let decoding: DecodingPolicy
    private let decoderOptions: DecoderOptions
    private let byteLimit: Int
    private let didOpen: @Sendable (MediaDescription) -> Void
    private let state = Locked(State())
    /// A player has it, or nobody will; told without waiting for a step that is under way.
    private let owner = Locked((isTaken: false, isAbandoned: false, taken: (@Sendable () -> Void)?.none))

    init(_ asset: Asset, _ configuration: Player.Configuration, byteLimit: Int, threadLimit: Int?) {
        backend = asset.backend(of: configuration.backend)
        decoding = configuration.decoding
        var options = DecoderOptions(decoding, sharing: PlayerRegistry.players)
        options.maximumThreadCount = threadLimit
        decoderOptions = options
        self.byteLimit = byteLimit
        didOpen = { [weak asset] in asset?.opened(.success($0)) }
        base = asset.makeDemuxer(configuration.backend, decoding: configuration.decoding)
    }

    // MARK: The preloader's side

    /// `taken`: a player has it from here on. `ready`: a step that found nothing at hand is worth trying again. True: that
    /// will be told.
    func listen(taken: @escaping @Sendable () -> Void, ready: @escaping @Sendable () -> Void) -> Bool {
        owner.withLock { $0.taken = taken }
        return base.setNoticeHandler { if $0 == .ready { ready() } }
    }

    /// Nobody will take it any more. False: somebody has.
    func abandon() -> Bool {
        let isMine = owner.withLock { owner in
            guard !owner.isTaken else { return false }
            owner.isAbandoned = true
            return true
        }
        if isMine { base.cancel() }
        return isMine
    }

    /// Opens, reads a packet, or decodes the first picture.
    func goOn(to target: Preloader.Target) throws(MediaError) -> Progress {
        var found: MediaDescription?
        defer { if let found { didOpen(found) } }
        return try state.withLock { state throws(MediaError) -> Progress in
            if owner.withLock({ $0.isTaken }) { return .taken }
            guard let description = state.description else {
                found = try open(&state)
                return .moved
            }
            // What cannot be read twice is left for the player, whichever tracks it plays.
            guard description.isSeekable else { return .reached }
            if !isEnough(for: target, state) {
                try read(&state)
                return .moved
            }
            guard target.decodesFirstFrame, !state.hasTriedFirstFrame else { return .reached }
            decodeFirstFrame(&state)
            return .moved
        }
    }

    private func open(_ state: inout State) throws(MediaError) -> MediaDescription {
        base.setVariantChoice { VariantPreference.first(of: $0) }
        let description = try base.open()
        let variant = VariantPreference.first(of: description)
        let tracks = description.tracks(of: variant)
        state.videoTrack = Self.first(.video, tracks)
        let audio = Self.first(.audio, tracks)
        state.enabled = Set([state.videoTrack, audio].compactMap(\.self))
        state.description = description
        return description
    }

    private static func first(_ type: MediaType, _ tracks: [Track]) -> Int? {
        tracks.first { $0.mediaType == type && $0.isPlayable && !$0.isAttachedPicture }?.id
    }

    private func isEnough(for target: Preloader.Target, _ state: State) -> Bool {
        if state.hasEnded || state.enabled.isEmpty || state.byteCount >= byteLimit { return true }
        if target.decodesFirstFrame, let track = state.videoTrack, state.spans[track] == nil { return false }
        if state.byteCount < target.byteCount { return false }
        let wanted = target.nanoseconds
        guard wanted > 0 else { return true }
        return state.enabled.allSatisfy { track in
            state.spans[track].map { $0.end - $0.start >= wanted } ?? false
        }
    }

    private func read(_ state: inout State) throws(MediaError) {
        if state.packets.isEmpty, state.spans.isEmpty { base.setEnabledTracks(state.enabled) }
        guard let packet = try base.read() else {
            state.hasEnded = true
            return
        }
        state.packets.append(packet)
        state.byteCount += packet.byteCount
        let time = (packet.presentationTime ?? packet.decodeTime)?.nanoseconds ?? 0
        let end = time + (packet.duration?.nanoseconds ?? 0)
        let span = state.spans[packet.track] ?? (time, end)
        state.spans[packet.track] = (min(span.start, time), max(span.end, end))
    }

    /// Where it cannot be had, the player's own decoder will say why.
    private func decodeFirstFrame(_ state: inout State) {
        state.hasTriedFirstFrame = true
        guard let track = state.videoTrack,
            let first = state.packets.first(where: { $0.track == track })
        else { return }
        do throws(MediaError) {
            let decoder = try base.makeDecoder(for: track, options: decoderOptions)
            state.decoder = try PreloadedDecoder(decoder, first: first)
        } catch {
            state.decoder = nil
        }
    }

    // MARK: The player's side

    /// It is the player's from here on. False: another one has it, it was called off, or it was opened as this player would
    /// not.
    func take(_ backend: any MediaBackend, _ decoding: DecodingPolicy) -> Bool {
        guard isSame(backend), decoding.opensLike(self.decoding) else { return false }
        let (isMine, taken) = owner.withLock { owner -> (Bool, (@Sendable () -> Void)?) in
            guard !owner.isTaken, !owner.isAbandoned else { return (false, nil) }
            owner.isTaken = true
            defer { owner.taken = nil }
            return (true, owner.taken)
        }
        taken?()
        return isMine
    }

    private func isSame(_ other: any MediaBackend) -> Bool {
        guard type(of: other) == type(of: backend) else { return false }
        guard type(of: other) is AnyClass else { return true }
        return other as AnyObject === backend as AnyObject
    }

    func open() throws(MediaError) -> MediaDescription {
        try state.withLock { state throws(MediaError) -> MediaDescription in
            if let description = state.description { return description }
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

    func read() throws(MediaError) -> Packet? {
        try state.withLock { state throws(MediaError) -> Packet? in
            if state.mustRewind {
                try base.seek(to: .zero, preference: .atOrBefore)
                state.mustRewind = false
            }
            if let packet = state.packets.popFirst() { return packet }
            return state.hasEnded ? nil : try base.read()
        }
    }

    func seek(to target: MediaTime, preference: SeekPreference) throws(MediaError) {
        try state.withLock { state throws(MediaError) in
            state.forgetPackets()
            state.mustRewind = false
            try base.seek(to: target, preference: preference)
        }
    }

    func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> any Decoder {
        try state.withLock { state throws(MediaError) -> any Decoder in
            guard track == state.videoTrack, let decoder = state.decoder,
                options.decodesLike(decoderOptions)
            else {
                return try base.makeDecoder(for: track, options: options)
            }
            state.decoder = nil
            return decoder
        }
    }

    func makeTextDecoder(for track: Int) throws(MediaError) -> any TextDecoder {
        try state.withLock { _ throws(MediaError) in try base.makeTextDecoder(for: track) }
    }

    func begin(_ epoch: Epoch) { base.begin(epoch) }
    func interrupt(before epoch: Epoch) { base.interrupt(before: epoch) }
    func setNoticeHandler(_ handler: (@Sendable (ReadNotice) -> Void)?) -> Bool {
        base.setNoticeHandler(handler)
    }
    func setWaitsInCalls(_ waits: Bool) { base.setWaitsInCalls(waits) }
    var loadingState: LoadingState? { base.loadingState }
    var receivedBytes: Int64? { base.receivedBytes }
    func cancel() { base.cancel() }
}

extension DecodingPolicy {
    /// What is opened by one would be the same by the other.
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
