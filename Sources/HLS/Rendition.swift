internal import MediaCore
internal import PlayheadBackend

/// An open media playlist: the byte stream of its segments and the demuxers of their containers.
///
/// Confined to the lane of its demuxer.
final class Rendition {
    /// The presentation's track IDs by the container's.
    private(set) var trackIDs: [Int: Int] = [:]
    let dates: [DateSpan]
    private(set) var description = MediaDescription(formatName: "hls")
    /// The container's IDs of the enabled tracks.
    private(set) var enabled: Set<Int> = []
    private let source: SegmentSource
    private var timeline: SegmentTimeline
    private let demuxers: DemuxerSet
    private let timestampAdjuster: TimestampAdjuster
    /// The run that was opened first. Its decoders receive the packets of all runs.
    private var firstRun: SegmentRun
    /// The run that is read now.
    private var currentRun: SegmentRun
    /// The container time that corresponds to zero on the item's timeline.
    private var zero: MediaTime
    /// Whether another reader has opened the live presentation before.
    private let joinsLive: Bool
    /// The offset of the times of the first run's demuxer: the start of the first segment according to its ID3 tag if
    /// it is packed audio, and the cycles of timestamps that have wrapped around.
    private var firstOffset = MediaTime.zero
    /// Packets that have been read and not dequeued, the next one last, so that dequeuing moves no others. A seek puts
    /// back a whole group of pictures.
    private var pending: [Packet] = []
    private var isAtEnd = false
    /// The index of the segment with which the rendition was opened.
    private var openedIndex: Int
    /// The discontinuity sequence number of the first segment.
    private let firstDiscontinuity: Int64
    /// Packets that end before this time are dropped.
    private var skipEnd: MediaTime?
    /// The number of consecutive segments that could not be read.
    private(set) var lostSegments = 0
    /// The errors of segments that were skipped during opening or a search, and of empty ones. `peek()` reports them.
    var unreportedLosses: [MediaError] = []
    /// The container's IDs of the audio and video tracks.
    private var mediaTracks: Set<Int> = []

    /// The number of consecutive lost segments that ends the presentation.
    private static let lostSegmentLimit = 3

    init(
        _ playlist: MediaPlaylist,
        url: String,
        demuxers: DemuxerSet,
        timestampAdjuster: TimestampAdjuster,
        openingTime: MediaTime?,
        liveOffset: MediaTime?,
        start: PlaylistStart?
    ) throws(MediaError) {
        dates = playlist.dates
        self.demuxers = demuxers
        self.timestampAdjuster = timestampAdjuster
        // If the presentation is open already, its zero determines the offsets of the timestamps.
        zero = demuxers.resources.knownZero ?? .zero
        joinsLive = demuxers.resources.liveWindow != nil
        let backend = demuxers.backend
        source = SegmentSource(
            playlist,
            url: url,
            resources: demuxers.resources,
            liveOffset: liveOffset.map(\.microseconds),
            start: start
        ) { key, iv throws(MediaError) in
            try backend.makeCipher(key: key, iv: iv)
        }
        // The timeline begins with the first segment, also if that is a gap, and of a live presentation with the first
        // one that the playlist has when the presentation is opened first. `setZero` corrects later openings.
        timeline = SegmentTimeline(source, demuxers.resources)
        openedIndex = source.index
        guard let segment = source.segment else {
            throw MediaError(
                .emptyMedia,
                "the media playlist has no segments that are available",
                location: Redaction.location(url)
            )
        }
        firstDiscontinuity = segment.discontinuity
        firstRun = SegmentRun(
            demuxer: demuxers.make(source),
            segment: segment,
            start: timeline.start(of: source.index)
        )
        currentRun = firstRun
        if let openingTime, playlist.hasEnded, !wasLive { beginOpening(at: openingTime) }
    }

    /// Begins opening with the segment that contains the time, so that earlier segments need not be loaded.
    private func beginOpening(at time: MediaTime) {
        source.begin(at: timeline.index(at: time))
        firstRun.setFirst(source.index, of: source, timeline)
        currentRun = firstRun
    }

