import MediaCore
import PlayheadBackend

/// Reads one subtitle or timed metadata track with a demuxer of its own, a little ahead of playback.
///
/// Playback never waits for cues: neither frames nor audio nor the end of the item depend on them.
///
/// `@unchecked Sendable`: members that are not locked are confined to the lane that runs `step()`.
final class CueStage: Stage, @unchecked Sendable {
    private struct Shared {
        var cues = CueList()
        var track: Int?
        /// The playback position in item time, and the number of jumps so far.
        var time = ItemTime.zero
        var jumps = 0
        /// The range of item time that has been read.
        var readStart = ItemTime.zero
        var readEnd = ItemTime.zero
        /// The start of that range after the last jump or seek. Unlike `readStart`, it does not change when cues are
        /// dropped, so what does not fit is not read again and again.
        var seekStart = ItemTime.zero
        var isReverse = false
        var isAtEnd = false
        /// True when the track is open. From then on a jump interrupts reads; it never interrupts opening.
        var isOpen = false

        /// Whether backward playback approaches the start of what has been read.
        var mustReadEarlier: Bool {
            isReverse && seekStart > .zero && time < seekStart + CueStage.readAheadDuration / 2
        }
    }

    private let shared: Locked<Shared>
    let demuxer: any Demuxer
    private let pick: @Sendable (MediaDescription) throws(MediaError) -> (cues: [TextCue], track: Track?)
    private let changed: @Sendable () -> Void
    private let opened: @Sendable (Result<Void, MediaError>) -> Void
    private let faulted: @Sendable (MediaError) -> Void

    // Confined to the lane.
    /// True if the next action is a seek, because the position has jumped or because reading was interrupted.
    private var mustSeek = false
    /// The target of a seek that waits for bytes and must be repeated.
    private var pendingSeek: ItemTime?
    private var decoder: (any TextDecoder)?
    private var hasStopped = false
    private var jumps = 0
    private var track = -1
    private var consecutiveFaults = 0
    /// `progressTrack`: a track that is read to measure the progress of reading. `seekTrack`: the track in
    /// which seeks are made.
    private var progressTrack: Int?
    private var seekTrack: Int?

    /// `readAheadDuration`: how far ahead of the playback position the stage reads. `preroll`: how long before
    /// the target of a seek reading begins, because cues that began earlier may be due there. Both are in
    /// nanoseconds.
    static let readAheadDuration: Int64 = 10_000_000_000
    static let preroll: Int64 = 20_000_000_000
    private static let maximumConsecutiveFaults = 100

    init(
        _ source: CueSource,
        at time: ItemTime,
        usesBlockingReads: Bool = false,
        changed: @escaping @Sendable () -> Void,
        opened: @escaping @Sendable (Result<Void, MediaError>) -> Void,
        faulted: @escaping @Sendable (MediaError) -> Void
    ) {
        demuxer = source.makeDemuxer(
            DemuxerOptions(
                readsOnlySubtitles: source.readsOnlySubtitles,
                usesBlockingReads: usesBlockingReads
            )
        )
        pick = source.pick
        shared = Locked(Shared(time: time, jumps: 1))
        self.changed = changed
        self.opened = opened
        self.faulted = faulted
    }

    // MARK: From any thread

    var trackID: Int? { shared.withLock { $0.track } }
    var cues: CueList { shared.withLock { $0.cues } }
    /// The revision of `cues`, which does not copy them.
    var cueRevision: Int { shared.withLock { $0.cues.revision } }
    /// Whether the whole track has been read.
    var isAtEnd: Bool { shared.withLock { $0.isAtEnd } }
    /// Whether `cues` contains every cue that has been read since the start of the track.
    var hasAllCues: Bool { shared.withLock { $0.readStart <= .zero } }

    /// Sets the playback position. Returns true if the stage has work. After a jump, a read that waits for
    /// bytes ends. Any thread.
    func play(at time: ItemTime, jumped: Bool, isReverse: Bool = false) -> Bool {
        let (jumps, hasWork) = shared.withLock { shared in
            shared.time = time
            shared.isReverse = isReverse
            if jumped {
                shared.jumps += 1
                shared.seekStart = shared.readStart
            }
            let hasWork =
                jumped || shared.mustReadEarlier
                || !shared.isAtEnd && shared.readEnd < time + Self.readAheadDuration / 2
            return (jumped && shared.isOpen ? shared.jumps : nil, hasWork)
        }
        if let jumps { demuxer.interrupt(before: Self.epoch(jumps)) }
        return hasWork
    }

    func cancel() {
        demuxer.cancel()
        demuxer.setNoticeHandler(nil)
    }

    /// Returns the epoch of a jump. The demuxer belongs to the stage, and so do its epochs.
    private static func epoch(_ jumps: Int) -> Epoch { Epoch(UInt64(jumps)) }

    // MARK: On the lane

    func step() -> StepResult {
        guard !hasStopped else { return .finished }
        do throws(MediaError) {
            guard let decoder else { return try open() }
            return try read(decoder)
        } catch {
            return recover(from: error)
        }
    }

