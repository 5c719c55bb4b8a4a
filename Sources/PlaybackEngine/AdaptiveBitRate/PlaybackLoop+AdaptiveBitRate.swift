import MediaCore
import PlayheadBackend

/// Adaptation of the variant to the throughput of the network.
extension PlaybackLoop {
    /// Returns the adaptation for an item that is about to be opened. It continues the one of an earlier opening of
    /// the same item. Returns nil on a virtual clock.
    func adaptation(of id: ItemID) -> AdaptiveBitRate? {
        // A virtual clock stops while bytes arrive, so no throughput can be measured and the best variant is played.
        guard !waitsInCalls else { return nil }
        return opening(of: id)?.adaptation ?? AdaptiveBitRate(throughput: throughput, at: now)
    }

    /// Returns the opening of an item whose measurements a second opening continues.
    func opening(of id: ItemID) -> OpenItem? { [current, next].compactMap(\.self).first { $0.id == id } }

    /// Measures the throughput, and chooses another variant if the throughput and the buffer require it.
    func adapt(_ pipeline: ItemPipeline, at now: HostTime) {
        let description = pipeline.description
        guard !description.isLocal, description.variants.count > 1, !presentation.isReverse,
            current?.adaptation?.isDue(at: now) == true, let epoch = current?.start.epoch,
            let bytes = pipeline.receivedBytes
        else { return }
        let hasEnded = pipeline.hasEndedReading(epoch)
        // At the edge of a live presentation there is nothing more to read.
        let isFull = pipeline.isFull(epoch) || pipeline.awaitsMedia
        // Another variant is ready and waits for its switch point, so there is nothing to decide.
        let isSettled = replacement?.isReady == true
        let isIdle = (hasEnded || isFull) && replacement == nil || isSettled
        let speed = current?.adaptation?.measure(bytes, at: now, isIdle: isIdle)
        throughput = speed ?? throughput
        publisher.counters.observedBitRate = throughput ?? 0
        guard !isSettled, let speed else { return }
        let time = presentation.itemTime(at: now)
        let ahead = pipeline.withProgress { $0.ahead(of: time, pass: presentation.pass) }
        // All data has been received; a higher variant is worthwhile only if much of it is left to play.
        if hasEnded, ahead < BitRatePolicy.highBufferDuration { return }
        let situation = BitRatePolicy.Situation(
            throughput: speed,
            ahead: ahead,
            // While another variant is fetched, this one is read only as far as the switch requires.
            isFull: isFull && replacement == nil,
            rate: state.rate,
            host: now
        )
        if current?.adaptation?.update(description.variants, situation) == true { chooseVariants() }
    }
}
