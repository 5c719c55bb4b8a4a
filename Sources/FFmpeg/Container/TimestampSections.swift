internal import MediaCore

/// The sections of MPEG-2 streams (ISO/IEC 13818-1) whose time base changes, as in recordings that were joined or cut, and on DVDs.
///
/// The timestamps begin again in each section. Here each section begins where the previous one ends, as after a discontinuity of HTTP
/// Live Streaming.
struct TimestampSections {
    /// The times of a packet of audio or video, in ticks of the container (1/90000 s).
    struct Stamp {
        let stream: Int32
        /// The offset of the packet in the file, or nil for all but the first of several frames with one header.
        let position: Int64?
        let decode: Int64
        /// Nil for packets without a timestamp of their own, as most of those of program streams.
        let presentation: Int64?
        let duration: Int64
    }

    /// Packets with one time base.
    private struct Section {
        /// The offset in the file of the first packet.
        var position: Int64
        /// The decode time of the first packet in the container, or nil if it has not been read.
        var start: Int64?
        /// The ticks that are added to the times of the container.
        var offset: Int64
    }

    /// The progress of a stream since the last seek.
    private struct Progress {
        /// The position of the last packet that has one.
        var position: Int64
        /// The decode time of the last packet, and the latest end of a frame, on the continuous timeline.
        var decode, end: Int64
        /// The difference of presentation and decode time of the first packet that has both. Those of a key frame differ by the
        /// reordering of the frames.
        var delay: Int64?
        /// The number of packets.
        var count = 1
        /// The number of packets since the last one whose decode time does not differ by more than the threshold.
        var outlierCount = 0
        /// Whether no decode time has returned without beginning a section, as do those that are presentation times.
        var isOrdered = true
    }

    /// The ticks by which timestamps change at the least from one section to another, as in FFmpeg's `-dts_delta_threshold`.
    static let threshold: Int64 = 10 * 90_000
    /// The ticks by which later times begin a section if there is no audio: a frame of video may last for minutes.
    private static let thresholdWithoutAudio: Int64 = 600 * 90_000
    /// The ticks by which decode times of a stream return at the least if a section begins with the times of the one before.
    static let restartThreshold: Int64 = 90_000 / 4
    /// The largest difference of the first timestamps of such sections.
    private static let startTolerance: Int64 = 90_000
    /// The largest number of sections to record.
    private static let limit = 4096
    /// The number of packets after which a stream that has none among them has ended.
    private static let streamLimit = 64
    /// The number of packets that are read at most to decide whether a section begins.
    static let lookaheadLimit = 256
    /// The number of packets that show where the timestamps of a stream are: one alone may be damaged.
    private static let confirmation = 4
    /// The number of packets of a stream that continue as before, after the first one of another stream that does not, by which no
    /// section has begun.
    private static let remainingLimit = 8
    /// The number of damaged timestamps in a row after which they count as a gap.
    private static let outlierLimit = 16
    /// The largest distance, in bytes, of packets of two streams with the same time.
    private static let interleaving: Int64 = 4 << 20

    /// The sections by position. Those that have not been read may be missing.
    private var sections = [Section(position: .min, start: nil, offset: 0)]
    private var progress: [Int32: Progress] = [:]
    /// The position of the last packet that has one, or the one from which a seek continues.
    private var position = Int64.min
    /// Whether the next packet is the first one of the file.
    private var isAtStart = true
    /// Whether a section may begin with later times. If it is false, only earlier times begin one, because later ones may be those of
    /// a gap that is a part of the declared duration.
    var acceptsLaterTimes: Bool
    /// The ticks by which times must be later to begin a section.
    private let laterThreshold: Int64

    init(acceptsLaterTimes: Bool, hasAudio: Bool = true) {
        self.acceptsLaterTimes = acceptsLaterTimes
        laterThreshold = hasAudio ? Self.threshold : Self.thresholdWithoutAudio
    }

    var count: Int { sections.count }
    /// The decode time with which the file begins.
    var start: Int64 { sections[0].start ?? .min }
    /// The latest end of what has been read of each stream since the last seek, on the continuous timeline.
    var ends: [Int32: Int64] { progress.mapValues(\.end) }

