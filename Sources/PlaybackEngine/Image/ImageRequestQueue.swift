import DequeModule
package import MediaCore
package import PlayheadBackend

/// The identity of one request, by which it can be cancelled before, while and after it is submitted.
package final class ImageTicket: Sendable {
    let isCancelled = Locked(false)
    package init() {}
}

/// Answers requests for still images in the order in which they were submitted, on a lane of its own.
///
/// All requests share one open file and one decoder. Players have precedence: while they have something to
/// decode, only an occasional packet is decoded here.
package final class ImageRequestQueue: Sendable {
    package typealias Answer = Result<VideoFrame, MediaError>

    private let stage: ImageStage
    private let runner: StageRunner
    private let lane: any Lane
    private var shared: Locked<ImageStage.Shared> { stage.shared }

    package init(
        driver: any Driver,
        role: LaneRole = .blockingIO,
        makeDemuxer: @escaping @Sendable () -> any Demuxer,
        converter: any VideoConverter,
        deinterlacer: FrameDeinterlacer = FrameDeinterlacer(),
        options: @escaping @Sendable () -> DecoderOptions,
        didOpen: @escaping @Sendable (MediaDescription) -> Void
    ) {
        lane = driver.makeLane(role, label: "stills")
        stage = ImageStage(
            driver,
            lane,
            makeDemuxer: makeDemuxer,
            converter: converter,
            deinterlacer: deinterlacer,
            options: options,
            didOpen: didOpen
        )
        // One packet per turn limits how long a cancellation takes, and in real time urgent work runs between any two.
        runner = StageRunner(stage, on: lane, stepsPerTurn: driver.isRealTime ? 1 : 16)
        stage.wake.set { [weak runner] in runner?.wake() }
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
        submit(.image(request, answer: answer), ticket, generation: request.generation)
    }

    /// Submits a search for sync points, which opens the asset and decodes nothing.
    func findSyncPoints(_ search: SyncPointSearch, _ ticket: ImageTicket) {
        submit(.syncPoints(search), ticket, generation: generation)
    }

    private func submit(_ work: ImageStage.Work, _ ticket: ImageTicket, generation: UInt64) {
        let (entry, isAccepted) = shared.withLock { shared in
            shared.epoch = shared.epoch.next
            let entry = ImageStage.PendingRequest(ticket: ticket, work: work, epoch: shared.epoch)
            guard !shared.isClosed, generation == shared.generation else { return (entry, false) }
            shared.pending.append(entry)
            return (entry, true)
        }
        guard isAccepted else { return entry.fail(Self.cancelled) }
        // The request may have been cancelled before it was submitted.
        if ticket.isCancelled.withLock({ $0 }) { cancel(ticket) }
        runner.wake()
    }

    /// Cancels a request, which is answered with `.cancelled` immediately unless it has been answered. If it is
    /// being processed, a read that waits for bytes ends, and the next request is processed.
    package func cancel(_ ticket: ImageTicket) {
        ticket.isCancelled.withLock { $0 = true }
        let (removed, demuxer) = shared.withLock { shared -> (ImageStage.PendingRequest?, (any Demuxer)?) in
            guard let index = shared.pending.firstIndex(where: { $0.ticket === ticket }) else {
                return (nil, nil)
            }
            return (shared.pending.remove(at: index), index == 0 && shared.isOpen ? shared.demuxer : nil)
        }
        if let removed, let demuxer {
            demuxer.interrupt(before: removed.epoch.next)
            runner.wake()
        }
        removed?.fail(Self.cancelled)
    }

    /// Cancels all requests, and interrupts a call that blocks.
    package func cancelAll() { stop(isFinal: false) }

    /// Closes the queue: all requests are cancelled, including later ones. The file is closed asynchronously on
    /// the lane.
    package func close() {
        stop(isFinal: true)
        lane.enqueue { [stage] in stage.closeFile() }
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
            runner.wake()
        }
        for entry in pending { entry.fail(Self.cancelled) }
    }

    private static var cancelled: MediaError { MediaError(.cancelled, "image request cancelled") }
}
