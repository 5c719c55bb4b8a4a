internal import MediaCore

/// The state that a sink and its window share: settings, the newest frame and the event handler.
final class WindowContent: Sendable {
    typealias Handler = @Sendable (WindowEvent) -> Void

    /// A closure in a struct, because a bare closure in a generic container is wrapped again on each access.
    private struct Listener {
        let handler: Handler
    }

    private struct State {
        var title: String
        var isFullscreen = false
        var size: PixelSize?
        var listener: Listener?
        var newest: VideoFrame?
        var failure: PlaybackError?
        var counters = VideoSinkCounters()
        var isDisplayLost = false
    }

    let applicationName: String?
    /// The index of the display, or nil for the one that the window system chooses.
    let display: Int?
    private let state: Locked<State>

    init(title: String, applicationName: String?, display: Int?) {
        self.applicationName = applicationName
        self.display = display
        state = Locked(State(title: title))
    }

    var title: String { state.withLock { $0.title } }
    func setTitle(_ title: String) { state.withLock { $0.title = title } }

    var isFullscreen: Bool { state.withLock { $0.isFullscreen } }
    func setFullscreen(_ isFullscreen: Bool) { state.withLock { $0.isFullscreen = isFullscreen } }

    // MARK: Events

    func setHandler(_ handler: Handler?) {
        let size = state.withLock { state in
            state.listener = handler.map(Listener.init)
            return state.size
        }
        if let size { handler?(.resized(size)) }
    }

    func deliver(_ event: WindowEvent) { state.withLock { $0.listener }?.handler(event) }

    func deliverSize(_ size: PixelSize) {
        state.withLock { $0.size = size }
        deliver(.resized(size))
    }

    /// Reports the loss of the display, once until it is restored.
    func reportLoss(_ reason: String) {
        let isNew = state.withLock { state in
            defer { state.isDisplayLost = true }
            return !state.isDisplayLost
        }
        if isNew { deliver(.displayLost(reason)) }
    }

    /// Reports that the display is used again, if its loss was reported.
    func reportReturn() {
        let wasLost = state.withLock { state in
            defer { state.isDisplayLost = false }
            return state.isDisplayLost
        }
        if wasLost { deliver(.displayRestored) }
    }

    // MARK: Frames

    /// Stores a frame to be shown. Returns false if it replaced one that was not shown yet.
    func enqueue(_ frame: VideoFrame) throws(PlaybackError) -> Bool {
        try state.withLock { state throws(PlaybackError) in
            if let failure = state.failure { throw failure }
            defer { state.newest = frame }
            if state.newest != nil { state.counters.framesDropped += 1 }
            return state.newest == nil
        }
    }

    func dequeueFrame() -> VideoFrame? {
        state.withLock { state in
            defer { state.newest = nil }
            return state.newest
        }
    }

    func recordDelivery() { state.withLock { $0.counters.framesDelivered += 1 } }
    func recordDrop() { state.withLock { $0.counters.framesDropped += 1 } }
    var counters: VideoSinkCounters { state.withLock { $0.counters } }

    /// Stores an error, with which the next frame is refused.
    func fail(_ error: PlaybackError) { state.withLock { if $0.failure == nil { $0.failure = error } } }
}