    var playlist: MediaPlaylist { source.playlist }
    /// Whether the presentation had no end when it was opened first.
    var wasLive: Bool { demuxers.resources.liveWindow != nil }
    /// The duration from the first segment at the time of opening to item time zero.
    var originTime: MediaTime { timeline.originTime }
    var isEnabled: Bool { !enabled.isEmpty }
    /// The item time of the current segment according to the playlist.
    var segmentStart: MediaTime { timeline.start(of: source.index) }
    /// The item time of the segment with which the rendition was opened.
    var joinTime: MediaTime { timeline.start(of: openedIndex) }
    /// Returns the item time of a preferred start of the playlist.
    func itemTime(of start: PlaylistStart) -> MediaTime {
        timeline.start(of: source.firstAvailableIndex)
            + MediaTime(value: playlist.time(of: start), timescale: 1_000_000)
    }
    /// The number of times that the playlist has been replaced.
    var playlistVersion: Int { source.playlistVersion }
    /// The segments that a live playlist has now.
    var window: LiveWindow { timeline.window }

    /// Reloads a live playlist that may have changed. Returns false if the call must be repeated when the context is
    /// woken.
    func refreshPlaylist(_ context: ReadContext) throws(MediaError) -> Bool {
        try source.refreshPlaylist(context)
    }

    /// Requests the next bytes, so that they are on their way when they are read.
    func requestFirstBytes(_ context: ReadContext) { source.requestFirstBytes(context) }

    /// Opens the first run. `firstTrackID` is added to the container's track IDs.
    func open(firstTrackID: Int) throws(MediaError) {
        description = try openFirstRun()
        for track in description.tracks { trackIDs[track.id] = firstTrackID + track.id }
        let media = description.tracks.filter { $0.mediaType == .video || $0.mediaType == .audio }
        mediaTracks = Set(media.map(\.id))
        let timestamps = RunTimestamps(description, source.timestamp)
        if let time = timestamps.tagTime {
            firstOffset = time
            description.startTime = description.startTime + time
        }
        firstRun.needsReopening = timestamps.needsReopening
        currentRun = firstRun
        if !joinsLive { timestampAdjuster.begin(firstDiscontinuity) }
    }

    /// Opens the first run. Skips a segment that cannot be loaded.
    private func openFirstRun() throws(MediaError) -> MediaDescription {
        while true {
            do throws(MediaError) {
                return try currentRun.demuxer.open().get()
            } catch {
                guard error.code != .cancelled else { throw error }
                // The error of the source is more specific than that of the demuxer.
                guard case .lost(var why) = source.stop else { throw error }
                lostSegments += 1
                guard lostSegments < Self.lostSegmentLimit, why.isSkippable,
                    source.segment(at: source.index + 1) != nil
                else { throw why }
                source.begin(at: source.index + 1)
                openedIndex = source.index
                if firstRun.start != .zero {
                    firstRun.start = segmentStart
                    currentRun.start = firstRun.start
                }
                why.isRetryable = true
                unreportedLosses.append(why)
            }
        }
    }

    /// Releases the demuxer of a rendition that has been opened and is not read.
    func close() { demuxers.drop(firstRun.demuxer) }

    /// Replaces the presentation's ID of a track.
    func rename(_ track: Int, _ id: Int) { trackIDs[track] = id }

    /// Sets the item's timeline after all renditions have been opened.
    func setZero(_ zero: MediaTime) {
        self.zero = zero
        let timestamps = RunTimestamps(description, source.timestamp)
        let cycles = timestamps.cycles(from: description.startTime + firstShift, to: expectedStart + zero)
        description.startTime = description.startTime + cycles
        firstOffset = firstOffset + cycles
        // Item time zero of a live presentation was set when it was opened first, even if it has ended since.
        if !playlist.hasEnded || wasLive {
            timeline.move(openedIndex, to: description.startTime + firstShift - zero)
        }
        firstRun.demuxer.setTimeline(zero: zero, shift: firstOffset + firstShift)
    }

    /// The item time at which the first run is expected to begin.
    private var expectedStart: MediaTime { source.estimatedItemTime(of: openedIndex) ?? firstRun.start }

    /// The offset of the first run's timestamps if it begins after a discontinuity. It is determined once, because the
    /// published window changes.
    private(set) lazy var firstShift: MediaTime = findFirstShift()

