internal import CSDL
internal import Dispatch
internal import MediaCore

/// The thread of all windows of the process, because SDL requires one thread for windows and their events.
///
/// It starts with the first window and does not end. Without a window it sleeps. With one it sleeps until an event, a
/// command or a frame arrives.
final class WindowThread: Sendable {
    /// A closure in a struct, because a bare closure in a generic container is wrapped again on each access.
    private struct Command {
        let body: @Sendable (WindowSystem) -> Void
    }

    private struct State {
        var commands: [Command] = []
        var isRunning = false
        /// Whether the thread waits for SDL's events instead of `idle`.
        var isWaitingForEvents = false
    }

    private static let thread = SharedLibrary { () throws(PlaybackError) in
        WindowThread(try SDLLibrary.shared.get())
    }

    static var shared: Result<WindowThread, PlaybackError> { thread.result }

    private let sdl: SDLLibrary
    private let state = Locked(State())
    private let idle = DispatchSemaphore(value: 0)
    /// The time for which the display stays open after its last window, because the next window often follows soon.
    private static let displayLingerTime = DispatchTimeInterval.seconds(5)

    private init(_ sdl: SDLLibrary) { self.sdl = sdl }

    /// Starts the thread if it is not running.
    ///
    /// - Throws: `PlaybackError` if the system has no thread.
    func start() throws(PlaybackError) {
        try state.withLock { state throws(PlaybackError) in
            guard !state.isRunning else { return }
            let code = DetachedThread.start("playhead.window") { [self] in run() }
            guard code == 0 else { throw .cannotShowFrames("no thread could be created") }
            state.isRunning = true
        }
    }

    /// Runs `body` on the thread, after earlier calls. It does not run before the thread is started.
    func perform(_ body: @escaping @Sendable (WindowSystem) -> Void) {
        state.withLock { state in
            state.commands.append(Command(body: body))
            guard state.isWaitingForEvents else {
                idle.signal()
                return
            }
            // The lock prevents SDL from being shut down meanwhile.
            var event = ph_sdl_event()
            event.type = UInt32(PH_SDL_USEREVENT)
            // The thread does not sleep while the queue is full.
            _ = ph_sdl_push(sdl.functions, &event)
        }
    }

    private func run() {
        let system = WindowSystem(sdl)
        while true {
            let (commands, mustClose) = state.withLock { state in
                let mustClose = system.mustCloseDisplay
                state.isWaitingForEvents = system.hasWindows && !mustClose
                defer { state.commands = [] }
                return (state.commands, mustClose)
            }
            // No other thread pushes an event now.
            if mustClose { system.closeDisplay(at: .now()) }
            system.finishClosing()
            for command in commands { command.body(system) }
            let hasTried = system.recover(at: .now())
            guard commands.isEmpty, !mustClose, !hasTried else { continue }
            if system.hasWindows {
                system.waitForEvents()
            } else if let due = system.nextAttempt {
                _ = idle.wait(timeout: due)
            } else if idle.wait(timeout: .now() + Self.displayLingerTime) == .timedOut {
                system.shutDown()
                idle.wait()
            }
        }
    }
}
