internal import Dispatch
public import MediaCore

/// A sink that shows frames in a window of the desktop (X11 or Wayland), or on a screen without a window system
/// (KMS/DRM), through SDL2.
///
/// Without a window system, which is assumed if neither `DISPLAY` nor `WAYLAND_DISPLAY` is set and a screen is connected,
/// the window is the whole display in its current mode, without a pointer. SDL's variable `SDL_VIDEODRIVER` selects a
/// driver regardless of that.
///
/// The window opens with the first frame, in its displayed size or as large as the display permits. A window has its
/// own size, so it needs its own layer, which follows the window:
///
///     let window = WindowSink(title: "film.mp4")
///     let layer = PlayerLayer(player: player)
///     window.setEventHandler { event in
///         if case .resized(let size) = event { layer.size = size }
///     }
///     layer.add(window)
///
/// SDL2 is opened on first use. Without it, or without a display, `start(_:)` throws, the sink is removed from its
/// layer, and the event `sinkFailed` reports the error. All windows of a process share one thread, to which SDL's
/// video belongs. An application that uses SDL's video itself cannot use this sink. Signals are not handled.
///
/// If the display is lost while frames are shown, the sink remains: playback continues, frames are discarded, and the
/// window opens again when the display returns. The events `displayLost` and `displayRestored` report it. An X server
/// that ends is an exception: libX11 ends the process.
///
/// Presenting a frame does not wait for the display: the display shows a frame when it is ready, and the newest one
/// if several have arrived. The screen saver is inhibited while frames arrive.
public final class WindowSink: VideoSink {
    private enum Stage {
        case new, open, finished
    }

    let content: WindowContent
    private let stage = Locked(Stage.new)
    /// The thread of all windows, from the first frame on.
    private let thread = Locked<WindowThread?>(nil)
    /// The time after which a display that does not respond counts as unavailable.
    private static let displayTimeout = DispatchTimeInterval.seconds(10)

    /// Creates a sink without opening a window.
    ///
    /// - Parameters:
    ///   - title: The title in the window's frame.
    ///   - applicationName: The name that desktops show as the inhibitor of the screen saver. The name of the first
    ///     window applies to all windows.
    ///   - display: The index of the display on which the window opens and fills the screen, from 0. nil leaves the
    ///     choice to the window system. If there is no such display, `start(_:)` throws.
    public init(title: String = "", applicationName: String? = nil, display: Int? = nil) {
        content = WindowContent(title: title, applicationName: applicationName, display: display)
    }

    deinit { close() }

    /// Checks whether a window can be opened. The check runs on another thread and may take about 20 ms. A display that
    /// does not respond for 10 seconds counts as unavailable.
    ///
    /// - Throws: `PlaybackError` with the code `.displayUnavailable` if SDL2 is not installed or no display is available.
    public static func checkDisplay() async throws(PlaybackError) {
        try await checkDisplay(within: displayTimeout)
    }

