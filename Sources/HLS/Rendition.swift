internal import MediaCore
internal import PlayheadBackend

/// One playlist of segments that is open: the stream of its bytes, and the demuxer of the containers in it.
///
/// Confined to the lane of the demuxer that it belongs to.
final class Rendition {
    /// The presentation's numbers of its tracks, by the container's.
    private(set) var trackIDs: [Int: Int] = [:]
    let dates: [DateSpan]
    private(set) var description = MediaDescription(formatName: "hls")
    /// Of the container's tracks those that are wanted.
    private(set) var enabled: Set<Int> = []
    private let source: SegmentSource
    private let demuxers: DemuxerSet
    private let timestampAdjuster: TimestampAdjuster
    /// The one that opened first: its decoders take the packets of all.
    private var firstRun: SegmentRun
    /// The one that is read now.
    private var currentRun: SegmentRun
    private var zero = MediaTime.zero
    /// When the first segment begins, where its container does not say; else zero.
    private var packedAudioStart = MediaTime.zero
    /// Packets that were read and not taken.
    private var pending: [Packet] = []
    private var isAtEnd = false
    /// Where item time begins, as the source counts.
    private var origin: Int64
    /// Of the segment that the presentation begins with.
    private let firstDiscontinuity: Int64
    /// Packets that end before it are dropped.
    private var skipEnd: MediaTime?
    /// Segments that could not be had since the last packet.
    private var lostSegments = 0
    /// A loss that was met while opening.
    private var unreportedLoss: MediaError?

    /// Packets that were taken.
    private var dequeuedCount = 0
    /// So many are taken before more than the first segments are asked for.
    private static let readAheadThreshold = 12
    /// So many in a row end the presentation.
    private static let lostSegmentLimit = 3

    /// A demuxer, and a segment of those that it can read.
    private struct SegmentRun {
        let demuxer: any SegmentedDemuxer
        var segment: PlaylistSegment
        /// Item time of the segment with which it opens.
        var start = MediaTime.zero
        /// It is the first one behind a discontinuity.
        var followsDiscontinuity = false
        var isOpen = false

        /// Raw audio has no times of its own, and libav's demuxer of MP4 holds on to the fragments of the place before: each
        /// place is opened anew.
        var needsReopening: Bool { isPacked || segment.map != nil }
        var isPacked = false

        func canRead(_ other: PlaylistSegment) -> Bool {
            !needsReopening && other.discontinuity == segment.discontinuity && other.map == segment.map
        }
    }

    init(
        _ playlist: MediaPlaylist,
        url: String,
        dates: [DateSpan],
        demuxers: DemuxerSet,
        timestampAdjuster: TimestampAdjuster,
        openingTime: MediaTime?
    ) throws(MediaError) {
        self.dates = dates
        self.demuxers = demuxers
        self.timestampAdjuster = timestampAdjuster
        let backend = demuxers.backend
        source = SegmentSource(playlist, url: url, resources: demuxers.resources) {
            key,
            iv throws(MediaError) in
            try backend.makeCipher(key: key, iv: iv)
        }
        origin = source.start(of: source.index)
        guard let segment = source.segment else {
            throw MediaError(.emptyMedia, "the playlist has no segments", location: PlaylistURL.name(url))
        }
        firstDiscontinuity = segment.discontinuity
        firstRun = SegmentRun(demuxer: demuxers.make(source), segment: segment)
        currentRun = firstRun
        if let openingTime, playlist.hasEnded { beginOpening(at: openingTime) }
    }

    /// It is opened with the segment that holds the time, for the others may not be needed.
    private func beginOpening(at time: MediaTime) {
        source.begin(at: index(at: time))
        guard let segment = source.segment else { return }
        firstRun.segment = segment
        firstRun.start = segmentStart
        firstRun.followsDiscontinuity = followsDiscontinuity(source.index)
        currentRun = firstRun
        // Others have opened the presentation. Where its times are moved goes by it.
        zero = demuxers.resources.knownZero ?? .zero
    }

    private func followsDiscontinuity(_ index: Int) -> Bool {
        guard let segment = source.segment(at: index), let last = source.segment(at: index - 1) else {
            return false
        }
        return last.discontinuity != segment.discontinuity
    }

