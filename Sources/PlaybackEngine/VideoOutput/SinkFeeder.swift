import DequeModule
import MediaCore
import PlayheadBackend

/// Delivers frames to one sink of a layer, in order, on a lane of its own.
///
/// A frame has a slot in the order as soon as it is delivered to the layer. The slot is filled when the frame
/// has been converted.
///
/// `@unchecked Sendable`: `started` and `renderer` are confined to the lane. All other members are locked or immutable.
final class SinkFeeder: @unchecked Sendable {
    typealias Done = @Sendable () -> Void

    /// The slot of a frame in the order of a sink.
    ///
    /// `@unchecked Sendable`: the content is guarded by the feeder's lock.
    final class Slot: @unchecked Sendable {
        fileprivate var content: Content?
        /// Called when the sink has received the frame, or when it is certain not to receive it.
        let done: Done?
        /// The size of the frame before conversion.
        fileprivate let byteCount: Int
        fileprivate let isEssential: Bool

        fileprivate init(_ done: Done?, byteCount: Int, isEssential: Bool) {
            self.done = done
            self.byteCount = byteCount
            self.isEssential = isEssential
        }
    }

    /// The result of reserving a slot for a frame.
    enum Reservation {
        case reserved(Slot)
        /// The frame replaces a waiting frame, which the sink does not receive.
        case replaced(Slot, Slot)
        /// The sink is busy with earlier frames.
        case none
    }

    enum Content {
        /// A filter dropped the frame, or nothing is shown.
        case empty
        case frame(VideoFrame, SubtitlePlacement?)
        case failure(MediaError, time: MediaTime)
    }

    /// Subtitles to draw into a frame.
    struct SubtitlePlacement {
        let subtitles: DueSubtitles
        let geometry: VideoGeometry
    }

    private enum Operation {
        case frame(Slot)
        case flush
        case finish(Done)
        /// The sink is released without being finished.
        case close(Done)
        case call(Done)
    }

    private struct State {
        var operations: Deque<Operation> = []
        /// The number and the total size of the frames on their way to the sink.
        var pendingFrames = 0
        var pendingBytes = 0
        /// True while an earlier feeder of the same sink is still working.
        var isSuspended = false
        /// True if the sink was finished elsewhere.
        var isDiscarded = false
        var counters = VideoSinkCounters()
        var disposition: CachedDisposition?

        mutating func append(_ slot: Slot) {
            operations.append(.frame(slot))
            pendingFrames += 1
            pendingBytes += slot.byteCount
        }

        /// Records that a frame is no longer on its way.
        mutating func remove(_ slot: Slot) {
            pendingFrames -= 1
            pendingBytes -= slot.byteCount
        }

        /// Removes and returns the slot of the newest waiting frame if it has been converted.
        ///
        /// A conversion that is running is not abandoned: that would not finish it sooner, and a sink with slow
        /// conversions would receive no frame at all.
        mutating func removeNewestReady() -> Slot? {
            guard case .frame(let slot)? = operations.last, !slot.isEssential, slot.content != nil else {
                return nil
            }
            operations.removeLast()
            remove(slot)
            return slot
        }
    }

    /// The disposition of frames of one format. It is a class because it is read for each frame and large to
    /// copy.
    private final class CachedDisposition: Sendable {
        let format: VideoFormat
        let fit: LayerOutput.Fit
        let disposition: FrameDisposition
        let converter: SharedConverter?
        var geometry: VideoGeometry { VideoGeometry(format.shape, gravity: fit.gravity, target: fit.size) }

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
    /// Whether subtitles are drawn. They are not for a sink that runs on the control lane, where nothing may take time.
    let rendersSubtitles: Bool
    private let policy: LateFramePolicy
    private let isRealTime: Bool
    private let lane: any Lane
    private let conversions: FrameConversions
    private let notDrawn: @Sendable (MediaError) -> Void
    private let failed: @Sendable (SinkFeeder, MediaError, any Error) -> Void
    private let state = Locked(State())
    /// The format with which the sink was last started, and whether the sink has been finished.
    private var started: (format: VideoFormat?, isFinished: Bool) = (nil, false)
    /// The renderer, confined to the lane.
    private var renderer: (any SubtitleRenderer)?

    /// The largest number of frames on their way in real time. More would only be later still.
    private static let maximumPendingFrames = 2
    /// The largest total size of waiting frames for sinks with the policy `.holdBack`.
    private static let maximumPendingBytes = 64 << 20

    /// Creates a feeder.
    ///
    /// - Parameters:
    ///   - sink: The sink to feed.
    ///   - driver: Creates the lane.
    ///   - conversions: The conversions of the player.
    ///   - notDrawn: Called with the reason why subtitles are not drawn, once per player.
    ///   - failed: Called after the sink has thrown an error and has been finished.
    init(
        _ sink: any VideoSink,
        driver: any Driver,
        conversions: FrameConversions,
        notDrawn: @escaping @Sendable (MediaError) -> Void,
        failed: @escaping @Sendable (SinkFeeder, MediaError, any Error) -> Void
    ) {
        self.sink = sink
        accepted = sink.acceptedPixelFormats
        rendersSubtitles = sink.rendersSubtitles && !(sink is any ImmediateSink)
        isUpright = sink.appliesPreferredTrackTransform || rendersSubtitles
        policy = sink.lateFramePolicy
        isRealTime = driver.isRealTime
        lane = driver.makeLane(sink is any ImmediateSink ? .control : .output, label: "sink")
        self.conversions = conversions
        self.notDrawn = notDrawn
        self.failed = failed
    }

