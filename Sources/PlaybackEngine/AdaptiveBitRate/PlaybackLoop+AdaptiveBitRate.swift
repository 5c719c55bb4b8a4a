import MediaCore
import PlayheadBackend

/// Over a network the variant follows the speed at which bytes come.
extension PlaybackLoop {
    /// For an item that is about to be opened: what is known of the network, or what was found while it played.
    func adaptation(of id: ItemID, _ demuxer: any Demuxer) -> AdaptiveBitRate? {
        // Time that is computed stands while bytes come: no speed can be measured, and the best variant is played.
        guard !waitsInCalls else { return nil }
        let known = [current, next].compactMap(\.self).first { $0.id == id }?.adaptation
        return known ?? AdaptiveBitRate(throughput: throughput, bytes: demuxer.receivedBytes ?? 0, at: now)
    }

    /// What comes, and what is at hand, may call for another variant.
    func adapt(_ pipeline: ItemPipeline, at now: HostTime) {
        let description = pipeline.description
        guard !description.isLocal, description.variants.count > 1, !presentation.isReverse,
            current?.adaptation?.isDue(at: now) == true, let epoch = current?.start.epoch,
            let bytes = pipeline.receivedBytes
        else { return }
        let hasEnded = pipeline.hasEndedReading(epoch)
        let isFull = pipeline.isFull(epoch)
        // Another variant that has enough at hand waits for its turn, and there is nothing to decide before that.
        let isSettled = reload.item?.isReady == true
        let isIdle = (hasEnded || isFull) && reload.item == nil || isSettled
        let speed = current?.adaptation?.measure(bytes, at: now, isIdle: isIdle)
        throughput = speed ?? throughput
        publisher.counters.observedBitRate = throughput ?? 0
        guard !isSettled, let speed else { return }
        let time = presentation.itemTime(at: now)
        let ahead = pipeline.withProgress { $0.ahead(of: time, pass: presentation.pass) }
        // All that is left has come already: a better variant is worth it where much is left.
        if hasEnded, ahead < BitRatePolicy.highBufferDuration { return }
        let situation = BitRatePolicy.Situation(
            throughput: speed,
            ahead: ahead,
            // While another variant is fetched, no more is read of this one than is needed until that takes over.
            isFull: isFull && reload.item == nil,
            rate: state.rate,
            host: now
        )
        if current?.adaptation?.update(description.variants, situation) == true { chooseVariants() }
    }
}
