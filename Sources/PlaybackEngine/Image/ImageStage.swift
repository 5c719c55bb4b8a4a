import DequeModule
import MediaCore
import PlayheadBackend

/// Processes the requests of an `ImageRequestQueue`, one packet per step.
///
/// `@unchecked Sendable`: members that are not locked are confined to the lane.
final class ImageStage: Stage, @unchecked Sendable {
    struct PendingRequest {
        let ticket: ImageTicket
        let work: Work
        /// The epoch of the demuxer's calls for the request.
        let epoch: Epoch

        func fail(_ error: MediaError) {
            switch work {
            case .image(_, let answer): answer(.failure(error))
            case .syncPoints(let search): search.answer(.failure(error))
            }
        }
    }

    enum Work {
        case image(ImageRequest, answer: @Sendable (ImageRequestQueue.Answer) -> Void)
        case syncPoints(SyncPointSearch)
    }

    struct Shared {
        /// The requests in order. The first one is processed.
        var pending: Deque<PendingRequest> = []
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

    let shared = Locked(Shared())
    /// Causes another step, after bytes have arrived or players have been given time.
    let wake = SettableCallback()
    private let driver: any Driver
    private let lane: any Lane
    private let makeDemuxer: @Sendable () -> any Demuxer
    private let converter: any VideoConverter
    private let deinterlacer: FrameDeinterlacer
    private let options: @Sendable () -> DecoderOptions
    private let didOpen: @Sendable (MediaDescription) -> Void

    // Confined to the lane.
    private var reader: ImageReader?
    private var subtitleReader: ImageSubtitleReader?
    /// The frame of the current request, until its subtitles have been read.
    private var found: VideoFrame?
    /// The demuxer that is being opened and waits for bytes.
    private var opening: (any Demuxer)?
    /// The request that the reader is processing.
    private var activeTicket: ImageTicket?
    /// The times whose sync points are requested, and those that have been found.
    private var search: (times: [MediaTime], found: [MediaTime?]) = ([], [])
    /// The time since which players have had something to decode at every check.
    private var yieldingSince: HostTime?
    /// True while the next check is scheduled.
    private var isYielding = false

    /// The interval at which it is checked whether players need the cores, in nanoseconds.
    private static let yieldInterval: Int64 = 2_000_000
    /// The time after which a packet is decoded even if players are busy, in nanoseconds, so that busy players
    /// cannot block an image indefinitely.
    private static let maximumYieldTime: Int64 = 250_000_000

    init(
        _ driver: any Driver,
        _ lane: any Lane,
        makeDemuxer: @escaping @Sendable () -> any Demuxer,
        converter: any VideoConverter,
        deinterlacer: FrameDeinterlacer,
        options: @escaping @Sendable () -> DecoderOptions,
        didOpen: @escaping @Sendable (MediaDescription) -> Void
    ) {
        self.driver = driver
        self.lane = lane
        self.makeDemuxer = makeDemuxer
        self.converter = converter
        self.deinterlacer = deinterlacer
        self.options = options
        self.didOpen = didOpen
    }

    func step() -> StepResult {
        guard let next = shared.withLock({ $0.pending.first }) else { return .finished }
        do throws(MediaError) {
            guard case .ready(let reader) = try openReader(next.epoch) else { return .needsInput }
            // The request may have been cancelled before there was a call to interrupt.
            guard isWanted(next) else { return .progressed }
            reader.demuxer.begin(next.epoch)
            switch next.work {
            case .image(let request, let answer): return try step(next, request, answer, reader)
            case .syncPoints(let search): return try step(next, search, reader)
            }
        } catch {
            reader?.flush()
            // A file that could not be read is opened again for the next image.
            subtitleReader?.close()
            subtitleReader = nil
            finish(next) { next.fail(error) }
        }
        return .progressed
    }