    private func findFirstShift() -> MediaTime {
        let number = firstRun.segment.discontinuity
        func shift() -> MediaTime { expectedStart + zero - description.startTime }
        guard joinsLive else {
            return timestampAdjuster.shift(of: number, isMeasured: firstRun.followsDiscontinuity, shift)
        }
        if let known = timestampAdjuster.knownShift(of: number) { return known }
        // The window is less exact than the first segment of the sequence, which may be read later.
        firstRun.needsReopening = true
        currentRun.needsReopening = true
        return shift()
    }

    /// The start time of the first segment in container time.
    var startTime: MediaTime {
        firstRun.start == .zero ? description.startTime : description.startTime + firstShift - firstRun.start
    }

    /// Enables tracks by their presentation IDs.
    func enable(_ ids: Set<Int>) {
        enabled = Set(trackIDs.filter { ids.contains($0.value) }.keys)
        firstRun.demuxer.setEnabledTracks(enabled)
        pending.removeAll { !ids.contains($0.track) }
    }

    func makeDecoder(for track: Int, _ options: DecoderOptions) throws(MediaError) -> any Decoder {
        try firstRun.demuxer.makeDecoder(for: track, options: options).get()
    }

    func makeTextDecoder(for track: Int) throws(MediaError) -> any TextDecoder {
        try firstRun.demuxer.makeTextDecoder(for: track).get()
    }

    // MARK: Reading

    /// Returns the next packet without removing it, or nil at the end. Throws the errors of skipped segments before it.
    func peek() throws(MediaError) -> Poll<Packet?> {
        if !unreportedLosses.isEmpty { throw unreportedLosses.removeFirst() }
        let packet = try nextPacket()
        unreportedLosses += source.emptySegments
        source.emptySegments = []
        if !unreportedLosses.isEmpty { throw unreportedLosses.removeFirst() }
        return packet
    }

    /// Returns the next packet as `peek()` does, but leaves the errors of segments that have been skipped to it.
    func nextPacket() throws(MediaError) -> Poll<Packet?> {
        while pending.isEmpty, !isAtEnd {
            if !currentRun.isOpen, currentRun.demuxer !== firstRun.demuxer {
                try openRun()
                if !currentRun.isOpen { continue }
            }
            try continueTracks()
            let packet: Packet?
            do throws(MediaError) {
                guard case .ready(let next) = try currentRun.demuxer.read() else { return .pending }
                packet = next
            } catch {
                throw try recovered(from: error)
            }
            if let packet {
                timeline.followMedia()
                enqueue(packet)
            } else if case .atBreak = source.stop {
                try move(to: source.index, isContinuing: true)
            } else if case .lost(let why) = source.stop {
                throw try recovered(from: why)
            } else {
                isAtEnd = true
            }
        }
        return .ready(pending.last)
    }

    /// Removes the packet that `peek()` has returned.
    func dequeue() {
        pending.removeLast()
        source.noteDequeuedPacket()
    }

    /// Inserts packets before all others.
    func putBack(_ packets: [Packet]) { pending += packets.reversed() }

    /// Drops packets that end before `time`, up to the first one that does not.
    func skip(until time: MediaTime?) {
        skipEnd = time
        guard let time else { return }
        while let first = pending.last {
            guard let start = first.presentationTime ?? first.decodeTime,
                start + (first.duration ?? .zero) < time
            else {
                skipEnd = nil
                return
            }
            pending.removeLast()
        }
    }

    /// Adds a packet with its presentation track ID.
    private func enqueue(_ packet: Packet) {
        guard let id = trackIDs[packet.track] else { return }
        lostSegments = 0
        if let start = packet.presentationTime ?? packet.decodeTime {
            let end = start + (packet.duration ?? .zero)
            if mediaTracks.contains(packet.track) { timeline.extend(to: end) }
            if let skipEnd, end < skipEnd { return }
            skipEnd = nil
        }
        var packet = packet
        packet.track = id
        pending.insert(packet, at: 0)
    }

