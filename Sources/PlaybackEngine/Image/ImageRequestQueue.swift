import DequeModule
package import MediaCore
package import PlayheadBackend

/// The identity of one request, by which it can be cancelled before, while and after it is submitted.
package final class ImageTicket: Sendable {
    fileprivate let isCancelled = Locked(false)
    package init() {}
}

/// Answers requests for still images in the order in which they were submitted, on a lane of its own.
///
/// All requests share one open file and one decoder. Players have precedence: while they have something to
/// decode, only an occasional packet is decoded here.
///
/// `@unchecked Sendable`: members that are not locked are confined to the lane.
package final class ImageRequestQueue: @unchecked Sendable {
    package typealias Answer = Result<VideoFrame, MediaError>

    private struct PendingRequest {
        let ticket: ImageTicket
        let request: ImageRequest
        let answer: @Sendable (Answer) -> Void
        /// The epoch of the demuxer's calls for the request.
        let epoch: Epoch
    }

    private struct Shared {
        /// The requests in order. The first one is being processed while `isBusy` is true.
        var pending: Deque<PendingRequest> = []
        var isBusy = false
        /// The epoch of the newest request.
        var epoch = Epoch()
        var generation: UInt64 = 0
        var isClosed = false
        /// The demuxer whose call may be blocking. It is accessible on any thread.
        var demuxer: (any Demuxer)?
        /// True when the file is open. Opening serves all requests, so cancelling one of them does not
        /// interrupt it.
        var isOpen = false
    }

    private let shared = Locked(Shared())
    private let driver: any Driver
    private let lane: any Lane
    private let makeDemuxer: @Sendable () -> any Demuxer
    private let converter: any VideoConverter
    private let deinterlacer: FrameDeinterlacer
    private let options: @Sendable () -> DecoderOptions
    private let didOpen: @Sendable (MediaDescription) -> Void

    // Confined to the lane.
    private var reader: ImageReader?
    /// The demuxer that is being opened and waits for bytes.
    private var opening: (any Demuxer)?
    /// True while the current request waits for bytes. It continues when the demuxer reports bytes or when the
    /// request is cancelled.
    private var isWaiting = false
    /// True if the demuxer reports when a call that threw `.notReady` can be repeated.
    private var demuxerReportsReadiness = false
    /// The request that the reader is processing.
    private var activeTicket: ImageTicket?
    /// The time since which players have had something to decode at every check.
    private var yieldingSince: HostTime?

    /// The interval at which it is checked whether players need the cores, in nanoseconds.
    private static let yieldInterval: Int64 = 2_000_000
    /// The time after which a packet is decoded even if players are busy, in nanoseconds, so that busy players
    /// cannot block an image indefinitely.
    private static let maximumYieldTime: Int64 = 250_000_000
    /// The number of packets per turn, which limits how long a cancellation takes. In real time, urgent work
    /// runs between any two packets.
    private let stepsPerTurn: Int

    package init(
        driver: any Driver,
        role: LaneRole = .blockingIO,
        makeDemuxer: @escaping @Sendable () -> any Demuxer,
        converter: any VideoConverter,
        deinterlacer: FrameDeinterlacer = FrameDeinterlacer(),
        options: @escaping @Sendable () -> DecoderOptions,
        didOpen: @escaping @Sendable (MediaDescription) -> Void
    ) {
        self.driver = driver
        stepsPerTurn = driver.isRealTime ? 1 : 16
        lane = driver.makeLane(role, label: "stills")
        self.makeDemuxer = makeDemuxer
        self.converter = converter
        self.deinterlacer = deinterlacer
        self.options = options
        self.didOpen = didOpen
    }

    // MARK: From any thread

    /// The current generation. Requests of older generations have been cancelled.
    package var generation: UInt64 { shared.withLock { $0.generation } }

    /// Submits a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - ticket: The identity by which the request can be cancelled.
    ///   - answer: Called exactly once: on the lane, or on the thread that cancels the request.
    package func request(
        _ request: ImageRequest,
        _ ticket: ImageTicket,
        _ answer: @escaping @Sendable (Answer) -> Void
    ) {
        let (isAccepted, mustStart) = shared.withLock { shared in
            guard !shared.isClosed, request.generation == shared.generation else { return (false, false) }
            shared.epoch = shared.epoch.next
            shared.pending.append(
                PendingRequest(ticket: ticket, request: request, answer: answer, epoch: shared.epoch)
            )
            defer { shared.isBusy = true }
            return (true, !shared.isBusy)
        }
        guard isAccepted else { return answer(Self.cancelled) }
        // The request may have been cancelled before it was submitted.
        if ticket.isCancelled.withLock({ $0 }) { cancel(ticket) }
        if mustStart { lane.enqueue { [self] in runTurn() } }
    }

    /// Cancels a request, which is answered with `.cancelled` immediately unless it has been answered. If it is
    /// being processed, a read that waits for bytes ends, and the next request is processed.
    package func cancel(_ ticket: ImageTicket) {
        ticket.isCancelled.withLock { $0 = true }
        let (removed, demuxer) = shared.withLock { shared -> (PendingRequest?, (any Demuxer)?) in
            guard let index = shared.pending.firstIndex(where: { $0.ticket === ticket }) else {
                return (nil, nil)
            }
            return (shared.pending.remove(at: index), index == 0 && shared.isOpen ? shared.demuxer : nil)
        }
        if let removed, let demuxer {
            demuxer.interrupt(before: removed.epoch.next)
            wake()
        }
        removed?.answer(Self.cancelled)
    }

    /// Cancels all requests, and interrupts a call that blocks.
    package func cancelAll() { stop(isFinal: false) }

    /// Closes the queue: all requests are cancelled, including later ones. The file is closed asynchronously on
    /// the lane.
    package func close() {
        stop(isFinal: true)
        lane.enqueue { [self] in
            reader = nil
            opening = nil
        }
    }

    /// Continues after bytes have arrived, or after the request that waited for them was cancelled.
    private func wake() {
        lane.enqueue { [self] in
            guard isWaiting else { return }
            isWaiting = false
            runTurn()
        }
    }

    private func stop(isFinal: Bool) {
        let (pending, demuxer) = shared.withLock { shared in
            shared.generation += 1
            if isFinal { shared.isClosed = true }
            defer { shared.pending = [] }
            // A file that is not being read stays open.
            guard isFinal || !shared.pending.isEmpty else { return (shared.pending, (any Demuxer)?.none) }
            defer { shared.demuxer = nil }
            return (shared.pending, shared.demuxer)
        }
        if let demuxer {
            demuxer.cancel()
            wake()
        }
        for entry in pending { entry.answer(Self.cancelled) }
    }

    private static var cancelled: Answer {
        .failure(MediaError(.cancelled, "image request cancelled"))
    }

    // MARK: On the lane

    /// Returns whether the current turn must yield to players.
    private func mustYield() -> Bool {
        guard driver.hasUrgentWork else {
            yieldingSince = nil
            return false
        }
        let now = driver.clock.now
        guard let since = yieldingSince, now.nanoseconds(since: since) >= Self.maximumYieldTime else {
            yieldingSince = yieldingSince ?? now
            return true
        }
        yieldingSince = now
        return false
    }

    private func scheduleTurn() {
        // It is never cancelled, because a turn without requests does nothing.
        _ = driver.schedule(at: driver.clock.now.advanced(by: Self.yieldInterval), on: lane) { [self] in
            runTurn()
        }
    }

    private func runTurn() {
        let next = shared.withLock { shared -> PendingRequest? in
            if shared.pending.isEmpty { shared.isBusy = false }
            return shared.pending.first
        }
        guard let next else { return }
        do throws(MediaError) {
            let reader = try openReader(next.epoch)
            // The request may have been cancelled before there was a call to interrupt.
            guard isWanted(next) else { return lane.enqueue { [self] in runTurn() } }
            reader.demuxer.begin(next.epoch)
            if activeTicket !== next.ticket {
                try reader.begin(next.request)
                activeTicket = next.ticket
            }
            for _ in 0..<stepsPerTurn {
                if mustYield() { return scheduleTurn() }
                guard let frame = try reader.step() else { continue }
                let isWanted = next.request.deinterlacing != .none
                let whole = isWanted ? deinterlacer.deinterlace(frame).frame : frame
                finish(next, .success(try next.request.shape(whole, with: converter)))
                break
            }
        } catch {
            let hadNoData = error.code == .notReady && demuxerReportsReadiness
            if hadNoData, isWanted(next) {
                isWaiting = true
                return
            }
            // If nothing was read, the state of the reader is still valid.
            if !hadNoData { reader?.flush() }
            finish(next, .failure(error))
        }
        lane.enqueue { [self] in runTurn() }
    }

    /// Returns whether a request has not been cancelled.
    private func isWanted(_ entry: PendingRequest) -> Bool {
        shared.withLock { $0.pending.first?.ticket === entry.ticket }
    }

    private func openReader(_ epoch: Epoch) throws(MediaError) -> ImageReader {
        let current = shared.withLock { $0.demuxer }
        if let reader, let current, reader.demuxer === current { return reader }
        reader = nil
        activeTicket = nil
        let demuxer = if let opening, opening === current { opening } else { beginOpening() }
        demuxer.begin(epoch)
        do throws(MediaError) {
            let made = try ImageReader.open(demuxer, options: options(), didOpen: didOpen)
            reader = made
            opening = nil
            shared.withLock { $0.isOpen = true }
            return made
        } catch {
            // Opening continues where it stopped.
            if error.code == .notReady, demuxerReportsReadiness { throw error }
            opening = nil
            shared.withLock { if $0.demuxer === demuxer { $0.demuxer = nil } }
            throw error
        }
    }

    private func beginOpening() -> any Demuxer {
        let demuxer = makeDemuxer()
        opening = demuxer
        let isClosed = shared.withLock { shared in
            if !shared.isClosed { shared.demuxer = demuxer }
            shared.isOpen = false
            return shared.isClosed
        }
        if isClosed { demuxer.cancel() }
        demuxerReportsReadiness = demuxer.setNoticeHandler { [weak self] in if $0 == .ready { self?.wake() } }
        return demuxer
    }

    private func finish(_ entry: PendingRequest, _ answer: Answer) {
        activeTicket = nil
        let isPending = shared.withLock { shared in
            guard let index = shared.pending.firstIndex(where: { $0.ticket === entry.ticket }) else {
                return false
            }
            shared.pending.remove(at: index)
            return true
        }
        if isPending { entry.answer(answer) }
    }
}
