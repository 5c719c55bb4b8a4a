internal import Dispatch
package import MediaCore
package import PlayheadBackend

/// A demuxer whose calls occupy no thread while they wait for bytes. If there are none, the call is suspended (`Fiber`)
/// and its caller receives `.notReady`. Repeating the call resumes it; a different call abandons it first.
///
/// Calls are suspended only while there is a notice handler. Without one, and with blocking reads
/// (`setUsesBlockingReads`), they wait on the caller's thread, as the wrapped demuxer does. So do reads of sources that
/// never throw `.notReady`.
///
/// `@unchecked Sendable`: `fiber` and `usesBlockingReads` are only used on the caller's lane, as `Demuxer` requires;
/// `state` is locked.
package final class FiberDemuxer: Demuxer, @unchecked Sendable {
    private enum Call: Equatable {
        case open
        case read
        case seek(MediaTime, SeekPreference)
        case decoder(Int, DecoderOptions)
        case textDecoder(Int)

        /// Returns whether a call repeats another one. The options of a decoder may have changed in the meantime,
        /// because players are created and released.
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

    /// A call that is suspended or about to begin.
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
        /// Whether the caller's lane is inside of this object.
        var isBusy = false
        var suspended: SuspendedCall?
    }

    private let inner: any Demuxer
    private let location: String
    private let suspendsDecoderCreation: Bool
    private let state = Locked(State())
    /// The fiber for the next call, which is kept to reuse its stack.
    private var fiber: Fiber?
    private var usesBlockingReads = false
    /// The queue on which suspended calls of cancelled demuxers are run to their end.
    private static let abandonQueue = DispatchQueue(label: "playhead.abandoned-calls")

    /// Creates a demuxer that is the only user of `inner`. `suspendsDecoderCreation` is true if `inner` may have to
    /// read before it can create a decoder.
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
        // The demuxer has been opened before. A caller that starts again requests the same decoder afterwards.
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
            // The demuxer has been cancelled, so nothing is read.
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

    /// Whether the suspended call is the creation of a decoder.
    private var isMakingDecoder: Bool {
        switch state.withLock({ $0.suspended?.call }) {
        case .decoder?, .textDecoder?: true
        case .open?, .read?, .seek?, nil: false
        }
    }

    /// Returns whether the creation of a decoder can be suspended. It must not abandon a suspended read.
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
        usesBlockingReads = waits
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
        // The call may have much to release, and the caller does not wait for that.
        if let suspended { Self.abandonQueue.async { suspended.fiber.abandon() } }
    }

    /// Waits for the end of all calls that were abandoned because their demuxer was cancelled or released. It is used
    /// by tests.
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
            guard hasNoticeHandler, !usesBlockingReads, let fiber = fiber ?? Fiber() else {
                return try Self.execute(call, inner)
            }
            self.fiber = nil
            let newCall = SuspendedCall(call, fiber)
            // The closure does not retain this object, so that releasing the demuxer ends the call.
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

    /// Runs `body` unless the demuxer has been cancelled. `cancel` does not abandon a suspended call meanwhile; if it
    /// was called, this function does it at the end.
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