    /// Continues after a segment that cannot be read. Returns the error to report.
    private func recovered(from error: MediaError) throws(MediaError) -> MediaError {
        guard case .lost(var why) = source.stop, error.code != .cancelled else {
            return error
        }
        lostSegments += 1
        guard lostSegments < Self.lostSegmentLimit, why.isSkippable else {
            why.isRetryable = false
            return why
        }
        try move(to: source.index + 1)
        why.isRetryable = true
        return why
    }

    // MARK: Changing segments

    /// Continues with a segment, in the demuxer that can read its format. `isContinuing` is true if all packets before
    /// it have been read.
    private func move(to index: Int, isContinuing: Bool = false) throws(MediaError) {
        source.begin(at: index)
        if isContinuing { timeline.noteBreak() } else { timeline.noteJump() }
        guard let segment = source.segment else { return awaitSegment() }
        guard !currentRun.canRead(segment) else {
            if currentRun.isOpen || currentRun.demuxer === firstRun.demuxer {
                try currentRun.demuxer.restart(at: segmentStart)
            }
            currentRun.start = segmentStart
            return
        }
        if currentRun.demuxer !== firstRun.demuxer { demuxers.drop(currentRun.demuxer) }
        if firstRun.canRead(segment) {
            currentRun = firstRun
            currentRun.isOpen = true
            try currentRun.demuxer.restart(at: segmentStart)
        } else {
            currentRun = SegmentRun(demuxer: demuxers.make(source), segment: segment, start: segmentStart)
        }
    }

    /// Continues with a segment that is not in the playlist yet. Its format and its timestamps are not known, so
    /// another demuxer opens when it has appeared.
    private func awaitSegment() {
        if playlist.hasEnded {
            isAtEnd = true
            return
        }
        if currentRun.demuxer !== firstRun.demuxer { demuxers.drop(currentRun.demuxer) }
        let segment = currentRun.segment
        currentRun = SegmentRun(demuxer: demuxers.make(source), segment: segment, start: segmentStart)
    }

    /// Opens a run whose segments have another format or other timestamps.
    private func openRun() throws(MediaError) {
        do throws(MediaError) {
            let description = try currentRun.demuxer.open().get()
            if let first = source.streamStart { currentRun.setFirst(first, of: source, timeline) }
            let timestamps = RunTimestamps(description, source.timestamp)
            let time = timestamps.tagTime ?? .zero
            let shift = timestampAdjuster.shift(of: currentRun, isLive: wasLive) {
                currentRun.start + zero - description.startTime - time
            }
            let unwrapped = description.startTime + time + shift
            let cycles = timestamps.cycles(from: unwrapped, to: currentRun.start + zero)
            let opened = unwrapped + cycles - zero
            if wasLive, let first = source.streamStart {
                // The item times of the segments may be an estimate.
                timeline.move(first, to: opened)
            }
            try continueTracks()
            currentRun.demuxer.setTimeline(zero: zero, shift: shift + time + cycles)
            currentRun.needsReopening = timestamps.needsReopening
            currentRun.isOpen = true
        } catch {
            if error.code != .cancelled, source.streamStart == nil {
                // A gap has appeared in place of the segment, or the presentation has ended.
                if case .atBreak = source.stop { return try move(to: source.index) }
                if playlist.hasEnded, source.segment == nil {
                    isAtEnd = true
                    return
                }
            }
            throw try recovered(from: error)
        }
    }

    /// Lets a later run deliver the tracks that are enabled now.
    private func continueTracks() throws(MediaError) {
        guard currentRun.demuxer !== firstRun.demuxer, currentRun.continuedTracks != enabled else { return }
        try currentRun.demuxer.continueTracks(of: firstRun.demuxer, enabled: enabled)
        currentRun.continuedTracks = enabled
    }

    /// Moves to the segment that contains an item time, or `back` segments before it. Returns false if there is none
    /// so early.
    func begin(at time: MediaTime, back: Int) throws(MediaError) -> Bool {
        var found = timeline.index(at: time)
        for _ in 0..<back {
            guard let earlier = source.availableIndex(before: found) else { return false }
            found = earlier
        }
        pending = []
        isAtEnd = false
        lostSegments = 0
        skipEnd = nil
        try move(to: found)
        return true
    }
}
