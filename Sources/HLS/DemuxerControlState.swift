internal import MediaCore
internal import PlayheadBackend

/// The state that a caller has set on a demuxer. It is applied to inner demuxers that are created later.
struct DemuxerControlState: Sendable {
    /// A closure in a struct. In a generic container a bare closure would be wrapped again at each access.
    private struct Handler {
        let body: @Sendable (ReadNotice) -> Void
    }

    private var handler: Handler?
    private var oldestWanted: Epoch?
    var epoch = Epoch()
    var usesBlockingReads = false
    var isCancelled = false

    /// Whether calls may return `.notReady` instead of blocking a thread: the caller receives notices and repeats the
    /// call.
    var canReturnNotReady: Bool { handler != nil && !usesBlockingReads }

    /// Sets the handler for read notices.
    mutating func setHandler(_ body: (@Sendable (ReadNotice) -> Void)?) { handler = body.map(Handler.init) }

    /// Records that reads for older epochs are interrupted.
    mutating func interrupt(before epoch: Epoch) { oldestWanted = max(oldestWanted ?? epoch, epoch) }

    /// Applies the state to a new demuxer.
    func apply(to demuxer: any Demuxer) {
        demuxer.begin(epoch)
        demuxer.setUsesBlockingReads(usesBlockingReads)
        _ = demuxer.setNoticeHandler(handler?.body)
        if let oldestWanted { demuxer.interrupt(before: oldestWanted) }
        if isCancelled { demuxer.cancel() }
    }
}