    var playlist: MediaPlaylist { source.playlist }
    /// Item time began so long after the first segment that was in the playlist when it was opened.
    var originTime: MediaTime { MediaTime(value: origin, timescale: 1_000_000) }
    var isEnabled: Bool { !enabled.isEmpty }
    /// Item time of the segment being read, as the playlist says.
    var segmentStart: MediaTime { start(of: source.index) }

    /// Its next bytes are asked for, so that they are on their way when they are read.
    func requestFirstBytes(_ context: ReadContext) { source.requestFirstBytes(context) }

    /// Waits for what it needs. `base` is added to the numbers of tracks.
    func open(base: Int) throws(MediaError) {
        description = try openFirstRun()
        for track in description.tracks { trackIDs[track.id] = base + track.id }
        if let time = source.timestamp.map({ MediaTime(value: $0, timescale: 90_000) }) {
            firstRun.isPacked = true
            currentRun.isPacked = true
            packedAudioStart = time
            description.startTime = description.startTime + time
        }
        timestampAdjuster.begin(firstDiscontinuity)
    }

    /// Where its first segments cannot be had, the next one.
    private func openFirstRun() throws(MediaError) -> MediaDescription {
        while true {
            do throws(MediaError) {
                return try currentRun.demuxer.open()
            } catch {
                guard error.code != .cancelled, error.code != .notReady else { throw error }
                // What failed below says more than that nothing can be recognised.
                guard case .lost(var why) = source.stop else { throw error }
                lostSegments += 1
                guard lostSegments < Self.lostSegmentLimit, why.isSkippable,
                    source.segment(at: source.index + 1) != nil
                else { throw why }
                source.begin(at: source.index + 1)
                if firstRun.start != .zero {
                    firstRun.start = segmentStart
                    currentRun.start = firstRun.start
                }
                why.isRetryable = true
                unreportedLoss = why
            }
        }
    }

    /// The presentation knows the track by another number than it was given.
    func rename(_ track: Int, _ id: Int) { trackIDs[track] = id }

    /// The item's timeline, when all that belongs to it is open.
    func setZero(_ zero: MediaTime) {
        self.zero = zero
        // Others may have joined a live presentation before, and item time began then.
        if !playlist.hasEnded { origin -= (description.startTime - zero).microseconds }
        firstRun.demuxer.setTimeline(zero: zero, shift: packedAudioStart + firstShift)
    }

    /// How far its containers' times are moved, where it was opened behind a break in them.
    private var firstShift: MediaTime {
        timestampAdjuster.shift(of: firstRun.segment.discontinuity, isMeasured: firstRun.followsDiscontinuity)
        {
            firstRun.start + zero - description.startTime
        }
    }

    /// As its containers would say it of the first segment.
    var startTime: MediaTime {
        firstRun.start == .zero ? description.startTime : description.startTime + firstShift - firstRun.start
    }

    func enable(_ ids: Set<Int>) {
        enabled = Set(trackIDs.filter { ids.contains($0.value) }.keys)
        firstRun.demuxer.setEnabledTracks(enabled)
        pending.removeAll { !ids.contains($0.track) }
    }

    func makeDecoder(for track: Int, _ options: DecoderOptions) throws(MediaError) -> any Decoder {
        try firstRun.demuxer.makeDecoder(for: track, options: options)
    }

    func makeTextDecoder(for track: Int) throws(MediaError) -> any TextDecoder {
        try firstRun.demuxer.makeTextDecoder(for: track)
    }

    // MARK: Reading

    /// The next packet, which stays the next one. nil at the end.
    func peek() throws(MediaError) -> Packet? {
        if let loss = unreportedLoss {
            unreportedLoss = nil
            throw loss
        }
        while pending.isEmpty, !isAtEnd {
            if !currentRun.isOpen, currentRun.demuxer !== firstRun.demuxer { try openRun() }
            let packet: Packet?
            do throws(MediaError) {
                packet = try currentRun.demuxer.read()
            } catch {
                throw try recovered(from: error)
            }
            if let packet {
                enqueue(packet)
            } else if case .atFormatChange = source.stop {
                try move(to: source.index)
            } else if case .lost(let why) = source.stop {
                throw try recovered(from: why)
            } else {
                isAtEnd = true
            }
        }
        return pending.first
    }

