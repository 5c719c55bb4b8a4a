import MediaCore
import PlaybackEngine

/// A player's share of the memory for network data, and its division between the source and the packet queues.
struct BufferShare: Hashable, Sendable {
    let byteCount: Int

    /// The minimum for playback in bytes.
    static let minimumByteCount = 256 << 10

    init(byteCount: Int) { self.byteCount = max(Self.minimumByteCount, byteCount) }

    var packets: PacketShare { PacketShare(ahead: byteCount / 2, back: byteCount / 4) }
    /// Bytes that are received and not yet demuxed.
    var source: Int { byteCount / 4 }

    /// Returns the bytes that an item would hold without a limit. This is an estimate from the policy and the average
    /// bit rate, and 0 for local files, which are read on demand.
    static func demand(of item: PlayerItem, _ policy: BufferingPolicy) -> Int {
        let asset = item.asset
        guard asset.isRemote else { return 0 }
        let most = Double(policy.network.forwardBytes) + Double(policy.network.backBytes) + sourceReadAhead
        let description = asset.media
        guard let rate = description.flatMap({ bytesPerSecond($0, limit: item.preferredPeakBitRate) }) else {
            return max(0, Int(clamping: most.rounded()))
        }
        let preferred = item.preferredForwardBufferDuration
        let ahead = preferred > 0 ? preferred : policy.network.forwardDuration.seconds
        let bytes = min(
            most,
            rate * (ahead + policy.network.backDuration.seconds) * bitRateMargin + sourceReadAhead
        )
        return max(0, Int(clamping: bytes.rounded()))
    }

    /// Returns the byte rate, or nil if it is unknown. For a playlist this is the rate of the best variant that may be
    /// played.
    private static func bytesPerSecond(_ description: MediaDescription, limit: Double) -> Double? {
        if let size = description.byteCount {
            let seconds = description.duration.seconds
            return seconds > 0 ? Double(size) / seconds : nil
        }
        let peaks = description.variants.map(\.peakBitRate).filter { $0 > 0 }
        let allowed = limit > 0 ? peaks.filter { $0 <= limit } : peaks
        return (allowed.max() ?? peaks.min()).map { $0 / 8 }
    }

    /// The bytes that a source receives ahead of demuxing.
    private static let sourceReadAhead = Double(4 << 20)
    /// Allows for parts of the media whose bit rate is above the average.
    private static let bitRateMargin = 1.5
}

extension PlayerCore {
    /// Limits the buffers to a share. Nil leaves them to the policy.
    func limitBuffer(_ share: BufferShare?) {
        let (isNew, item) = state.withLock { state in
            defer { state.bufferShare = share }
            return (state.bufferShare != share, state.item)
        }
        guard isNew else { return }
        item?.asset.limitReadAhead(to: share?.source)
        loop.setPacketShare(share?.packets)
    }
}
