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

    private struct Waiting {
        let ticket: ImageTicket
        let request: ImageRequest
        let answer: @Sendable (Answer) -> Void
        /// Of the demuxer's calls for it.
        let epoch: Epoch
    }

    private struct Shared {
        /// In order; the first one is being worked on while `isBusy`.
        var waiting: Deque<Waiting> = []
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
    private var demuxerWakes = false
    /// The request that the reader was told to begin with.
    private var begun: ImageTicket?
    /// Since when players have had something to decode whenever somebody looked here.
    private var givesWaySince: HostTime?

    /// Nanoseconds until somebody looks again whether players need the cores.
    private static let pause: Int64 = 2_000_000
    /// Nanoseconds after which a packet is decoded all the same: players that never rest shall not stop a still for ever.
    private static let longestPause: Int64 = 250_000_000
    /// Packets in one turn: a call-off waits no longer than for these. Where time passes by itself, what is urgent comes
    /// between any two.
    private let stepsPerTurn: Int

    package init(
        driver: any Driver,
        role: LaneRole = .loading,
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
        let (isTaken, mustStart) = shared.withLock { shared in
            guard !shared.isClosed, request.generation == shared.generation else { return (false, false) }
            shared.epoch = shared.epoch.next
            shared.waiting.append(
                Waiting(ticket: ticket, request: request, answer: answer, epoch: shared.epoch)
            )
            defer { shared.isBusy = true }
            return (true, !shared.isBusy)
        }
        guard isTaken else { return answer(Self.cancelled) }
        // It may have been called off before it was here.
        if ticket.isCancelled.withLock({ $0 }) { cancel(ticket) }
        if mustStart { lane.enqueue { [self] in turn() } }
    }

    /// The request is answered with `.cancelled` at once, unless it has been answered. Where it is being worked
    /// on, a read that waits for bytes ends, and the next request has its turn.
    package func cancel(_ ticket: ImageTicket) {
        ticket.isCancelled.withLock { $0 = true }
        let (removed, demuxer) = shared.withLock { shared -> (Waiting?, (any Demuxer)?) in
            guard let index = shared.waiting.firstIndex(where: { $0.ticket === ticket }) else {
                return (nil, nil)
            }
            return (shared.waiting.remove(at: index), index == 0 && shared.isOpen ? shared.demuxer : nil)
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
            turn()
        }
    }

    private func stop(isFinal: Bool) {
        let (waiting, demuxer) = shared.withLock { shared in
            shared.generation += 1
            if isFinal { shared.isClosed = true }
            defer { shared.waiting = [] }
            // A file that nobody reads at present stays open.
            guard isFinal || !shared.waiting.isEmpty else { return (shared.waiting, (any Demuxer)?.none) }
            defer { shared.demuxer = nil }
            return (shared.waiting, shared.demuxer)
        }
        if let demuxer {
            demuxer.cancel()
            wake()
        }
        for entry in waiting { entry.answer(Self.cancelled) }
    }

    private static var cancelled: Answer {
        .failure(MediaError(.cancelled, "making the picture was called off"))
    }

    // MARK: On the lane

    /// True: players need the cores now.
    private func mustGiveWay() -> Bool {
        guard driver.hasUrgentWork else {
            givesWaySince = nil
            return false
        }
        let now = driver.clock.now
        guard let since = givesWaySince, now.nanoseconds(since: since) >= Self.longestPause else {
            givesWaySince = givesWaySince ?? now
            return true
        }
        givesWaySince = now
        return false
    }

    private func turnLater() {
        // Nobody calls it off: a turn without requests does nothing.
        _ = driver.schedule(at: driver.clock.now.advanced(by: Self.pause), on: lane) { [self] in turn() }
    }

    private func turn() {
        let next = shared.withLock { shared -> Waiting? in
            if shared.waiting.isEmpty { shared.isBusy = false }
            return shared.waiting.first
        }
        guard let next else { return }
        do throws(MediaError) {
            let reader = try openReader(next.epoch)
            // It may have been called off before there was anything to interrupt.
            guard isWanted(next) else { return lane.enqueue { [self] in turn() } }
            reader.demuxer.begin(next.epoch)
            if begun !== next.ticket {
                try reader.begin(next.request)
                begun = next.ticket
            }
            for _ in 0..<stepsPerTurn {
                if mustGiveWay() { return turnLater() }
                guard let frame = try reader.step() else { continue }
                let isWanted = next.request.deinterlacing != .none
                let whole = isWanted ? deinterlacer.deinterlace(frame).frame : frame
                finish(next, .success(try next.request.shape(whole, with: converter)))
                break
            }
        } catch {
            let hadNothing = error.code == .notReady && demuxerWakes
            if hadNothing, isWanted(next) {
                isWaiting = true
                return
            }
            // Where there was nothing to read, nothing was lost either.
            if !hadNothing { reader?.flush() }
            finish(next, .failure(error))
        }
        lane.enqueue { [self] in turn() }
    }

    /// Nobody has called it off.
    private func isWanted(_ entry: Waiting) -> Bool {
        shared.withLock { $0.waiting.first?.ticket === entry.ticket }
    }

    private func openReader(_ epoch: Epoch) throws(MediaError) -> ImageReader {
        let current = shared.withLock { $0.demuxer }
        if let reader, let current, reader.demuxer === current { return reader }
        reader = nil
        begun = nil
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
            if error.code == .notReady, demuxerWakes { throw error }
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
        demuxerWakes = demuxer.setNoticeHandler { [weak self] in if $0 == .ready { self?.wake() } }
        return demuxer
    }

    private func finish(_ entry: Waiting, _ answer: Answer) {
        begun = nil
        let isMine = shared.withLock { shared in
            guard let index = shared.waiting.firstIndex(where: { $0.ticket === entry.ticket }) else {
                return false
            }
            shared.waiting.remove(at: index)
            return true
        }
        if isMine { entry.answer(answer) }
    }
}
