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
    final class Place: @unchecked Sendable {
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
        case place(Place)
        /// The sink does not get the one that waited instead.
        case inPlaceOf(Place, Place)
        /// The sink is busy with earlier ones.
        case none
    }

    enum Content {
        /// A filter left it out, or nothing is shown.
        case nothing
        case frame(VideoFrame)
        case failure(MediaError, time: MediaTime)
    }

    private enum Step {
        case frame(Place)
        case flush
        case finish(Done)
        /// The sink is let go of, and not finished.
        case close(Done)
        case call(Done)
    }

    private struct State {
        var steps: Deque<Step> = []
        /// Frames under way, and what those take that wait.
        var waiting = 0
        var waitingBytes = 0
        /// An earlier feeder of the same sink is not done yet.
        var isHeld = false
        var counters = VideoSinkCounters()
        var plan: KnownPlan?

        mutating func append(_ place: Place) {
            steps.append(.frame(place))
            waiting += 1
            waitingBytes += place.byteCount
        }

        /// It is no longer under way.
        mutating func remove(_ place: Place) {
            waiting -= 1
            waitingBytes -= place.byteCount
        }

        /// The newest frame that waits for the sink, if it has been made: those that are being made are not done
        /// sooner for being given up, and a sink whose frames take long to make would get none at all.
        mutating func removeNewestMade() -> Place? {
            guard case .frame(let place)? = steps.last, !place.isEssential, place.content != nil else {
                return nil
            }
            steps.removeLast()
            remove(place)
            return place
        }
    }

    /// What has to be done to frames of a format. A class: it is looked up with each frame, and large to copy.
    private final class KnownPlan: Sendable {
        let format: VideoFormat
        let fit: LayerOutput.Fit
        let plan: FrameDisposition
        let maker: SharedConverter?

        init(
            _ plan: FrameDisposition,
            _ maker: SharedConverter?,
            for format: VideoFormat,
            _ fit: LayerOutput.Fit
        ) {
            (self.format, self.fit, self.plan, self.maker) = (format, fit, plan, maker)
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
    private var started: (format: VideoFormat?, isOver: Bool) = (nil, false)

    /// Frames under way in real time; more would only come later still.
    private static let depth = 2
    /// What they may take where they are held back.
    private static let mostBytes = 64 << 20

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
        lane = driver.makeLane(sink is any ImmediateSink ? .control : .presenting, label: "sink")
        self.conversions = conversions
        self.failed = failed
    }

    /// Interlaced frames are made whole for it.
    func wantsWhole(_ fit: LayerOutput.Fit) -> Bool {
        switch fit.deinterlacing {
        case .none: false
        case .auto: isUpright || fit.size != nil
        case .always: true
        }
    }

    var counters: VideoSinkCounters { state.withLock { $0.counters } }

    // MARK: Any thread

    /// Nothing is done before `release`.
    func hold() { state.withLock { $0.isHeld = true } }

    func release() {
        state.withLock { $0.isHeld = false }
        wake()
    }

    /// The next place in the order, to be filled with `provide`. `done` is called when the sink has had the frame.
    func reserve(_ frame: VideoFrame, isEssential: Bool, done: Done?) -> Reservation {
        let place = Place(done, byteCount: frame.storage.byteCount, isEssential: isEssential)
        return state.withLock { state in
            guard isRealTime, !isEssential, !hasRoom(for: place, state) else {
                state.append(place)
                return .place(place)
            }
            state.counters.framesDropped += 1
            guard policy == .newestOnly, let old = state.removeNewestMade() else { return .none }
            state.append(place)
            return .inPlaceOf(place, old)
        }
    }

    private func hasRoom(for place: Place, _ state: State) -> Bool {
        if state.waiting < Self.depth { return true }
        return policy == .holdBack && state.waitingBytes + place.byteCount <= Self.mostBytes
    }

    /// Has a frame made as the sink wants it, and puts it in its place. nil: there is none.
    func provide(_ frame: VideoFrame?, _ fit: LayerOutput.Fit, in place: Place) {
        guard let frame else { return fill(place, .nothing) }
        let known = plan(for: frame.format, fit)
        switch (known.plan, known.maker) {
        case (.made, let maker?):
            maker.make(of: frame) { [self] result in
                switch result {
                case .success(let made): fill(place, .frame(made))
                case .failure(let error): fill(place, .failure(error, time: frame.presentationTime))
                }
            }
        case (.relabelled(let format), _):
            var same = frame
            same.format = format
            fill(place, .frame(same))
        case (.nothing, _): fill(place, .nothing)
        case (.asDecoded, _), (.made, nil): fill(place, .frame(frame))
        }
    }

    func flush() {
        state.withLock { $0.plan }?.maker?.forget()
        add(.flush)
    }

    /// Behind what is under way.
    func finish(done: @escaping Done) { add(.finish(done)) }
    func close(done: @escaping Done) { add(.close(done)) }
    func afterPending(_ call: @escaping Done) { add(.call(call)) }

    private func plan(for format: VideoFormat, _ fit: LayerOutput.Fit) -> KnownPlan {
        if let known = state.withLock({ $0.plan }), known.fit == fit, known.format == format { return known }
        let plan = FrameDisposition(format, fit, accepted: accepted, isUpright: isUpright) {
            conversions.nearestFormat(to: $0, geometry: $1)
        }
        var maker: SharedConverter?
        if case .made(let wants) = plan { maker = conversions.maker(wants) }
        let known = KnownPlan(plan, maker, for: format, fit)
        state.withLock { $0.plan = known }
        return known
    }

    private func fill(_ place: Place, _ content: Content) {
        state.withLock { _ in place.content = content }
        wake()
    }

    private func add(_ step: Step) {
        state.withLock { $0.steps.append(step) }
        wake()
    }

    private func wake() { lane.enqueue { [self] in work() } }

    // MARK: The sink's lane

    private func work() {
        while let step = next() { carryOut(step) }
    }

    /// nil: there is none, or the first one waits for its frame.
    private func next() -> Step? {
        state.withLock { state in
            guard !state.isHeld, let first = state.steps.first else { return nil }
            if case .frame(let place) = first, place.content == nil { return nil }
            return state.steps.removeFirst()
        }
    }

    private func carryOut(_ step: Step) {
        switch step {
        case .frame(let place):
            if !started.isOver, let content = place.content { present(content) }
            state.withLock { $0.remove(place) }
            place.done?()
        case .flush:
            if !started.isOver { sink.flush() }
        case .finish(let done):
            end()
            done()
        case .close(let done):
            started.isOver = true
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
        let words = "a video sink failed and was taken off: \(error)"
        failed(self, MediaError(.sinkFailed, words, time: time), error)
    }

    private func end() {
        guard !started.isOver else { return }
        started.isOver = true
        sink.finish()
    }
}
