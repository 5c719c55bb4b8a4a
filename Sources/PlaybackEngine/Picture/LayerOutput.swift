package import MediaCore

/// What an output tells the loop about its sinks.
package enum OutputReport: Sendable {
    /// A sink threw and was taken off; it has been finished.
    case sinkFailed(MediaError, any Error)
    /// A frame was not taken because the sinks were still busy with earlier ones.
    case skipped
}

/// One layer's pictures on their way to its sinks: fitted, converted where a sink asks for it, and handed
/// over on the layer's own lane, so that a slow sink holds back nobody else.
package final class LayerOutput: Sendable {
    /// How a layer wants its pictures.
    package struct Fit: Hashable, Sendable {
        /// nil: the decoder's own size.
        package var size: PixelSize?
        package var gravity: VideoGravity
        package var background: Color

        package init(
            size: PixelSize? = nil,
            gravity: VideoGravity = .resizeAspect,
            background: Color = .clear
        ) {
            self.size = size
            self.gravity = gravity
            self.background = background
        }
    }

    private struct Shared {
        var waiting = 0
        var fit = Fit()
        var report: (@Sendable (OutputReport) -> Void)?
        var lastFrame: VideoFrame?
        var isClosed = false
        var filter: Filter?
    }

    /// In a struct: bare closures in generic containers are wrapped anew at each access.
    private struct Filter {
        let call: @Sendable (VideoFrame) -> VideoFrame?
    }

    private let shared = Locked(Shared())
    private let lane: any Lane
    private let isRealTime: Bool
    private let feeders: SinkFeeders
    /// Pictures under way to the sinks in real time; more would only come later still.
    private static let depth = 2

    package init(
        driver: any Driver,
        label: String,
        makeConverter: @escaping @Sendable () -> any VideoConverter
    ) {
        lane = driver.makeLane(.presenting, label: label)
        isRealTime = driver.isRealTime
        feeders = SinkFeeders(makeConverter: makeConverter)
    }

    package func setReport(_ report: (@Sendable (OutputReport) -> Void)?) {
        shared.withLock { $0.report = report }
    }

    /// What every picture goes through on the layer's lane before it is fitted; nil from it leaves one out.
    package func setFilter(_ filter: (@Sendable (VideoFrame) -> VideoFrame?)?) {
        shared.withLock { $0.filter = filter.map { Filter(call: $0) } }
    }

    package func setFit(_ fit: Fit) { shared.withLock { $0.fit = fit } }

    /// The sink gets the picture that is being shown, if there is one.
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

    /// Control lane. `done` is called on the layer's lane when the sinks have had the picture (or it was
    /// skipped). `isEssential`: the picture of a seek, which is never skipped.
    func present(_ frame: VideoFrame, isEssential: Bool, done: (@Sendable () -> Void)?) {
        let isTaken = shared.withLock { shared in
            guard !shared.isClosed else { return false }
            if isRealTime, !isEssential, shared.waiting >= Self.depth { return false }
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
        for failure in feeders.feed(frame, fit: fit, onlyTo: sink) {
            tell(.sinkFailed(failure.words, failure.error))
        }
    }

    private func tell(_ report: OutputReport) { shared.withLock { $0.report }?(report) }

    /// A seek or a new item.
    func flush() {
        shared.withLock { $0.lastFrame = nil }
        lane.enqueue { [self] in feeders.flush() }
    }

    /// Finishes every sink; nothing is presented any more.
    package func close() {
        shared.withLock {
            $0.isClosed = true
            $0.lastFrame = nil
        }
        lane.enqueue { [self] in feeders.finish() }
    }

    /// Lets go of the sinks without finishing them, after what is under way; then they may go elsewhere.
    package func detach(then next: @escaping @Sendable () -> Void) {
        shared.withLock {
            $0.isClosed = true
            $0.lastFrame = nil
        }
        lane.enqueue { [self] in
            feeders.letGo()
            next()
        }
    }

    /// The lane's work so far is done when `body` runs.
    package func afterPending(_ body: @escaping @Sendable () -> Void) { lane.enqueue(body) }
}
