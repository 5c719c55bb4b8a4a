internal import Dispatch
package import MediaCore
package import PlayheadBackend

/// A demuxer whose calls hold no thread while they wait for bytes. Where there are none, the call stands still in the
/// middle (`Fiber`) and its caller gets `.notReady`. The same call, made again, goes on where it stood; another one
/// puts an end to it first.
///
/// That is so while somebody listens to notices. Without, and where calls are to wait (`setWaitsInCalls`), they do so on
/// the caller's thread, as the demuxer inside does. So do reads of sources that never say `.notReady`.
///
/// Unchecked: `fiber` and `waitsInCalls` are used on the caller's one lane only, as `Demuxer` demands; `state` is locked.
package final class FiberDemuxer: Demuxer, @unchecked Sendable {
    private enum Call: Equatable {
        case open
        case read
        case seek(MediaTime, SeekPreference)
        case decoder(Int, DecoderOptions)
        case textDecoder(Int)

        /// The same call, made again. A decoder's options may be others by then: players come and go.
        func isSame(as other: Call) -> Bool {
            switch (self, other) {
            case (.decoder(let track, _), .decoder(let asked, _)): track == asked
            default: self == other
            }
        }
    }

    private enum Answer {
        case description(MediaDescription)
        case packet(Packet?)
        case decoder(any Decoder)
        case textDecoder(any TextDecoder)
        case done
    }

    /// A call that stands still, or is about to begin.
    private final class SuspendedCall: @unchecked Sendable {
        let call: Call
        let fiber: Fiber
        var answer: Result<Answer, MediaError>?

        init(_ call: Call, _ fiber: Fiber) {
            self.call = call
            self.fiber = fiber
        }
    }

    private struct State {
        var hasNoticeHandler = false
        var isCancelled = false
        /// The caller's lane is inside.
        var isBusy = false
        var suspended: SuspendedCall?
    }

    private let inner: any Demuxer
    private let location: String
    private let suspendsDecoderCreation: Bool
    private let state = Locked(State())
    /// For the next call; its stack is kept.
    private var fiber: Fiber?
    private var waitsInCalls = false
    /// Where calls come to their end whose demuxer was cancelled while they stood still.
    private static let abandonQueue = DispatchQueue(label: "playhead.endings")

    /// `inner` is used by this one alone. `suspendsDecoderCreation`: it may have to read before it can make a decoder.
    package init(_ inner: any Demuxer, location: String, suspendsDecoderCreation: Bool = false) {
        self.inner = inner
        self.location = location
        self.suspendsDecoderCreation = suspendsDecoderCreation
    }

    deinit {
        let suspended = state.withLock { $0.suspended }
        guard let suspended else { return }
        inner.cancel()
        Self.abandonQueue.async { suspended.fiber.abandon() }
    }

    package func open() throws(MediaError) -> MediaDescription {
        // It was opened before, and whoever begins anew asks for that decoder again.
        if isMakingDecoder { return try onLane { () throws(MediaError) in try inner.open() } }
        guard case .description(let description) = try perform(.open) else { throw cancelled }
        return description
    }

    package func read() throws(MediaError) -> Packet? {
        guard case .packet(let packet) = try perform(.read) else { throw cancelled }
        return packet
    }

    package func seek(to target: MediaTime, preference: SeekPreference) throws(MediaError) {
        _ = try perform(.seek(target, preference))
    }

    package func setEnabledTracks(_ ids: Set<Int>) {
        do throws(MediaError) {
            try onLane { () throws(MediaError) in inner.setEnabledTracks(ids) }
        } catch {
            // Cancelled: nothing is read any more.
        }
    }

    package func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> any Decoder {
        guard canSuspend(.decoder(track, options)) else {
            return try onLane { () throws(MediaError) in
                try inner.makeDecoder(for: track, options: options)
            }
        }
        guard case .decoder(let decoder) = try perform(.decoder(track, options)) else { throw cancelled }
        return decoder
    }

    package func makeTextDecoder(for track: Int) throws(MediaError) -> any TextDecoder {
        guard canSuspend(.textDecoder(track)) else {
            return try onLane { () throws(MediaError) in try inner.makeTextDecoder(for: track) }
        }
        guard case .textDecoder(let decoder) = try perform(.textDecoder(track)) else { throw cancelled }
        return decoder
    }

    /// What stands still is the making of a decoder.
    private var isMakingDecoder: Bool {
        switch state.withLock({ $0.suspended?.call }) {
        case .decoder?, .textDecoder?: true
        case .open?, .read?, .seek?, nil: false
        }
    }

    /// A decoder can be made while a read stands still, which is not to end for it.
    private func canSuspend(_ call: Call) -> Bool {
        suspendsDecoderCreation && state.withLock { $0.suspended.map { $0.call.isSame(as: call) } ?? true }
    }

    package func setVariantChoice(_ choose: @escaping @Sendable (MediaDescription) -> Variant?) {
        inner.setVariantChoice(choose)
    }

    package func setOpeningTime(_ time: MediaTime) { inner.setOpeningTime(time) }

    package func setReadsOnlySubtitles() { inner.setReadsOnlySubtitles() }

    package func begin(_ epoch: Epoch) { inner.begin(epoch) }

    package func interrupt(before epoch: Epoch) { inner.interrupt(before: epoch) }

    package func setNoticeHandler(_ handler: (@Sendable (ReadNotice) -> Void)?) -> Bool {
        let sendsNotices = inner.setNoticeHandler(handler)
        state.withLock { $0.hasNoticeHandler = sendsNotices && handler != nil }
        return sendsNotices
    }

    package func setUsesBlockingReads(_ waits: Bool) {
        waitsInCalls = waits
        inner.setUsesBlockingReads(waits)
    }

    package var loadingState: LoadingState? { inner.loadingState }
    package var receivedBytes: Int64? { inner.receivedBytes }

    package func cancel() {
        inner.cancel()
        let suspended = state.withLock { state -> SuspendedCall? in
            state.isCancelled = true
            guard !state.isBusy else { return nil }
            defer { state.suspended = nil }
            return state.suspended
        }
        // It may have much to let go of, and the caller does not wait for that.
        if let suspended { Self.abandonQueue.async { suspended.fiber.abandon() } }
    }

    /// For tests: what was cancelled or dropped while it stood still has come to its end.
    static func waitForAbandonedCalls() { abandonQueue.sync {} }

    // MARK: On the caller's lane

    private var cancelled: MediaError { LibraryError.cancelled(location) }

    private func perform(_ call: Call) throws(MediaError) -> Answer {
        try onLane { () throws(MediaError) in
            let (suspended, hasNoticeHandler) = state.withLock { state in
                defer { state.suspended = nil }
                return (state.suspended, state.hasNoticeHandler)
            }
            if let suspended {
                if suspended.call.isSame(as: call) { return try finish(suspended, suspended.fiber.resume()) }
                suspended.fiber.abandon()
                fiber = suspended.fiber
            }
            guard hasNoticeHandler, !waitsInCalls, let fiber = fiber ?? Fiber() else {
                return try Self.execute(call, inner)
            }
            self.fiber = nil
            let newCall = SuspendedCall(call, fiber)
            // Not this object: where nobody holds it any more, the call ends.
            let hasEnded = fiber.begin { [inner] in
                do throws(MediaError) {
                    newCall.answer = .success(try Self.execute(call, inner))
                } catch {
                    newCall.answer = .failure(error)
                }
            }
            return try finish(newCall, hasEnded)
        }
    }

    private func finish(_ suspended: SuspendedCall, _ hasEnded: Bool) throws(MediaError) -> Answer {
        guard !hasEnded else {
            fiber = suspended.fiber
            guard let answer = suspended.answer else { throw cancelled }
            return try answer.get()
        }
        state.withLock { $0.suspended = suspended }
        throw MediaError(.notReady, "waiting for bytes", location: location, isRetryable: true)
    }

    private static func execute(_ call: Call, _ inner: any Demuxer) throws(MediaError) -> Answer {
        switch call {
        case .open: return .description(try inner.open())
        case .read: return .packet(try inner.read())
        case .decoder(let track, let options):
            return .decoder(try inner.makeDecoder(for: track, options: options))
        case .textDecoder(let track): return .textDecoder(try inner.makeTextDecoder(for: track))
        case .seek(let target, let preference):
            try inner.seek(to: target, preference: preference)
            return .done
        }
    }

    /// What stands still is not touched by `cancel` meanwhile: whoever comes last ends it.
    private func onLane<Value>(_ body: () throws(MediaError) -> Value) throws(MediaError) -> Value {
        let isAllowed = state.withLock { state in
            state.isBusy = !state.isCancelled
            return state.isBusy
        }
        guard isAllowed else { throw cancelled }
        let result = Result(catching: body)
        let (isCancelled, suspended) = state.withLock { state -> (Bool, SuspendedCall?) in
            state.isBusy = false
            guard state.isCancelled else { return (false, nil) }
            defer { state.suspended = nil }
            return (true, state.suspended)
        }
        if let suspended {
            suspended.fiber.abandon()
            throw cancelled
        }
        if isCancelled, case .failure = result { throw cancelled }
        return try result.get()
    }
}