    static func checkDisplay(within timeout: DispatchTimeInterval) async throws(PlaybackError) {
        let thread = try startedThread()
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Void, PlaybackError>, Never>) in
            let waiting = Locked<CheckedContinuation<Result<Void, PlaybackError>, Never>?>(continuation)
            let answer = { @Sendable (result: Result<Void, PlaybackError>) in
                let first = waiting.withLock { waiting in
                    defer { waiting = nil }
                    return waiting
                }
                first?.resume(returning: result)
            }
            thread.perform { system in
                do throws(PlaybackError) {
                    answer(.success(try system.start(applicationName: nil)))
                } catch { answer(.failure(error)) }
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + timeout) {
                answer(.failure(.displayDoesNotRespond))
            }
        }
        try result.get()
    }

    /// The title in the window's frame. May be used on any thread.
    public var title: String {
        get { content.title }
        set {
            content.setTitle(newValue)
            withWindow { $0.setTitle($0.content.title) }
        }
    }

    /// A Boolean value that indicates whether the window fills the display; the pointer is hidden then. May be used
    /// on any thread.
    public var isFullscreen: Bool {
        get { content.isFullscreen }
        set {
            content.setFullscreen(newValue)
            withWindow { $0.applyFullscreen() }
        }
    }

    /// Sets the closure that receives the window's events.
    ///
    /// - Parameter handler: Called on the thread of all windows. It replaces the previous handler, and receives the
    ///   current size at once, on the calling thread. nil removes the handler.
    public func setEventHandler(_ handler: (@Sendable (WindowEvent) -> Void)?) { content.setHandler(handler) }

    /// The number of frames that were drawn, and the number of frames that a newer one replaced before the display
    /// accepted them. May be read on any thread.
    public var counters: VideoSinkCounters { content.counters }

    /// Waits until the window has disappeared from the screen, after `finish()`. Returns at once if there has never
    /// been a window.
    public func closed() async {
        guard let thread = thread.withLock({ $0 }) else { return }
        await withCheckedContinuation { (gone: CheckedContinuation<Void, Never>) in
            thread.perform { [content] system in
                system.whenClosed(content) { gone.resume() }
            }
        }
    }

    // MARK: VideoSink

    // With four bytes per pixel, any matrix, range, chroma location and depth is converted correctly; SDL's own
    // conversions support few of them. The fourth byte is unused, so a transparent layer is drawn over black.
    public var acceptedPixelFormats: [PixelFormat] { [PixelFormat(rawValue: "bgr0")] }
    public var appliesPreferredTrackTransform: Bool { true }
    public var rendersSubtitles: Bool { true }
    public var lateFramePolicy: LateFramePolicy { .newestOnly }

    /// Opens the window and waits until it is open: about 20 ms.
    ///
    /// - Parameter format: The format of the frames that follow.
    /// - Throws: `PlaybackError` with the code `.displayUnavailable` if the window cannot be opened.
    public func start(_ format: VideoFormat) throws(PlaybackError) {
        let isFirst = stage.withLock { stage in
            defer { if stage == .new { stage = .open } }
            return stage == .new
        }
        guard isFirst else { return }
        let thread = try Self.startedThread()
        self.thread.withLock { $0 = thread }
        let opened = Locked<Result<Void, PlaybackError>?>(nil)
        let isOpen = DispatchSemaphore(value: 0)
        thread.perform { [content, size = format.presentationSize] system in
            let result: Result<Void, PlaybackError>
            do throws(PlaybackError) {
                result = .success(try system.open(content, for: size))
            } catch { result = .failure(error) }
            opened.withLock { $0 = result }
            isOpen.signal()
        }
        guard isOpen.wait(timeout: .now() + Self.displayTimeout) == .success else {
            throw PlaybackError.displayDoesNotRespond
        }
        try opened.withLock { $0 }?.get()
    }

    /// Shows a frame in the window, or replaces one that has not been shown yet. While the display is lost, the frame is
    /// discarded.
    ///
    /// - Throws: `PlaybackError` with the code `.displayUnavailable` if the window has been closed or cannot be drawn to.
    public func present(_ frame: VideoFrame) throws(PlaybackError) {
        guard stage.withLock({ $0 == .open }), let thread = thread.withLock({ $0 }),
            try content.enqueue(frame)
        else { return }
        thread.perform { [content] system in system.show(content, at: .now()) }
    }

    /// Closes the window asynchronously; see `closed()`.
    public func finish() { close() }

    private func close() {
        let wasOpen = stage.withLock { stage in
            defer { stage = .finished }
            return stage == .open
        }
        guard wasOpen, let thread = thread.withLock({ $0 }) else { return }
        thread.perform { [content] system in system.close(content) }
    }

    private static func startedThread() throws(PlaybackError) -> WindowThread {
        let thread = try WindowThread.shared.get()
        try thread.start()
        return thread
    }

    /// Performs an operation on the window, if there is one.
    private func withWindow(_ body: @escaping @Sendable (Window) -> Void) {
        thread.withLock { $0 }?.perform { [content] system in system.window(of: content).map(body) }
    }
}
