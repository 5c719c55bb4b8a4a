internal import CFFmpeg

/// Predicts decoding times for packets that have none, so that frames get the same timestamps as from the `ffmpeg`
/// command (fftools, 5.1). A packet without a time continues from the last packet with one.
struct DecodeClock {
    private static let microseconds = AVRational(num: 1, den: 1_000_000)

    private let timeBase: AVRational
    /// The duration of a frame in microseconds if its packet does not declare one, or 0 if it is unknown.
    private var fallbackDuration: Int64 = 0
    /// The decoding time of the next packet in microseconds, or nil if it is unknown.
    private var next: Int64?
    /// The times for frames without a timestamp that are returned while draining.
    private var drainTicks: [Int64?] = []
    /// The number of frames that were returned since the last packet.
    private var framesSincePacket = 0
    private var lastDuration: Int64 = 0

    init(timeBase: AVRational, averageRate: AVRational, reorderDepth: Int32) {
        self.timeBase = timeBase
        self.next =
            averageRate.isPositive
            ? 0
                &- av_rescale(
                    Int64(max(0, reorderDepth)) * 1_000_000,
                    Int64(averageRate.den),
                    Int64(averageRate.num)
                )
            : 0
    }

    /// Sets the frame rate that the decoder reports at present.
    mutating func setRate(_ rate: AVRational) {
        fallbackDuration = rate.isPositive ? av_rescale(1_000_000, Int64(rate.den), Int64(rate.num)) : 0
    }

    /// Records a packet and returns its decoding time in ticks.
    mutating func recordPacket(decodeTicks: Int64?, durationTicks: Int64) -> Int64? {
        if let decodeTicks { next = av_rescale_q(decodeTicks, timeBase, DecodeClock.microseconds) }
        let result = next.map { av_rescale_q($0, DecodeClock.microseconds, timeBase) }
        lastDuration =
            durationTicks > 0
            ? av_rescale_q(durationTicks, timeBase, DecodeClock.microseconds) : fallbackDuration
        framesSincePacket = 0
        advance()
        return result
    }

    /// Records a frame that was returned. The `ffmpeg` command advances once for each frame after the first one of a
    /// packet.
    mutating func recordFrame() {
        framesSincePacket += 1
        if framesSincePacket > 1 { advance() }
    }

    /// Records a request for a frame while draining.
    mutating func recordDrainStep() {
        drainTicks.append(next.map { av_rescale_q($0, DecodeClock.microseconds, timeBase) })
        lastDuration = fallbackDuration
        advance()
    }

    /// Returns a time for a frame without a timestamp that was returned while draining.
    mutating func nextDrainTicks() -> Int64? { drainTicks.isEmpty ? nil : drainTicks.removeFirst() }

    private mutating func advance() {
        next = lastDuration > 0 ? next.map { $0 &+ lastDuration } : nil
    }
}