    /// Returns whether the sink requests deinterlaced frames under the settings of its layer.
    func requiresDeinterlacing(_ fit: LayerOutput.Fit) -> Bool {
        switch fit.deinterlacing {
        case .none: false
        case .auto: isUpright || fit.size != nil
        case .always: true
        }
    }

    var counters: VideoSinkCounters { state.withLock { $0.counters } }

    // MARK: Any thread

    /// Suspends all work until `resume()` is called.
    func suspend() { state.withLock { $0.isSuspended = true } }

    func resume() {
        state.withLock { $0.isSuspended = false }
        wake()
    }

    /// Ends delivery to a sink that was finished elsewhere. Frames on their way to it are omitted.
    func discard() {
        state.withLock { state in
            state.isDiscarded = true
            state.isSuspended = false
        }
        wake()
    }

    /// Reserves the next slot in the order, to be filled by `provide`.
    ///
    /// - Parameters:
    ///   - frame: The frame for which the slot is reserved.
    ///   - isEssential: Whether the frame is that of a seek, which is never skipped.
    ///   - done: Called when the sink has received the frame.
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

    /// Converts a frame as the sink requests and fills its slot. If `frame` is nil, the slot stays empty. `subtitles`
    /// are drawn on the sink's lane if the sink requests them.
    func provide(_ frame: VideoFrame?, _ fit: LayerOutput.Fit, _ subtitles: DueSubtitles?, in slot: Slot) {
        guard let frame else { return fill(slot, .empty) }
        let cached = disposition(for: frame.format, fit)
        let placement =
            rendersSubtitles
            ? subtitles.map { SubtitlePlacement(subtitles: $0, geometry: cached.geometry) } : nil
        switch (cached.disposition, cached.converter) {
        case (.converted, let converter?):
            converter.convert(frame) { [self] result in
                switch result {
                case .success(let made): fill(slot, .frame(made, placement))
                case .failure(let error): fill(slot, .failure(error, time: frame.presentationTime))
                }
            }
        case (.relabelled(let format), _):
            var same = frame
            same.format = format
            fill(slot, .frame(same, placement))
        case (.hidden, _): fill(slot, .empty)
        case (.asDecoded, _), (.converted, nil): fill(slot, .frame(frame, placement))
        }
    }

    func flush() {
        state.withLock { $0.disposition }?.converter?.removeCached()
        add(.flush)
    }

    /// Finishes the sink after the frames that are on their way to it.
    func finish(done: @escaping Done) { add(.finish(done)) }
    func close(done: @escaping Done) { add(.close(done)) }
    func afterPending(_ call: @escaping Done) { add(.call(call)) }

    private func disposition(for format: VideoFormat, _ fit: LayerOutput.Fit) -> CachedDisposition {
        if let cached = state.withLock({ $0.disposition }), cached.fit == fit, cached.format == format {
            return cached
        }
        let disposition = FrameDisposition(format, fit, accepted: accepted, isUpright: isUpright) {
            conversions.nearestFormat(to: $0, geometry: $1)
        }
        var converter: SharedConverter?
        if case .converted(let spec) = disposition { converter = conversions.converter(for: spec) }
        let cached = CachedDisposition(disposition, converter, for: format, fit)
        state.withLock { $0.disposition = cached }
        return cached
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
        if state.withLock({ $0.isDiscarded }) { started.isFinished = true }
        while let operation = next() { perform(operation) }
    }

    /// Returns the next operation, or nil if there is none or if the first one waits for its frame.
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
        case .empty: break
        case .failure(let error, let time): fail(error, at: time)
        case .frame(let plain, let placement):
            let frame = placement.map { draw($0, on: plain) } ?? plain
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

    private func draw(_ placement: SubtitlePlacement, on frame: VideoFrame) -> VideoFrame {
        guard let renderer = renderer ?? conversions.makeSubtitleRenderer() else { return frame }
        self.renderer = renderer
        do throws(MediaError) {
            return try renderer.draw(
                placement.subtitles.cues,
                at: placement.subtitles.time(of: frame),
                on: frame,
                geometry: placement.geometry
            )
        } catch {
            if conversions.noteUndrawnSubtitles() { notDrawn(error) }
            return frame
        }
    }

    private func fail(_ error: any Error, at time: MediaTime) {
        end()
        let text = "video sink failed and was removed: \(error)"
        failed(self, MediaError(.sinkFailed, text, time: time), error)
    }

    private func end() {
        guard !started.isFinished else { return }
        started.isFinished = true
        sink.finish()
    }
}
