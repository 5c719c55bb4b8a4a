internal import CSDL
internal import Dispatch
internal import MediaCore

/// The thread that all windows of the process live on: SDL wants its windows and their events on one.
///
/// It begins with the first window and stays. Without a window it sleeps; with one it sleeps until an event, a command
/// or a picture comes.
final class WindowThread: Sendable {
    /// In a struct: bare closures in generic containers are wrapped anew at each access.
    private struct Command {
        let body: @Sendable (WindowSystem) -> Void
    }

    private struct State {
        var commands: [Command] = []
        var isRunning = false
        /// It waits for SDL's events, and not for `idle`.
        var isWaitingForEvents = false
    }

    private static let thread = SharedLibrary { () throws(WindowError) in
        WindowThread(try SDLLibrary.shared.get())
    }

    static var shared: Result<WindowThread, WindowError> { thread.result }

    private let sdl: SDLLibrary
    private let state = Locked(State())
    private let idle = DispatchSemaphore(value: 0)
    /// How long the display stays open after its last window; the next one often comes soon.
    private static let displayLingerTime = DispatchTimeInterval.seconds(5)

    private init(_ sdl: SDLLibrary) { self.sdl = sdl }

    /// Begins it where it does not run yet. Throws where the system has no thread.
    func start() throws(WindowError) {
        try state.withLock { state throws(WindowError) in
            guard !state.isRunning else { return }
            let code = DetachedThread.start("playhead.window") { [self] in run() }
            guard code == 0 else { throw .refused("the system has no thread for it") }
            state.isRunning = true
        }
    }

    /// Runs `body` there, after what was asked before; not before it was started.
    func perform(_ body: @escaping @Sendable (WindowSystem) -> Void) {
        state.withLock { state in
            state.commands.append(Command(body: body))
            guard state.isWaitingForEvents else {
                idle.signal()
                return
            }
            // Under the lock: SDL is not shut down meanwhile.
            var event = ph_sdl_event()
            event.type = UInt32(PH_SDL_USEREVENT)
            // A full queue is none that anybody sleeps on.
            _ = ph_sdl_push(sdl.functions, &event)
        }
    }

    private func run() {
        let system = WindowSystem(sdl)
        while true {
            let commands = state.withLock { state in
                state.isWaitingForEvents = system.hasWindows
                defer { state.commands = [] }
                return state.commands
            }
            for command in commands { command.body(system) }
            guard commands.isEmpty else { continue }
            if system.hasWindows {
                system.waitForEvents()
            } else if idle.wait(timeout: .now() + Self.displayLingerTime) == .timedOut {
                system.shutDown()
                idle.wait()
            }
        }
    }
}