    /// Records that the next packet does not follow the last one.
    ///
    /// - Parameter position: The offset in the file from which reading continues, if it is known.
    mutating func noteSeek(to position: Int64 = .min) {
        progress = [:]
        isAtStart = false
        self.position = position
    }

    /// Returns the offset of the times of a packet of any stream.
    func offset(of stream: Int32, at position: Int64?) -> Int64 {
        sections[index(of: stream, at: position)].offset
    }

    /// Records a packet of audio or video, and returns the offset of its times.
    mutating func record(_ stamp: Stamp) -> Int64 {
        let place = stamp.position ?? progress[stamp.stream]?.position ?? position
        if stamp.position != nil { position = place }
        if isAtStart { sections[0].start = stamp.decode }
        isAtStart = false
        let offset = sections[index(of: stamp.stream, at: place)].offset
        let decode = stamp.decode.addingClamped(offset)
        let start = presentation(of: stamp).addingClamped(offset)
        let delay = progress[stamp.stream]?.delay ?? Self.delay(of: stamp)
        guard var known = progress[stamp.stream] else {
            let end = start.addingClamped(max(0, stamp.duration))
            progress[stamp.stream] = Progress(position: place, decode: decode, end: end, delay: delay)
            return offset
        }
        let step = decode.subtractingClamped(known.decode)
        known.position = place
        known.delay = delay
        if step.magnitude > Self.threshold, known.count >= Self.confirmation,
            known.outlierCount < Self.outlierLimit
        {
            known.outlierCount += 1
        } else {
            // If the container declares no duration, that of the packet before it counts.
            let end = start.addingClamped(
                stamp.duration > 0 ? stamp.duration : max(0, min(step, Self.threshold))
            )
            known.end = step.magnitude > Self.threshold ? end : max(known.end, end)
            known.decode = decode
            known.count = step.magnitude > Self.threshold ? 1 : known.count + 1
            if step <= -Self.restartThreshold, step >= -Self.threshold { known.isOrdered = false }
            known.outlierCount = 0
        }
        progress[stamp.stream] = known
        return offset
    }

    /// Returns whether a packet does not continue its section, so that `resolve(_:follower:)` must be called before it is recorded.
    func isJump(_ stamp: Stamp) -> Bool {
        guard let position = stamp.position, let known = progress[stamp.stream],
            known.count >= Self.confirmation,
            sections.count < Self.limit
        else { return false }
        let section = sections[index(of: stamp.stream, at: position)]
        let decode = stamp.decode.addingClamped(section.offset)
        let step = decode.subtractingClamped(known.decode)
        if step > Self.threshold {
            // Video may have a frame a minute beside audio.
            let latest = progress.values.map(\.decode).max() ?? .min
            return acceptsLaterTimes && decode.subtractingClamped(latest) > laterThreshold
        }
        if step < -Self.threshold { return true }
        guard known.isOrdered, step <= -Self.restartThreshold, let start = section.start else { return false }
        return stamp.decode.subtractingClamped(start).magnitude <= Self.startTolerance
    }

