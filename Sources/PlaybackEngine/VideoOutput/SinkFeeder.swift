import DequeModule
import MediaCore
import PlayheadBackend

/// One sink of a layer, on a lane of its own: it gets its frames in order, however long other sinks take.
///
/// A frame has its place in the order from the moment when it is handed out, and is filled in when it has been made.
///
/// Unchecked: `started` is confined to the lane; everything else is locked or never changes.
final class SinkFeeder: @unchecked Sendable {
    typealias Done = @Sendable () -> Void

    /// The place of a frame.
    ///
    /// Unchecked: what it holds is guarded by the feeder's lock.
    final class Slot: @unchecked Sendable {
        fileprivate var content: Content?
        /// Called when the sink has had the frame, or will not get it.
        let done: Done?
        /// Of the frame as it was handed in.
        fileprivate let byteCount: Int
        fileprivate let isEssential: Bool

        fileprivate init(_ done: Done?, byteCount: Int, isEssential: Bool) {
            self.done = done
            self.byteCount = byteCount
            self.isEssential = isEssential
        }
    }

    /// What became of a frame that came due.
    enum Reservation {
        case reserved(Slot)
        /// The sink does not get the one that waited instead.
        case replaced(Slot, Slot)
        /// The sink is busy with earlier ones.
        case none
    }

    enum Content {
        /// A filter left it out, or nothing is shown.
        case nothing
        case frame(VideoFrame)
        case failure(MediaError, time: MediaTime)
    }

    private enum Operation {
        case frame(Slot)
        case flush
        case finish(Done)
        /// The sink is let go of, and not finished.
        case close(Done)
        case call(Done)
    }

    private struct State {
        var operations: Deque<Operation> = []
        /// Frames under way, and what those take that wait.
        var pendingFrames = 0
        var pendingBytes = 0
        /// An earlier feeder of the same sink is not done yet.
        var isSuspended = false
        var counters = VideoSinkCounters()
        var disposition: CachedDisposition?

        mutating func append(_ slot: Slot) {
            operations.append(.frame(slot))
            pendingFrames += 1
            pendingBytes += slot.byteCount
        }

        /// It is no longer under way.
        mutating func remove(_ slot: Slot) {
            pendingFrames -= 1
            pendingBytes -= slot.byteCount
        }

        /// The newest frame that waits for the sink, if it has been made: those that are being made are not done
        /// sooner for being given up, and a sink whose frames take long to make would get none at all.
        mutating func removeNewestReady() -> Slot? {
            guard case .frame(let slot)? = operations.last, !slot.isEssential, slot.content != nil else {
                return nil
            }
            operations.removeLast()
            remove(slot)
            return slot
        }
    }

    /// What has to be done to frames of a format. A class: it is looked up with each frame, and large to copy.
    private final class CachedDisposition: Sendable {
        let format: VideoFormat
        let fit: LayerOutput.Fit
        let disposition: FrameDisposition
        let converter: SharedConverter?

        init(
            _ disposition: FrameDisposition,
            _ converter: SharedConverter?,
            for format: VideoFormat,
            _ fit: LayerOutput.Fit
        ) {
            (self.format, self.fit, self.disposition, self.converter) = (format, fit, disposition, converter)
        }
    }

    let sink: any VideoSink
    private let accepted: [PixelFormat]
    private let isUpright: Bool
    private let policy: LateFramePolicy
    private let isRealTime: Bool
    private let lane: any Lane
    private let conversions: FrameConversions
    private let failed: @Sendable (SinkFeeder, MediaError, any Error) -> Void
    private let state = Locked(State())
    /// What the sink was last started with, and whether it takes anything any more.
    private var started: (format: VideoFormat?, isFinished: Bool) = (nil, false)

    /// Frames under way in real time; more would only come later still.
    private static let maximumPendingFrames = 2
    /// What they may take where they are held back.
    private static let maximumPendingBytes = 64 << 20

    /// `failed`: the sink threw, and has been finished.
    init(
        _ sink: any VideoSink,
        driver: any Driver,
        conversions: FrameConversions,
        failed: @escaping @Sendable (SinkFeeder, MediaError, any Error) -> Void
    ) {
        self.sink = sink
        accepted = sink.acceptedPixelFormats
        isUpright = sink.appliesPreferredTrackTransform
        policy = sink.lateFramePolicy
        isRealTime = driver.isRealTime
        lane = driver.makeLane(sink is any ImmediateSink ? .control : .output, label: "sink")
        self.conversions = conversions
        self.failed = failed
    }

    /// Interlaced frames are made whole for it.
    func requiresDeinterlacing(_ fit: LayerOutput.Fit) -> Bool {
        switch fit.deinterlacing {
        case .none: false
        case .auto: isUpright || fit.size != nil
        case .always: true
        }
    }

    var counters: VideoSinkCounters { state.withLock { $0.counters } }

