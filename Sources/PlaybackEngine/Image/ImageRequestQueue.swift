import DequeModule
package import MediaCore
package import PlayheadBackend

/// Stands for one request, so that it can be called off before, while and after it is handed in.
package final class ImageTicket: Sendable {
    fileprivate let isCancelled = Locked(false)
    package init() {}
}

/// Answers requests for frames one by one, in the order in which they came, on a lane of its own. They share
/// one open file and one decoder. Players go first: while they have something to decode, nothing is done here but
/// a packet now and then.
///
/// `@unchecked Sendable`: what is not locked is confined to the lane.
package final class ImageRequestQueue: @unchecked Sendable {
    package typealias Answer = Result<VideoFrame, MediaError>

    private struct PendingRequest {
        let ticket: ImageTicket
        let request: ImageRequest
        let answer: @Sendable (Answer) -> Void
        /// Of the demuxer's calls for it.
        let epoch: Epoch
    }

    private struct Shared {
        /// In order; the first one is being worked on while `isBusy`.
        var pending: Deque<PendingRequest> = []
        var isBusy = false
        /// Of the newest request.
        var epoch = Epoch()
        var generation: UInt64 = 0
        var isClosed = false
        /// What blocks now, reachable from any thread.
        var demuxer: (any Demuxer)?
        /// An opening serves whatever is asked next, so calling one request off does not interrupt it.
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
    /// Is being opened: it waits for bytes.
    private var opening: (any Demuxer)?
    /// Nothing is at hand for the request: there is no turn until the demuxer has something, or it is called off.
    private var isWaiting = false
    /// The demuxer says when it is worth asking again.
    private var demuxerReportsReadiness = false
    /// The request that the reader was told to begin with.
    private var activeTicket: ImageTicket?
    /// Since when players have had something to decode whenever somebody looked here.
    private var yieldingSince: HostTime?

    /// Nanoseconds until somebody looks again whether players need the cores.
    private static let yieldInterval: Int64 = 2_000_000
    /// Nanoseconds after which a packet is decoded all the same: players that never rest shall not stop a still for ever.
    private static let maximumYieldTime: Int64 = 250_000_000
    /// Packets in one turn: a call-off waits no longer than for these. Where time passes by itself, what is urgent comes
    /// between any two.
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

    /// Requests of an older generation have been called off.
    package var generation: UInt64 { shared.withLock { $0.generation } }

    /// `answer` is called exactly once: on the lane, or by whoever calls the request off.
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
        // It may have been called off before it was here.
        if ticket.isCancelled.withLock({ $0 }) { cancel(ticket) }
        if mustStart { lane.enqueue { [self] in runTurn() } }
    }

    /// The request is answered with `.cancelled` at once, unless it has been answered. Where it is being worked
    /// on, a read that waits for bytes ends, and the next request has its turn.
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

    /// All requests are; what blocks is interrupted.
    package func cancelAll() { stop(isFinal: false) }

    /// Also every one that comes later. The file is let go of behind the caller's back.
    package func close() {
        stop(isFinal: true)
        lane.enqueue { [self] in
            reader = nil
            opening = nil
        }
    }

    /// There may be bytes where there were none, or the request that waited for them was called off.
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
            // A file that nobody reads at present stays open.
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
        .failure(MediaError(.cancelled, "making the picture was called off"))
    }

    // MARK: On the lane

    /// True: players need the cores now.
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
        // Nobody calls it off: a turn without requests does nothing.
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
            // It may have been called off before there was anything to interrupt.
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
            // Where there was nothing to read, nothing was lost either.
            if !hadNoData { reader?.flush() }
            finish(next, .failure(error))
        }
        lane.enqueue { [self] in runTurn() }
    }

    /// Nobody has called it off.
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
            // It goes on where it is.
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