    /// Begins a section with a packet that does not continue its own, unless the packets that follow show that its timestamps are
    /// damaged.
    ///
    /// - Parameters:
    ///   - stamp: The packet.
    ///   - follower: Returns the next packet of audio or video that follows, or nil at the end.
    /// - Returns: False if a section begins although the end has been reached before enough packets have shown it.
    @discardableResult
    mutating func resolve<Failure>(_ stamp: Stamp, follower: () throws(Failure) -> Stamp?) throws(Failure)
        -> Bool
    {
        guard let position = stamp.position, let known = progress[stamp.stream] else { return true }
        let index = index(of: stamp.stream, at: position)
        if begins(stamp, at: position, section: index + 1, after: known) {
            sections[index + 1].position = position
            return true
        }
        let old = sections[index].offset
        var ends = self.ends
        var starts = [stamp.stream: presentation(of: stamp)]
        var first = position
        // The decode times that are expected next in the container, if the section has begun and if it has not.
        var new = stamp.decode
        var olds = progress.mapValues { $0.decode.subtractingClamped(old) }
        var continuing = 1
        var returning = 0
        var remaining: [Int32: Int] = [:]
        for _ in 0..<Self.lookaheadLimit {
            guard let next = try follower() else { break }
            let former = olds[next.stream] ?? known.decode.subtractingClamped(old)
            let distance = next.decode.subtractingClamped(new).magnitude
            if distance < next.decode.subtractingClamped(former).magnitude {
                // Damaged timestamps continue neither. A frame may last for minutes.
                if distance > Self.thresholdWithoutAudio.magnitude { continue }
                new = next.decode
                if starts[next.stream] == nil { starts[next.stream] = presentation(of: next) }
                // Frames without a position share the timestamp of the one before, and are no evidence of their own.
                if let place = next.position {
                    continuing += 1
                    // A packet that is stored far before is no part of the section.
                    if place > sections[index].position { first = min(first, place) }
                }
            } else {
                olds[next.stream] = next.decode
                if let place = next.position, place > position {
                    returning += 1
                    remaining[next.stream, default: 0] += 1
                }
                let end = presentation(of: next).addingClamped(old).addingClamped(max(0, next.duration))
                ends[next.stream] = max(end, ends[next.stream] ?? end)
            }
            // The timestamps of one stream alone are damaged.
            let others = remaining.filter { starts[$0.key] == nil }
            if others.values.contains(where: { $0 >= Self.remainingLimit }) { return true }
            let hasAll = ends.keys.allSatisfy { starts[$0] != nil } || continuing >= Self.streamLimit
            if hasAll, continuing >= Self.confirmation, continuing > returning { break }
            if returning >= Self.confirmation, returning > continuing { break }
        }
        guard continuing > returning else { return true }
        // No stream overlaps its own end.
        let offset = starts.compactMap { stream, start in ends[stream].map { $0.subtractingClamped(start) } }
            .max()
        guard let offset else { return true }
        insert(Section(position: first, start: stamp.decode, offset: offset), after: index, position)
        return continuing >= Self.confirmation
    }

    /// Inserts a section that begins with a packet at a position. Those that follow were recorded as if it did not exist.
    private mutating func insert(_ section: Section, after index: Int, _ position: Int64) {
        let next = index + 1
        var former = sections[index].offset
        // A section that begins among the same packets is found again.
        while next < sections.count, sections[next].position - position <= Self.interleaving {
            former = sections.remove(at: next).offset
        }
        let change = section.offset.subtractingClamped(former)
        for later in sections.indices.dropFirst(next) {
            sections[later].offset = sections[later].offset.addingClamped(change)
        }
        sections.insert(section, at: next)
    }

    /// Returns whether a packet before the recorded position of a section belongs to it, because packets of several streams are
    /// interleaved.
    private func begins(_ stamp: Stamp, at position: Int64, section: Int, after known: Progress) -> Bool {
        guard sections.indices.contains(section), sections[section].position - position <= Self.interleaving
        else { return false }
        let step = stamp.decode.addingClamped(sections[section].offset).subtractingClamped(known.decode)
        return step.magnitude <= Self.threshold
    }

    /// Returns the presentation time of a packet, estimated if it has none.
    private func presentation(of stamp: Stamp) -> Int64 {
        stamp.presentation ?? stamp.decode.addingClamped(progress[stamp.stream]?.delay ?? 0)
    }

    private static func delay(of stamp: Stamp) -> Int64? {
        stamp.presentation.map { max(0, min($0.subtractingClamped(stamp.decode), startTolerance)) }
    }

    /// Returns the section of a packet.
    private func index(of stream: Int32, at position: Int64?) -> Int {
        let place = position ?? progress[stream]?.position ?? self.position
        return sections.lastIndex { $0.position <= place } ?? 0
    }

    /// Returns the decode time in the container with which the section at a position begins, or nil if it has not been read.
    func start(at position: Int64) -> Int64? { sections.last { $0.position <= position }?.start }

    /// Returns the offsets in the file between which the packet with a time on the continuous timeline begins.
    func positions(of time: Int64) -> Range<Int64> {
        let index = sections.lastIndex { ($0.start ?? .min).addingClamped($0.offset) <= time } ?? 0
        let lower = max(0, sections[index].position)
        let upper = index + 1 < sections.count ? sections[index + 1].position : .max
        return lower..<max(lower, upper)
    }
}
