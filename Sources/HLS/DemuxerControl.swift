internal import MediaCore
internal import PlayheadBackend

/// The control calls of a caller: they apply to one reader, and to the demuxers that are used for the caller, existing
/// ones and later ones.
final class DemuxerControl: Sendable {
    /// A closure in a struct. In a generic container a bare closure would be wrapped again at each access.
    private struct Handler {
        let body: @Sendable (ReadNotice) -> Void
    }

    private struct State {
        var demuxers: [any Demuxer] = []
        var handler: Handler?
        var epoch = Epoch()
        var oldestValidEpoch: Epoch?
        var isCancelled = false
    }

    /// The reader of what is read without a demuxer.
    let context = ReadContext()
    private let state = Locked(State())

    /// Applies the calls so far to a demuxer, and forwards later ones to it.
    func add(_ demuxer: any Demuxer) {
        // A concurrent call either finds the demuxer in the list or is part of this state.
        let state = state.withLock { state in
            // Replaced, not changed in place: the thread sanitizer does not see that a reader's copy is another array.
            state.demuxers = state.demuxers + [demuxer]
            return state
        }
        demuxer.begin(state.epoch)
        demuxer.setNoticeHandler(state.handler?.body)
        if let epoch = state.oldestValidEpoch { demuxer.interrupt(before: epoch) }
        if state.isCancelled { demuxer.cancel() }
    }

    /// Cancels a demuxer and removes it.
    func drop(_ demuxer: any Demuxer) {
        state.withLock { state in state.demuxers = state.demuxers.filter { $0 !== demuxer } }
        demuxer.cancel()
    }

    func begin(_ epoch: Epoch) {
        context.begin(epoch)
        for demuxer in update({ $0.epoch = epoch }) { demuxer.begin(epoch) }
    }

    func interrupt(before epoch: Epoch) {
        context.interrupt(before: epoch)
        let demuxers = update { $0.oldestValidEpoch = max($0.oldestValidEpoch ?? epoch, epoch) }
        for demuxer in demuxers { demuxer.interrupt(before: epoch) }
    }

    func setNoticeHandler(_ handler: (@Sendable (ReadNotice) -> Void)?) {
        context.setNoticeHandler(handler)
        for demuxer in update({ $0.handler = handler.map(Handler.init) }) {
            demuxer.setNoticeHandler(handler)
        }
    }

    func cancel() {
        context.cancel()
        for demuxer in update({ $0.isCancelled = true }) { demuxer.cancel() }
    }

    /// Records a call. Returns the demuxers to forward it to.
    private func update(_ change: (inout State) -> Void) -> [any Demuxer] {
        state.withLock { state in
            change(&state)
            return state.demuxers
        }
    }
}
