internal import Dispatch
public import MediaCore

/// Shows pictures in a window of the desktop, through SDL2 (X11, Wayland).
///
/// The window opens with the first picture, as large as it is seen or as the display has room for. It has a size of its
/// own, so it takes a layer of its own, which follows:
///
///     let window = WindowSink(title: "film.mp4")
///     let layer = PlayerLayer(player: player)
///     window.setEventHandler { event in
///         if case .resized(let size) = event { layer.size = size }
///     }
///     layer.add(window)
///
/// SDL2 is opened when it is needed. Without it, and without a display, `start` throws and the sink is taken off its
/// layer: `sinkFailed` tells the words. All windows of a process share one thread, which SDL belongs to: a program that
/// uses SDL's video itself cannot use this sink. Signals stay the program's.
///
/// A picture is handed over and shown when the display takes it; where several come meanwhile, the newest is. So
/// nothing waits for the display. The screen saver is held off while pictures come.
public final class WindowSink: VideoSink {
    private enum Stage {
        case new, open, finished
    }

    let content: WindowContent
    private let stage = Locked(Stage.new)
    /// From the first picture on.
    private let thread = Locked<WindowThread?>(nil)
    /// How long a display may take to answer before it counts as none.
    private static let displayTimeout = DispatchTimeInterval.seconds(10)

    /// Opens nothing yet. `title`: in the window's frame. `applicationName`: what desktops say holds off the screen
    /// saver; that of the first window counts for all.
    public init(title: String = "", applicationName: String? = nil) {
        content = WindowContent(title: title, applicationName: applicationName)
    }

    deinit { close() }

    /// Throws where no window can be opened: SDL2 is not installed, or there is no display. Asks the display, so it can
    /// take some 20 ms, on another thread.
    public static func checkDisplay() async throws(WindowError) {
        let thread = try startedThread()
        let result = await withCheckedContinuation {
            (answer: CheckedContinuation<Result<Void, WindowError>, Never>) in
            thread.perform { system in
                do throws(WindowError) {
                    answer.resume(returning: .success(try system.start(applicationName: nil)))
                } catch { answer.resume(returning: .failure(error)) }
            }
        }
        try result.get()
    }

    /// In the window's frame. Any thread.
    public var title: String {
        get { content.title }
        set {
            content.setTitle(newValue)
            withWindow { $0.setTitle($0.content.title) }
        }
    }

    /// Whether it fills the display; the pointer is hidden then. Any thread.
    public var isFullscreen: Bool {
        get { content.isFullscreen }
        set {
            content.setFullscreen(newValue)
            withWindow { $0.applyFullscreen() }
        }
    }

    /// Told of the window's size and of keys, on the thread of all windows; a later one takes the place of an earlier one,
    /// and hears of the size at once, on the caller's thread.
    public func setEventHandler(_ handler: (@Sendable (WindowEvent) -> Void)?) { content.setHandler(handler) }

    /// What became of the pictures so far. Any thread.
    public var counters: VideoSinkCounters { content.counters }

    /// Returns when the window is gone from the screen, which is after `finish`; at once where there never was one.
    public func closed() async {
        guard let thread = thread.withLock({ $0 }) else { return }
        await withCheckedContinuation { (gone: CheckedContinuation<Void, Never>) in
            thread.perform { [content] system in
                guard let window = system.window(of: content) else { return gone.resume() }
                window.onDestroy { gone.resume() }
            }
        }
    }

    // MARK: VideoSink

    // Four bytes a pixel: any matrix, range, place of chroma and depth is right then, which SDL's own conversions know
    // few of. The fourth byte means nothing, so a layer's colour lies over black.
    public var acceptedPixelFormats: [PixelFormat] { [PixelFormat(rawValue: "bgr0")] }
    public var appliesPreferredTrackTransform: Bool { true }
    public var lateFramePolicy: LateFramePolicy { .newestOnly }

    /// Opens the window, and waits until it is open: some 20 ms.
    public func start(_ format: VideoFormat) throws {
        let isFirst = stage.withLock { stage in
            defer { if stage == .new { stage = .open } }
            return stage == .new
        }
        guard isFirst else { return }
        let thread = try Self.startedThread()
        self.thread.withLock { $0 = thread }
        let opened = Locked<Result<Void, WindowError>?>(nil)
        let isOpen = DispatchSemaphore(value: 0)
        thread.perform { [content, size = format.presentationSize] system in
            let result: Result<Void, WindowError>
            do throws(WindowError) {
                result = .success(try system.open(content, for: size))
            } catch { result = .failure(error) }
            opened.withLock { $0 = result }
            isOpen.signal()
        }
        guard isOpen.wait(timeout: .now() + Self.displayTimeout) == .success else {
            throw WindowError.noDisplay("the display does not answer")
        }
        try opened.withLock { $0 }?.get()
    }

    public func present(_ frame: VideoFrame) throws {
        guard stage.withLock({ $0 == .open }), let thread = thread.withLock({ $0 }),
            try content.enqueue(frame)
        else { return }
        thread.perform { [content] system in
            guard let frame = content.dequeueFrame(), let window = system.window(of: content) else { return }
            do throws(WindowError) {
                try window.show(frame)
                content.recordDelivery()
                system.inhibitScreenSaver()
            } catch { content.fail(error) }
        }
    }

    /// Closes the window, soon; see `closed()`.
    public func finish() { close() }

    private func close() {
        let wasOpen = stage.withLock { stage in
            defer { stage = .finished }
            return stage == .open
        }
        guard wasOpen, let thread = thread.withLock({ $0 }) else { return }
        thread.perform { [content] system in system.close(content) }
    }

    private static func startedThread() throws(WindowError) -> WindowThread {
        let thread = try WindowThread.shared.get()
        try thread.start()
        return thread
    }

    /// Does something to the window, if there is one.
    private func withWindow(_ body: @escaping @Sendable (Window) -> Void) {
        thread.withLock { $0 }?.perform { [content] system in system.window(of: content).map(body) }
    }
}
