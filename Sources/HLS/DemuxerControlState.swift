internal import MediaCore
internal import PlayheadBackend

/// What a demuxer's caller has told it: kept for the demuxers inside it that are made later.
struct DemuxerControlState: Sendable {
    /// A closure in a struct: a bare one in a generic container is wrapped anew at each access.
    private struct Handler {
        let body: @Sendable (ReadNotice) -> Void
    }

    private var handler: Handler?
    private var oldestWanted: Epoch?
    var epoch = Epoch()
    var waitsInCalls = false
    var isCancelled = false

    /// Somebody calls again when told so: no thread has to wait for bytes.
    var canReturnNotReady: Bool { handler != nil && !waitsInCalls }

    mutating func setHandler(_ body: (@Sendable (ReadNotice) -> Void)?) { handler = body.map(Handler.init) }

    mutating func interrupt(before epoch: Epoch) { oldestWanted = max(oldestWanted ?? epoch, epoch) }

    func apply(to demuxer: any Demuxer) {
        demuxer.begin(epoch)
        demuxer.setUsesBlockingReads(waitsInCalls)
        _ = demuxer.setNoticeHandler(handler?.body)
        if let oldestWanted { demuxer.interrupt(before: oldestWanted) }
        if isCancelled { demuxer.cancel() }
    }
}
