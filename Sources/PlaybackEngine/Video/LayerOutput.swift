package import MediaCore

/// What an output tells the loop about its sinks.
package enum OutputReport: Sendable {
    /// A sink threw and was taken off; it has been finished.
    case sinkFailed(MediaError, any Error)
    /// A frame was not taken because the sinks were still busy with earlier ones.
    case skipped
    /// The audio's device has something to tell.
    case device(AudioDeviceNotice)
}

/// One layer's frames on their way to its sinks: fitted, converted where a sink asks for it, and handed
/// over on the layer's own lane, so that a slow sink holds back nobody else.
package final class LayerOutput: Sendable {
    /// How a layer wants its frames.
    package struct Fit: Hashable, Sendable {
        /// nil: frames are handed out as the decoder made them, and nothing else counts.
        package let size: PixelSize?
        package let gravity: VideoGravity
        package let background: Color

        package init(
            size: PixelSize? = nil,
            gravity: VideoGravity = .resizeAspect,
            background: Color = .clear
        ) {
            self.size = size
            self.gravity = size == nil ? .resizeAspect : gravity
            self.background = size == nil ? .clear : background
        }
    }

    private struct Shared {
        var waiting = 0
        var fit = Fit()
        var report: (@Sendable (OutputReport) -> Void)?
        var lastFrame: VideoFrame?
        /// How the frame being shown was handed out, and the shape that it had before that.
        var shownFit: Fit?
        var shownShape: VideoShape?
        /// When the frame being shown is looked at again; see `refresh`.
        var refreshing: (any Wakeup)?
        var isClosed = false
        var filter: Filter?

        /// What was shown is no longer current.
        mutating func forget() {
            lastFrame = nil
            shownFit = nil
            shownShape = nil
            refreshing?.cancel()
            refreshing = nil
        }
    }

    /// In a struct: bare closures in generic containers are wrapped anew at each access.
    private struct Filter {
        let call: @Sendable (VideoFrame) -> VideoFrame?
    }

    private let shared = Locked(Shared())
    private let lane: any Lane
    private let driver: any Driver
    private let feeders: SinkFeeders
    /// Frames under way to the sinks in real time; more would only come later still.
    private static let depth = 2
    /// How long the next frame is waited for before the one being shown is handed out once more: 100 ms.
    private static let patience: Int64 = 100_000_000

    package init(
        driver: any Driver,
        label: String,
        makeConverter: @escaping @Sendable () -> any VideoConverter
    ) {
        lane = driver.makeLane(.presenting, label: label)
        self.driver = driver
        feeders = SinkFeeders(makeConverter: makeConverter)
    }

    package func setReport(_ report: (@Sendable (OutputReport) -> Void)?) {
        shared.withLock { $0.report = report }
    }

    /// What every frame goes through on the layer's lane before it is fitted; nil from it leaves one out.
    package func setFilter(_ filter: (@Sendable (VideoFrame) -> VideoFrame?)?) {
        shared.withLock { $0.filter = filter.map { Filter(call: $0) } }
    }

    /// Counts for every frame that is handed out from now on; `refresh` sees to the one being shown.
    package func setFit(_ fit: Fit) { shared.withLock { $0.fit = fit } }

    /// Hands out the frame being shown once more if it was handed out for another fit. `isPlaying`: only if no
    /// other frame has come soon, for that one is as good.
    package func refresh(isPlaying: Bool) {
        guard isPlaying else { return lane.enqueue { [self] in showAgain() } }
        let time = driver.clock.now.advanced(by: Self.patience)
        let wakeup = driver.schedule(at: time, on: lane) { [weak self] in self?.showAgain() }
        let old = shared.withLock { shared in
            defer { shared.refreshing = wakeup }
            return shared.refreshing
        }
        old?.cancel()
    }

    private func showAgain() {
        let again = shared.withLock { shared -> (VideoFrame, Fit)? in
            guard !shared.isClosed, let frame = shared.lastFrame, shared.shownFit != shared.fit else {
                return nil
            }
            return (frame, shared.fit)
        }
        if let (frame, fit) = again { hand(frame, fit, onlyTo: nil) }
    }

    /// Of the frame being shown, as it came out of the filter; nil: none is.
    package var shownShape: VideoShape? { shared.withLock { $0.shownShape } }

    /// The sink gets the frame that is being shown, if there is one.
    package func add(_ sink: any VideoSink) {
        lane.enqueue { [self] in
            feeders.add(sink)
            let (frame, fit) = shared.withLock { ($0.lastFrame, $0.fit) }
            if let frame { hand(frame, fit, onlyTo: sink) }
        }
    }

    /// Finishes the sink after what is under way to it.
    package func remove(_ sink: any VideoSink) {
        lane.enqueue { [self] in feeders.remove(sink) }
    }

    /// Control lane. `done` is called on the layer's lane when the sinks have had the frame (or it was
    /// skipped). `isEssential`: the frame of a seek, which is never skipped.
    func present(_ frame: VideoFrame, isEssential: Bool, done: (@Sendable () -> Void)?) {
        let isTaken = shared.withLock { shared in
            guard !shared.isClosed else { return false }
            if driver.isRealTime, !isEssential, shared.waiting >= Self.depth { return false }
            shared.waiting += 1
            return true
        }
        guard isTaken else {
            tell(.skipped)
            done?()
            return
        }
        lane.enqueue { [self] in
            // Only now is it the one being shown: a sink that is added in between gets it once.
            let fit = shared.withLock { shared in
                if !shared.isClosed { shared.lastFrame = frame }
                return shared.fit
            }
            hand(frame, fit, onlyTo: nil)
            shared.withLock { $0.waiting -= 1 }
            done?()
        }
    }

    private func hand(_ frame: VideoFrame, _ fit: Fit, onlyTo sink: (any VideoSink)?) {
        let filter = shared.withLock { $0.filter }
        guard let frame = filter.map({ $0.call(frame) }) ?? frame else { return }
        shared.withLock { shared in
            // Not if a seek came between.
            guard shared.lastFrame != nil else { return }
            shared.shownShape = frame.format.shape
            if sink == nil { shared.shownFit = fit }
        }
        for failure in feeders.feed(frame, fit: fit, onlyTo: sink) {
            tell(.sinkFailed(failure.words, failure.error))
        }
    }

    private func tell(_ report: OutputReport) { shared.withLock { $0.report }?(report) }

    /// A seek or a new item.
    func flush() {
        shared.withLock { $0.forget() }
        lane.enqueue { [self] in feeders.flush() }
    }

    /// Finishes every sink; nothing is presented any more.
    package func close() {
        shared.withLock {
            $0.isClosed = true
            $0.forget()
        }
        lane.enqueue { [self] in feeders.finish() }
    }

    /// Lets go of the sinks without finishing them, after what is under way; then they may go elsewhere.
    package func detach(then next: @escaping @Sendable () -> Void) {
        shared.withLock {
            $0.isClosed = true
            $0.forget()
        }
        lane.enqueue { [self] in
            feeders.letGo()
            next()
        }
    }

    /// The lane's work so far is done when `body` runs.
    package func afterPending(_ body: @escaping @Sendable () -> Void) { lane.enqueue(body) }
}
