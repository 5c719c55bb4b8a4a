import MediaCore
import PlaybackEngine

/// A player's part of the memory for what comes over a network, and what of it lies where.
struct BufferShare: Hashable, Sendable {
    let byteCount: Int

    /// What it takes to play at all; nobody has less.
    static let least = 256 << 10

    init(byteCount: Int) { self.byteCount = max(Self.least, byteCount) }

    var packets: PacketShare { PacketShare(ahead: byteCount / 2, behind: byteCount / 4) }
    /// Fetched, and not yet taken apart.
    var source: Int { byteCount / 4 }

    /// Bytes that an item would hold if nobody stopped it, by estimate: as far as its policy goes, at the film's own rate. 0 for
    /// files, which are read when they are needed.
    static func wanted(by item: PlayerItem, _ policy: BufferingPolicy) -> Int {
        let asset = item.asset
        guard asset.isOfNetwork else { return 0 }
        let most = Double(policy.network.forwardBytes) + Double(policy.network.backBytes) + fetched
        let description = asset.description
        guard let rate = description.flatMap({ bytesPerSecond($0, limit: item.preferredPeakBitRate) }) else {
            return Int(clamping: most)
        }
        let preferred = item.preferredForwardBufferDuration
        let ahead = preferred > 0 ? preferred : policy.network.forwardDuration
        return Int(clamping: min(most, rate * (ahead + policy.network.backDuration) * margin + fetched))
    }

    /// nil: nobody knows. Of a playlist those of the best variant that may be played.
    private static func bytesPerSecond(_ description: MediaDescription, limit: Double) -> Double? {
        if let size = description.byteCount {
            let seconds = description.duration.seconds
            return seconds > 0 ? Double(size) / seconds : nil
        }
        let peaks = description.variants.map(\.peakBitRate).filter { $0 > 0 }
        let allowed = limit > 0 ? peaks.filter { $0 <= limit } : peaks
        return (allowed.max() ?? peaks.min()).map { $0 / 8 }
    }

    /// What a source fetches ahead.
    private static let fetched = Double(4 << 20)
    /// No film is even.
    private static let margin = 1.5
}

extension Int {
    /// What is no number counts as none.
    fileprivate init(clamping value: Double) { self = value > 0 ? Int(exactly: value.rounded()) ?? .max : 0 }
}

extension PlayerCore {
    /// nil: as the policy has it.
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