    private func open() throws(MediaError) -> StepResult {
        guard case .ready(let description) = try demuxer.open() else { return .needsInput }
        let (cues, found) = try pick(description)
        shared.withLock { shared in
            for cue in cues where !shared.cues.insert(cue) { break }
        }
        if !cues.isEmpty { changed() }
        guard let track = found else {
            hasStopped = true
            return .finished
        }
        let made = try demuxer.makeTextDecoder(for: track.id)
        guard case .ready(let decoder) = made else { return .needsInput }
        self.decoder = decoder
        self.track = track.id
        if !track.reportsProgress {
            // A track of another playlist says nothing about the progress of this one, and may not be open.
            let neighbors = description.tracks.filter { $0.playlistIndex == track.playlistIndex }
            let audio = TrackChoice.automatic.pick(.audio, from: neighbors)?.id
            let video = TrackChoice.automatic.pick(.video, from: neighbors)?.id
            progressTrack = audio ?? video
            seekTrack = video ?? audio
        }
        enable()
        shared.withLock { shared in
            shared.track = track.id
            shared.isOpen = true
        }
        opened(.success(()))
        return .progressed
    }

    private func enable() { demuxer.setEnabledTracks(Set([track, progressTrack].compactMap(\.self))) }

    private func read(_ decoder: any TextDecoder) throws(MediaError) -> StepResult {
        let (time, jumps, readStart, readEnd, isAtEnd, mustReadEarlier) = shared.withLock {
            ($0.time, $0.jumps, $0.readStart, $0.readEnd, $0.isAtEnd, $0.mustReadEarlier)
        }
        if jumps != self.jumps {
            self.jumps = jumps
            demuxer.begin(Self.epoch(jumps))
            let isAlreadyRead = time >= readStart && (isAtEnd || time <= readEnd + Self.preroll)
            if !isAlreadyRead { mustSeek = true }
            pendingSeek = nil
        }
        if mustReadEarlier { mustSeek = true }
        if mustSeek {
            return try seek(to: pendingSeek ?? max(.zero, time - Self.preroll))
        }
        if isAtEnd { return .finished }
        if readEnd > time + Self.readAheadDuration { return .needsSpace }
        guard case .ready(let next) = try demuxer.read() else { return wait() }
        guard let packet = next else {
            shared.withLock { $0.isAtEnd = true }
            changed()
            return .finished
        }
        let start = ItemTime(packet.presentationTime ?? packet.decodeTime)
        guard packet.track == track else {
            if let start { shared.withLock { $0.readEnd = max($0.readEnd, start) } }
            return .progressed
        }
        let cues = try decoder.decode(packet)
        consecutiveFaults = 0
        shared.withLock { shared in
            // Without another track, the cues of the track itself show the progress of reading.
            if progressTrack == nil, let start { shared.readEnd = max(shared.readEnd, start) }
            if cues.isEmpty, let start { shared.cues.end(track: track, at: start) }
        }
        insert(cues, at: time)
        changed()
        return .progressed
    }

    /// Inserts cues, and drops those of the past if they do not fit. Cues that do not fit without them are lost.
    private func insert(_ cues: [TextCue], at time: ItemTime) {
        var rest = cues[...]
        for limit in [nil, time - Self.preroll, time] {
            if let limit { dropCues(before: limit) }
            shared.withLock { shared in
                while let cue = rest.first, shared.cues.insert(cue) { rest.removeFirst() }
            }
            if rest.isEmpty { return }
        }
    }

    private func dropCues(before time: ItemTime) {
        shared.withLock { shared in
            shared.cues.drop(before: time)
            shared.readStart = max(shared.readStart, time)
        }
    }

    private func seek(to time: ItemTime) throws(MediaError) -> StepResult {
        shared.withLock { shared in
            shared.readStart = time
            shared.readEnd = time
            shared.seekStart = time
            shared.isAtEnd = false
            // Later cues are read again before they are due, and would take the capacity of those that are due now.
            shared.cues.drop(after: time + Self.preroll + Self.readAheadDuration, track: track)
        }
        decoder?.flush()
        // In most containers, the index has no sync points for subtitles, but it has some for video and audio.
        // The tracks that are read next are enabled too, because only enabled tracks move.
        if let seekTrack {
            demuxer.setEnabledTracks(Set([seekTrack, track, progressTrack].compactMap(\.self)))
        }
        defer { enable() }
        pendingSeek = nil
        // Until the seek has succeeded, the position is undefined, and nothing is read.
        mustSeek = true
        guard case .ready = try demuxer.seek(to: time.mediaTime, preference: .atOrBefore) else {
            pendingSeek = time
            return wait()
        }
        mustSeek = false
        return .progressed
    }

    /// Handles `.pending`. The call is repeated when the demuxer reports bytes, and at each wake-up.
    private func wait() -> StepResult { isInterrupted ? .progressed : .needsInput }

    /// Whether the position has jumped since the call began.
    private var isInterrupted: Bool { decoder != nil && shared.withLock { $0.jumps != jumps } }

    private func recover(from error: MediaError) -> StepResult {
        if error.code == .cancelled, isInterrupted {
            mustSeek = true
            return .progressed
        }
        if error.code == .cancelled {
            hasStopped = true
            return .finished
        }
        guard decoder != nil else {
            hasStopped = true
            opened(.failure(error))
            return .finished
        }
        faulted(error)
        consecutiveFaults += 1
        if error.code != .decodeFailed && !error.isRetryable
            || consecutiveFaults >= Self.maximumConsecutiveFaults
        {
            hasStopped = true
            return .finished
        }
        return .progressed
    }
}
