internal import CFFmpeg
internal import MediaCore

/// Where a container says that the sound ends, when that is before the last packet's last sample: encoders
/// fill the last packet up, and FFmpeg leaves the filling in.
struct AudioEndTrim: Sendable {
    /// The first tick (of the track's time base, one per sample) that is no longer content.
    let ticks: Int64

    /// Index entries looked at on either end.
    private static let inspectedEntryCount: Int32 = 256

    /// nil where nothing is declared, or not exactly.
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

    /// The number of real samples in iTunes' gapless comment: " 00000000 00000840 000001CA 00000000003F31F6 …"
    /// (reserved, delay, padding, count), all hexadecimal.
    static func sampleCount(_ text: String) -> Int64? {
        let fields = text.split(separator: " ")
        guard fields.count >= 4, let count = Int64(fields[3], radix: 16), count > 0 else { return nil }
        return count
    }

    /// Where all packets are equally long but the last is declared shorter, that is the end of the sound.
    private static func lastPacketEnd(_ stream: UnsafeMutablePointer<AVStream>, rate: Int64) -> Int64? {
        let count = avformat_index_get_entries_count(stream)
        guard count >= 3, let length = FFmpeg.ticks(stream.pointee.duration), length > 0,
            let step = regularStep(stream, count),
            let first = avformat_index_get_entry(stream, 0)?.pointee.timestamp,
            let last = avformat_index_get_entry(stream, count - 1)?.pointee.timestamp
        else { return nil }
        // Behind an empty edit libav counts the length from the first sample, else from zero.
        let (end, overflow) = length.addingReportingOverflow(max(0, first))
        guard !overflow, end > last, end < last &+ step else { return nil }
        // Negative first stamps mean an edit list, whose lengths are in the movie's own, coarser ticks.
        if first < 0 && !isWhole(length, rate: rate, per: 1000) && !isWhole(length, rate: rate, per: 600) {
            return nil
        }
        return end
    }

    /// Ticks from one packet to the next; nil where that varies, for then the writer rounded.
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

    /// True when so many samples are a whole number of `scale`ths of a second.
    private static func isWhole(_ samples: Int64, rate: Int64, per scale: Int64) -> Bool {
        let (product, overflow) = samples.multipliedReportingOverflow(by: scale)
        return !overflow && product % rate == 0
    }
}

extension AudioEndTrim {
    /// The part of a buffer before the end; nil for none.
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
