internal import CFFmpeg
internal import MediaCore
internal import PlayheadBackend

/// Continues the timestamps of MPEG-2 streams that are read for longer than a day.
///
/// libav moves these timestamps, which have 33 bits, into one cycle of 26.5 hours that begins a minute before the first
/// one of the container. After that cycle its times begin again.
struct TimestampUnwrapper {
    /// The largest difference between successive packets, in ticks: ten minutes. A timestamp that differs by more is
    /// damaged, unless those that follow it do so, too.
    private static let stepLimit: UInt64 = 600 * 90_000
    private static let outlierLimit = 16

    /// The offset of the times of libav: whole cycles, in ticks.
    private var cycles: Int64 = 0
    /// The timestamp of the last packet, or the one that is expected after a jump. Nil if none is known.
    private var last: Int64?
    /// Whether `last` is expected. The next timestamp may then differ from it by up to half a cycle.
    private var isExpected = false
    /// The number of timestamps since the last one that differ by more than `stepLimit`.
    private var outlierCount = 0

    /// Sets the container time that is expected next, because reading continues at another position.
    mutating func expect(_ time: MediaTime) { expect(ticks: TimestampCycle.ticks(time)) }

    /// Sets the container time that is expected next, in ticks.
    mutating func expect(ticks: Int64) {
        last = ticks
        isExpected = true
    }

    /// Returns the offset of a timestamp, in ticks. Timestamps are passed in reading order.
    mutating func offset(of stamp: Int64) -> Int64 {
        if let last {
            let nearest = TimestampCycle.offset(of: stamp, near: last)
            let step = stamp.addingClamped(nearest).subtractingClamped(last)
            // libav's cycle is the first one.
            if nearest >= 0, isExpected || step.magnitude <= Self.stepLimit {
                cycles = nearest
            } else if !isExpected, outlierCount < Self.outlierLimit {
                outlierCount += 1
                return cycles
            }
        }
        outlierCount = 0
        isExpected = false
        last = stamp.addingClamped(cycles)
        return cycles
    }

    /// Corrects the times of a packet that libav has read. Other containers have timestamps with more bits.
    mutating func correct(_ packet: UnsafeMutablePointer<AVPacket>, _ stream: UnsafePointer<AVStream>) {
        guard Int(stream.pointee.pts_wrap_bits) == TimestampCycle.bitCount, stream.pointee.time_base.num == 1,
            stream.pointee.time_base.den == TimestampCycle.timescale,
            let stamp = ticks(packet.pointee.dts) ?? ticks(packet.pointee.pts)
        else { return }
        let shift = offset(of: stamp)
        guard shift != 0 else { return }
        packet.pointee.pts = packet.pointee.pts.shiftedTimestamp(by: shift)
        packet.pointee.dts = packet.pointee.dts.shiftedTimestamp(by: shift)
    }
}

extension Int64 {
    /// Returns libav's timestamp moved by an offset in ticks. A missing timestamp, and one that would not fit, is
    /// returned unchanged.
    func shiftedTimestamp(by ticks: Int64) -> Int64 {
        guard self != PH_NOPTS else { return self }
        let (sum, overflow) = addingReportingOverflow(ticks)
        return overflow ? self : sum
    }
}
