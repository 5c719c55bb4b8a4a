internal import CFFmpeg

/// Predicts decoding times for packets that have none, so that frames get the same time stamps as from the
/// `ffmpeg` command (fftools, 5.1): packets without a time count on from the last one that had one.
struct DecodeClock {
    private static let microseconds = AVRational(num: 1, den: 1_000_000)

    private let timeBase: AVRational
    /// Microseconds that one frame lasts when its packet does not say; 0 for unknown.
    private var fallbackDuration: Int64 = 0
    /// When the next packet is decoded, in microseconds; nil for unknown.
    private var next: Int64?
    /// Times for frames that come out at the end without any.
    private var drainTicks: [Int64?] = []
    /// Frames that came out since the last packet went in.
    private var framesSincePacket = 0
    private var lastDuration: Int64 = 0

    init(timeBase: AVRational, averageRate: AVRational, reorderDepth: Int32) {
        self.timeBase = timeBase
        self.next =
            averageRate.isPositive
            ? -av_rescale(
                Int64(max(0, reorderDepth)) * 1_000_000,
                Int64(averageRate.den),
                Int64(averageRate.num)
            )
            : 0
    }

    /// Frames per second as the decoder knows them by now.
    mutating func setRate(_ rate: AVRational) {
        fallbackDuration = rate.isPositive ? av_rescale(1_000_000, Int64(rate.den), Int64(rate.num)) : 0
    }

    /// The decoding time to hand in with a packet, in ticks.
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

    /// A frame came out; the command counts on once more for each that follows the packet's own.
    mutating func recordFrame() {
        framesSincePacket += 1
        if framesSincePacket > 1 { advance() }
    }

    /// Draining asks for one more frame.
    mutating func recordDrainStep() {
        drainTicks.append(next.map { av_rescale_q($0, DecodeClock.microseconds, timeBase) })
        lastDuration = fallbackDuration
        advance()
    }

    /// A time for a frame that came out of draining without one.
    mutating func nextDrainTicks() -> Int64? { drainTicks.isEmpty ? nil : drainTicks.removeFirst() }

    private mutating func advance() {
        next = lastDuration > 0 ? next.map { $0 &+ lastDuration } : nil
    }
}
