internal import CFFmpeg
internal import PlayheadBackend

/// The times of AAC in ADTS (ISO/IEC 14496-3, 1.A.3.2), whose sample rate may change from frame to frame, as at an
/// advertisement of internet radio.
///
/// ADTS has no times. libav counts every frame with the duration of the first one.
struct ADTSFrameTimes {
    /// Consecutive frames with the same sample rate.
    private struct Section {
        /// The position of the first frame.
        let position: Int64
        /// The time of the first frame according to libav, and its actual time, in ticks.
        let libraryTime, time: Int64
        let sampleRate: Int64
    }

    private static let sampleRates: [Int64] = [
        96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
    ]

    /// The largest number of sections to record.
    private static let limit = 1024

    private let stream: Int32
    /// The sample rate and duration of the first frame, or nil before it.
    private var first: (sampleRate: Int64, duration: Int64)?
    /// The sections that have been read from the start on, by position.
    private var sections: [Section] = []
    private var section: Section?
    private var isAfterSeek = false
    /// Whether the times are known. They are not after a seek past a change that has not been recorded.
    private var isExact = true

    /// Returns nil if the container is not raw ADTS. The segments of a playlist are timed by the playlist.
    init?(_ session: InputSession) {
        guard session.formatName == "aac", !session.request.isSegmented,
            let stream = session.streams.first(where: {
                $0.pointee.codecpar.pointee.codec_id == AV_CODEC_ID_AAC
            })
        else { return nil }
        self.init(stream: stream.pointee.index)
    }

    init(stream: Int32) { self.stream = stream }

    /// Records that the next packet does not follow the last one.
    mutating func noteSeek() { isAfterSeek = true }

    /// Sets the time and duration of a frame.
    mutating func setTime(of packet: UnsafeMutablePointer<AVPacket>) {
        guard packet.pointee.stream_index == stream, let time = ticks(packet.pointee.pts),
            let rate = Self.sampleRate(of: packet)
        else { return }
        let first = self.first ?? (sampleRate: rate, duration: packet.pointee.duration)
        self.first = first
        var current = currentSection(at: packet.pointee.pos, firstRate: first.sampleRate)
        // A libav that respects the sample rate declares another duration.
        if rate != current.sampleRate, packet.pointee.duration == first.duration {
            current = Section(
                position: packet.pointee.pos,
                libraryTime: time,
                time: Self.time(time, in: current, first.sampleRate),
                sampleRate: rate
            )
            isExact = isExact && !isAfterSeek && record(current)
        }
        isAfterSeek = false
        section = current
        packet.pointee.pts = Self.time(time, in: current, first.sampleRate)
        packet.pointee.dts = packet.pointee.pts
        packet.pointee.duration = Self.duration(packet.pointee.duration, in: current, first.sampleRate)
    }

    /// Returns the time with which libav seeks to the frame at a time.
    func request(for ticks: Int64) -> Int64 {
        guard let first, let section = sections.last(where: { $0.time <= ticks }) else { return ticks }
        let offset = ticks &- section.time
        guard section.sampleRate != first.sampleRate else { return section.libraryTime &+ offset }
        return section.libraryTime &+ av_rescale(offset, section.sampleRate, first.sampleRate)
    }

    /// Returns the section of the last frame or, after a seek, the one that begins last before the frame.
    private mutating func currentSection(at position: Int64, firstRate: Int64) -> Section {
        if let section, !isAfterSeek { return section }
        if sections.isEmpty {
            sections = [Section(position: .min, libraryTime: 0, time: 0, sampleRate: firstRate)]
        }
        isExact = true
        return sections.last { $0.position <= position } ?? sections[0]
    }

    /// Records a section that follows the one before it. Returns false if there are too many.
    private mutating func record(_ new: Section) -> Bool {
        let next = (sections.lastIndex { $0.position < new.position } ?? -1) + 1
        if next < sections.count, sections[next].position == new.position, sections[next].time == new.time {
            return true
        }
        sections.removeSubrange(next...)
        guard sections.count < Self.limit else { return false }
        sections.append(new)
        return true
    }

    private static func time(_ time: Int64, in section: Section, _ firstRate: Int64) -> Int64 {
        section.time &+ duration(time &- section.libraryTime, in: section, firstRate)
    }

    private static func duration(_ ticks: Int64, in section: Section, _ firstRate: Int64) -> Int64 {
        section.sampleRate == firstRate ? ticks : av_rescale(ticks, firstRate, section.sampleRate)
    }

    /// Returns the sample rate in the header of a frame, or nil if it has none.
    private static func sampleRate(of packet: UnsafePointer<AVPacket>) -> Int64? {
        guard let data = packet.pointee.data, packet.pointee.size >= 7, data[0] == 0xFF,
            data[1] & 0xF6 == 0xF0
        else { return nil }
        let index = Int(data[2] >> 2 & 0xF)
        return sampleRates.indices.contains(index) ? sampleRates[index] : nil
    }
}