    // MARK: Any thread

    /// Nothing is done before `release`.
    func suspend() { state.withLock { $0.isSuspended = true } }

    func resume() {
        state.withLock { $0.isSuspended = false }
        wake()
    }

    /// The next place in the order, to be filled with `provide`. `done` is called when the sink has had the frame.
    func reserve(_ frame: VideoFrame, isEssential: Bool, done: Done?) -> Reservation {
        let slot = Slot(done, byteCount: frame.storage.byteCount, isEssential: isEssential)
        return state.withLock { state in
            guard isRealTime, !isEssential, !hasCapacity(for: slot, state) else {
                state.append(slot)
                return .reserved(slot)
            }
            state.counters.framesDropped += 1
            guard policy == .newestOnly, let old = state.removeNewestReady() else { return .none }
            state.append(slot)
            return .replaced(slot, old)
        }
    }

    private func hasCapacity(for slot: Slot, _ state: State) -> Bool {
        if state.pendingFrames < Self.maximumPendingFrames { return true }
        return policy == .holdBack && state.pendingBytes + slot.byteCount <= Self.maximumPendingBytes
    }

    /// Has a frame made as the sink wants it, and puts it in its place. nil: there is none.
    func provide(_ frame: VideoFrame?, _ fit: LayerOutput.Fit, in slot: Slot) {
        guard let frame else { return fill(slot, .nothing) }
        let known = disposition(for: frame.format, fit)
        switch (known.disposition, known.converter) {
        case (.converted, let converter?):
            converter.convert(frame) { [self] result in
                switch result {
                case .success(let made): fill(slot, .frame(made))
                case .failure(let error): fill(slot, .failure(error, time: frame.presentationTime))
                }
            }
        case (.relabelled(let format), _):
            var same = frame
            same.format = format
            fill(slot, .frame(same))
        case (.hidden, _): fill(slot, .nothing)
        case (.asDecoded, _), (.converted, nil): fill(slot, .frame(frame))
        }
    }

    func flush() {
        state.withLock { $0.disposition }?.converter?.removeCached()
        add(.flush)
    }

    /// Behind what is under way.
    func finish(done: @escaping Done) { add(.finish(done)) }
    func close(done: @escaping Done) { add(.close(done)) }
    func afterPending(_ call: @escaping Done) { add(.call(call)) }

    private func disposition(for format: VideoFormat, _ fit: LayerOutput.Fit) -> CachedDisposition {
        if let known = state.withLock({ $0.disposition }), known.fit == fit, known.format == format {
            return known
        }
        let disposition = FrameDisposition(format, fit, accepted: accepted, isUpright: isUpright) {
            conversions.nearestFormat(to: $0, geometry: $1)
        }
        var converter: SharedConverter?
        if case .converted(let spec) = disposition { converter = conversions.converter(for: spec) }
        let known = CachedDisposition(disposition, converter, for: format, fit)
        state.withLock { $0.disposition = known }
        return known
    }

    private func fill(_ slot: Slot, _ content: Content) {
        state.withLock { _ in slot.content = content }
        wake()
    }

    private func add(_ operation: Operation) {
        state.withLock { $0.operations.append(operation) }
        wake()
    }

    private func wake() { lane.enqueue { [self] in work() } }

    // MARK: The sink's lane

    private func work() {
        while let operation = next() { perform(operation) }
    }

    /// nil: there is none, or the first one waits for its frame.
    private func next() -> Operation? {
        state.withLock { state in
            guard !state.isSuspended, let first = state.operations.first else { return nil }
            if case .frame(let slot) = first, slot.content == nil { return nil }
            return state.operations.removeFirst()
        }
    }

    private func perform(_ operation: Operation) {
        switch operation {
        case .frame(let slot):
            if !started.isFinished, let content = slot.content { present(content) }
            state.withLock { $0.remove(slot) }
            slot.done?()
        case .flush:
            if !started.isFinished { sink.flush() }
        case .finish(let done):
            end()
            done()
        case .close(let done):
            started.isFinished = true
            done()
        case .call(let call): call()
        }
    }

    private func present(_ content: Content) {
        switch content {
        case .nothing: break
        case .failure(let error, let time): fail(error, at: time)
        case .frame(let frame):
            do {
                if started.format != frame.format {
                    started.format = frame.format
                    try sink.start(frame.format)
                }
                try sink.present(frame)
                state.withLock { $0.counters.framesDelivered += 1 }
            } catch {
                fail(error, at: frame.presentationTime)
            }
        }
    }

    private func fail(_ error: any Error, at time: MediaTime) {
        end()
        let text = "a video sink failed and was taken off: \(error)"
        failed(self, MediaError(.sinkFailed, text, time: time), error)
    }

    private func end() {
        guard !started.isFinished else { return }
        started.isFinished = true
        sink.finish()
    }
}