    private func step(
        _ entry: PendingRequest,
        _ request: ImageRequest,
        _ answer: (ImageRequestQueue.Answer) -> Void,
        _ reader: ImageReader
    ) throws(MediaError) -> StepResult {
        if activeTicket !== entry.ticket {
            guard case .ready = try reader.begin(request) else { return .needsInput }
            activeTicket = entry.ticket
            found = nil
        }
        if mustYield() { return yield() }
        if found == nil {
            guard case .ready(let frame) = try reader.step() else { return .needsInput }
            found = frame
        }
        guard let frame = found else { return .progressed }
        var cues: [TextCue] = []
        if let subtitles = request.subtitles {
            var mustWait = false
            let result = try subtitleReader(of: subtitles).read(
                at: request.subtitleTime(of: frame),
                mustWait: &mustWait
            )
            guard case .ready(let due) = result else { return mustWait ? .needsInput : .progressed }
            cues = due
        }
        let whole = request.deinterlacing != .none ? deinterlacer.deinterlace(frame).frame : frame
        var shaped = try request.shape(whole, with: converter)
        if !cues.isEmpty, let subtitleReader {
            shaped = try subtitleReader.draw(
                cues,
                at: request.subtitleTime(of: frame),
                on: shaped,
                geometry: request.geometry(of: whole, shaped: shaped)
            )
        }
        finish(entry) { answer(.success(shaped)) }
        return .progressed
    }

    /// Finds the next sync point of a search. The decoder is not used.
    private func step(
        _ entry: PendingRequest,
        _ request: SyncPointSearch,
        _ reader: ImageReader
    ) throws(MediaError) -> StepResult {
        if activeTicket !== entry.ticket {
            activeTicket = entry.ticket
            search = (request.times(reader.description, reader.track), [])
        }
        let found = search.found
        if let time = search.times.dropFirst(found.count).first {
            guard case .ready(let point) = try reader.findSyncPoint(before: time) else { return .needsInput }
            search.found.append(point)
        } else {
            finish(entry) { request.answer(.success(found)) }
        }
        return .progressed
    }

    private func subtitleReader(of subtitles: ImageSubtitles) -> ImageSubtitleReader {
        if let subtitleReader, subtitleReader.subtitles === subtitles { return subtitleReader }
        subtitleReader?.close()
        let made = ImageSubtitleReader(subtitles, usesBlockingReads: driver.stopsTimeDuringReads) {
            [wake] in wake()
        }
        subtitleReader = made
        return made
    }

    /// Closes the files.
    func closeFile() {
        subtitleReader?.close()
        subtitleReader = nil
        found = nil
        reader = nil
        opening = nil
    }

    /// Returns whether the current step must yield to players.
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

    /// Schedules another step. It is never cancelled, because a step without requests does nothing.
    private func yield() -> StepResult {
        guard !isYielding else { return .needsInput }
        isYielding = true
        _ = driver.schedule(at: driver.clock.now.advanced(by: Self.yieldInterval), on: lane) { [weak self] in
            self?.isYielding = false
            self?.wake()
        }
        return .needsInput
    }

    /// Returns whether a request has not been cancelled.
    private func isWanted(_ entry: PendingRequest) -> Bool {
        shared.withLock { $0.pending.first?.ticket === entry.ticket }
    }

    private func openReader(_ epoch: Epoch) throws(MediaError) -> Poll<ImageReader> {
        let current = shared.withLock { $0.demuxer }
        if let reader, let current, reader.demuxer === current { return .ready(reader) }
        reader = nil
        activeTicket = nil
        let demuxer = if let opening, opening === current { opening } else { beginOpening() }
        demuxer.begin(epoch)
        do throws(MediaError) {
            let result = try ImageReader.open(demuxer, options: options(), didOpen: didOpen)
            guard case .ready(let opened) = result else { return .pending }
            reader = opened
            opening = nil
            shared.withLock { $0.isOpen = true }
            return .ready(opened)
        } catch {
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
        demuxer.setNoticeHandler { [wake] in if $0 == .ready { wake() } }
        return demuxer
    }

    /// Removes a request and answers it, unless it has been cancelled.
    private func finish(_ entry: PendingRequest, _ answer: () -> Void) {
        activeTicket = nil
        found = nil
        let isPending = shared.withLock { shared in
            guard let index = shared.pending.firstIndex(where: { $0.ticket === entry.ticket }) else {
                return false
            }
            shared.pending.remove(at: index)
            return true
        }
        if isPending { answer() }
    }
}