    func dequeue() {
        pending.removeFirst()
        dequeuedCount += 1
        if dequeuedCount == Self.readAheadThreshold { source.readsAhead = true }
    }

    /// They come again, before all others.
    func putBack(_ packets: [Packet]) { pending.insert(contentsOf: packets, at: 0) }

    func skip(until time: MediaTime?) { skipEnd = time }

    private func enqueue(_ packet: Packet) {
        guard let id = trackIDs[packet.track] else { return }
        lostSegments = 0
        if let skipEnd, let start = packet.presentationTime ?? packet.decodeTime {
            if start + (packet.duration ?? .zero) < skipEnd { return }
            self.skipEnd = nil
        }
        var packet = packet
        packet.track = id
        pending.append(packet)
    }

    /// Goes on behind a segment that cannot be had. What to tell of it.
    private func recovered(from error: MediaError) throws(MediaError) -> MediaError {
        guard case .lost(var why) = source.stop, error.code != .cancelled, error.code != .notReady else {
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

    // MARK: Going elsewhere

    /// The stream goes on with this segment, in the demuxer that reads its kind.
    private func move(to index: Int) throws(MediaError) {
        source.begin(at: index)
        guard let segment = source.segment, !currentRun.canRead(segment) else {
            if currentRun.isOpen || currentRun.demuxer === firstRun.demuxer {
                try currentRun.demuxer.restart()
            }
            currentRun.start = start(of: index)
            return
        }
        if currentRun.demuxer !== firstRun.demuxer { demuxers.drop(currentRun.demuxer) }
        if firstRun.canRead(segment) {
            currentRun = firstRun
            currentRun.isOpen = true
            try currentRun.demuxer.restart()
        } else {
            currentRun = SegmentRun(
                demuxer: demuxers.make(source),
                segment: segment,
                start: start(of: index),
                followsDiscontinuity: followsDiscontinuity(index)
            )
        }
    }

    /// The segments have other formats, or other times, than those before.
    private func openRun() throws(MediaError) {
        do throws(MediaError) {
            let description = try currentRun.demuxer.open()
            let time = source.timestamp.map { MediaTime(value: $0, timescale: 90_000) } ?? .zero
            let shift = timestampAdjuster.shift(
                of: currentRun.segment.discontinuity,
                isMeasured: currentRun.followsDiscontinuity
            ) {
                currentRun.start + zero - description.startTime - time
            }
            try currentRun.demuxer.takeOver(from: firstRun.demuxer, enabled: enabled)
            currentRun.demuxer.setTimeline(zero: zero, shift: shift + time)
            currentRun.isPacked = source.timestamp != nil
            currentRun.isOpen = true
        } catch {
            throw try recovered(from: error)
        }
    }

    /// Goes to the segment that holds an item time, or `back` segments before it. False: there is none so early.
    func begin(at time: MediaTime, back: Int) throws(MediaError) -> Bool {
        let found = index(at: time)
        guard back == 0 || found - back >= source.firstAvailableIndex else { return false }
        pending = []
        isAtEnd = false
        lostSegments = 0
        skipEnd = nil
        try move(to: found - back)
        return true
    }

    /// The last segment that begins at or before the time.
    private func index(at time: MediaTime) -> Int {
        var index = source.firstAvailableIndex
        var end = start(of: index).microseconds
        let goal = time.microseconds
        while let segment = source.segment(at: index) {
            end = end.addingReportingOverflow(segment.duration).partialValue
            if end > goal || source.segment(at: index + 1) == nil { return index }
            index += 1
        }
        return index
    }

    private func start(of index: Int) -> MediaTime {
        MediaTime(value: source.start(of: index) - origin, timescale: 1_000_000)
    }
}

extension MediaTime {
    /// Rounded down; 0 for what is no number.
    var microseconds: Int64 { (nanoseconds ?? 0) / 1000 }
}
