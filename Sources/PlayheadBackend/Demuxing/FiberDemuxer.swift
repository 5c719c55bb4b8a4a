internal import Dispatch
package import MediaCore

/// A demuxer whose calls occupy no thread while they wait for bytes. If there are none, the call is suspended (`Fiber`)
/// and its caller receives `.pending`. Repeating the call resumes it; a different call abandons it first.
///
/// The wrapped demuxer waits with `ReadContext.wait(after:)`. Its calls are suspended only while there is a notice
/// handler. Without one, and with blocking reads (`DemuxerOptions.usesBlockingReads`), they wait on the caller's
/// thread. So do reads of sources that block.
///
/// `@unchecked Sendable`: `fiber` is only used on the caller's lane, as `Demuxer` requires; `state` is locked.
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
        case seeked
    }

    /// A call that is suspended or about to begin.
    private final class SuspendedCall: @unchecked Sendable {
        let call: Call
        let fiber: Fiber
        var answer: Result<Poll<Answer>, MediaError>?

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
    private let usesBlockingReads: Bool
    private let state = Locked(State())
    /// The fiber for the next call, which is kept to reuse its stack.
    private var fiber: Fiber?
    /// The queue on which suspended calls of cancelled demuxers are run to their end.
    private static let abandonQueue = DispatchQueue(label: "playhead.abandoned-calls")

    /// Creates a demuxer.
    ///
    /// - Parameters:
    ///   - inner: The demuxer to wrap, which has no other user.
    ///   - request: The request that `inner` was made for.
    ///   - suspendsDecoderCreation: Whether `inner` may have to read before it can create a decoder.
    package init(_ inner: any Demuxer, for request: OpenRequest, suspendsDecoderCreation: Bool = false) {
        self.inner = inner
        location = request.location
        usesBlockingReads = request.options.usesBlockingReads
        self.suspendsDecoderCreation = suspendsDecoderCreation
    }

    deinit {
        let suspended = state.withLock { $0.suspended }
        guard let suspended else { return }
        inner.cancel()
        Self.abandonQueue.async { suspended.fiber.abandon() }
    }

    package func open() throws(MediaError) -> Poll<MediaDescription> {
        // The demuxer has been opened before. A caller that starts again requests the same decoder afterwards.
        if isMakingDecoder { return try onLane { () throws(MediaError) in try inner.open() } }
        return try perform(.open) { if case .description(let description) = $0 { description } else { nil } }
    }

    package func read() throws(MediaError) -> Poll<Packet?> {
        try perform(.read) { if case .packet(let packet) = $0 { .some(packet) } else { nil } }
    }

    package func seek(to target: MediaTime, preference: SeekPreference) throws(MediaError) -> Poll<Void> {
        try perform(.seek(target, preference)) { if case .seeked = $0 { () } else { nil } }
    }

    package func setEnabledTracks(_ ids: Set<Int>) {
        do throws(MediaError) {
            try onLane { () throws(MediaError) in inner.setEnabledTracks(ids) }
        } catch {
            // The demuxer has been cancelled, so nothing is read.
        }
    }

    package func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> Poll<any Decoder>
    {
        guard canSuspend(.decoder(track, options)) else {
            return try onLane { () throws(MediaError) in
                try inner.makeDecoder(for: track, options: options)
            }
        }
        return try perform(.decoder(track, options)) {
            if case .decoder(let decoder) = $0 { decoder } else { nil }
        }
    }

    package func makeTextDecoder(for track: Int) throws(MediaError) -> Poll<any TextDecoder> {
        guard canSuspend(.textDecoder(track)) else {
            return try onLane { () throws(MediaError) in try inner.makeTextDecoder(for: track) }
        }
        return try perform(.textDecoder(track)) {
            if case .textDecoder(let decoder) = $0 { decoder } else { nil }
        }
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

    package func begin(_ epoch: Epoch) { inner.begin(epoch) }

    package func interrupt(before epoch: Epoch) { inner.interrupt(before: epoch) }

    package func setNoticeHandler(_ handler: (@Sendable (ReadNotice) -> Void)?) {
        inner.setNoticeHandler(handler)
        state.withLock { $0.hasNoticeHandler = handler != nil }
    }

    package var loadingState: LoadingState? { inner.loadingState }
    package var receivedBytes: Int64? { inner.receivedBytes }
    package var awaitsMedia: Bool { inner.awaitsMedia }

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
    package static func waitForAbandonedCalls() { abandonQueue.sync {} }

    // MARK: On the caller's lane

    private var cancelled: MediaError {
        MediaError(.cancelled, "reading was interrupted", location: location)
    }

    /// Makes or resumes a call. `unwrap` returns the value of the call's kind of answer.
    private func perform<Value>(_ call: Call, _ unwrap: (Answer) -> Value?) throws(MediaError) -> Poll<Value>
    {
        guard case .ready(let answer) = try answer(call) else { return .pending }
        guard let value = unwrap(answer) else { throw cancelled }
        return .ready(value)
    }

    private func answer(_ call: Call) throws(MediaError) -> Poll<Answer> {
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
                newCall.answer = Result { () throws(MediaError) in try Self.execute(call, inner) }
            }
            return try finish(newCall, hasEnded)
        }
    }

    private func finish(_ suspended: SuspendedCall, _ hasEnded: Bool) throws(MediaError) -> Poll<Answer> {
        guard hasEnded else {
            state.withLock { $0.suspended = suspended }
            return .pending
        }
        fiber = suspended.fiber
        guard let answer = suspended.answer else { throw cancelled }
        return try answer.get()
    }

    private static func execute(_ call: Call, _ inner: any Demuxer) throws(MediaError) -> Poll<Answer> {
        switch call {
        case .open: try inner.open().map(Answer.description)
        case .read: try inner.read().map(Answer.packet)
        case .decoder(let track, let options):
            try inner.makeDecoder(for: track, options: options).map(Answer.decoder)
        case .textDecoder(let track): try inner.makeTextDecoder(for: track).map(Answer.textDecoder)
        case .seek(let target, let preference):
            try inner.seek(to: target, preference: preference).map { .seeked }
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
