internal import CFFmpeg
internal import MediaCore

/// The end of the audio that a container declares, if it lies before the last sample of the last packet. Encoders fill
/// the last packet with padding, which FFmpeg does not remove.
struct AudioEndTrim: Sendable {
    /// The first tick that is no longer content, in the track's time base, which has one tick per sample.
    let ticks: Int64

    /// The number of index entries to inspect at either end.
    private static let inspectedEntryCount: Int32 = 256

    /// Returns nil if no end is declared, or not exactly.
    init?(stream: UnsafeMutablePointer<AVStream>, track: Track, description: MediaDescription) {
        guard description.formatName.hasPrefix("mov"), track.sampleRate > 0,
            track.timeBase == Rational(1, Int32(clamping: track.sampleRate))
        else { return nil }
        let comment = track.metadata["iTunSMPB"] ?? description.metadata["iTunSMPB"]
        if let count = comment.flatMap(AudioEndTrim.sampleCount),
            let start = FFmpeg.ticks(stream.pointee.start_time)
        {
            let (end, overflow) = start.addingReportingOverflow(count)
            if overflow { return nil }
            ticks = end
            return
        }
        guard let end = AudioEndTrim.lastPacketEnd(stream, rate: Int64(track.sampleRate)) else { return nil }
        ticks = end
    }

    /// Returns the number of content samples in an iTunes gapless comment (iTunSMPB): " 00000000 00000840 000001CA
    /// 00000000003F31F6 …". The hexadecimal fields are reserved, delay, padding and count.
    static func sampleCount(_ text: String) -> Int64? {
        let fields = text.split(separator: " ")
        guard fields.count >= 4, let count = Int64(fields[3], radix: 16), count > 0 else { return nil }
        return count
    }

    /// Returns the declared end of the last packet if all packets have the same length and only the last one is
    /// declared shorter.
    private static func lastPacketEnd(_ stream: UnsafeMutablePointer<AVStream>, rate: Int64) -> Int64? {
        let count = avformat_index_get_entries_count(stream)
        guard count >= 3, let length = FFmpeg.ticks(stream.pointee.duration), length > 0,
            let step = regularStep(stream, count),
            let first = avformat_index_get_entry(stream, 0)?.pointee.timestamp,
            let last = avformat_index_get_entry(stream, count - 1)?.pointee.timestamp
        else { return nil }
        // After an empty edit libav counts the length from the first sample, otherwise from zero.
        let (end, overflow) = length.addingReportingOverflow(max(0, first))
        guard !overflow, end > last, end < last &+ step else { return nil }
        // A negative first timestamp means that there is an edit list, whose durations are in the movie's coarser time
        // scale.
        if first < 0 && !isWhole(length, rate: rate, per: 1000) && !isWhole(length, rate: rate, per: 600) {
            return nil
        }
        return end
    }

    /// Returns the ticks between packets, or nil if they vary, because the writer then rounded its timestamps.
    private static func regularStep(_ stream: UnsafeMutablePointer<AVStream>, _ count: Int32) -> Int64? {
        var step: Int64?
        for index in 1..<count where index < inspectedEntryCount || index >= count - inspectedEntryCount {
            guard let before = avformat_index_get_entry(stream, index - 1)?.pointee.timestamp,
                let this = avformat_index_get_entry(stream, index)?.pointee.timestamp
            else { return nil }
            let (difference, overflow) = this.subtractingReportingOverflow(before)
            guard !overflow, difference > 0, step == nil || step == difference else { return nil }
            step = difference
        }
        return step
    }

    /// Returns true if the samples are a whole number of 1/`scale` seconds.
    private static func isWhole(_ samples: Int64, rate: Int64, per scale: Int64) -> Bool {
        let (product, overflow) = samples.multipliedReportingOverflow(by: scale)
        return !overflow && product % rate == 0
    }
}

extension AudioEndTrim {
    /// Returns the part of a buffer before the end, or nil if nothing is left.
    func trim(_ buffer: AudioBuffer, mapping: TimeMapping) -> AudioBuffer? {
        guard buffer.format.sampleRate == Int(mapping.timeBase.denominator) else { return buffer }
        let excess = buffer.presentationTime + buffer.duration - mapping.itemTime(ticks)
        guard excess.isNumeric, excess > .zero else { return buffer }
        let (product, overflow) = excess.value.multipliedReportingOverflow(
            by: Int64(buffer.format.sampleRate)
        )
        guard !overflow else { return nil }
        let cut = buffer.trimmed(last: Int(clamping: product / Int64(excess.timescale)))
        return cut.frameCount > 0 ? cut : nil
    }
}
