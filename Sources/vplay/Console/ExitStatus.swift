import Glibc

/// How the process ends.
enum ExitStatus: Sendable {
    case success
    /// Something could not be played, or an output could not be written.
    case failure
    case interrupted
    case terminated
    /// By another signal that ends a process.
    case signalled(Int32)
    /// Whoever read our output is gone.
    case closedPipe

    var code: Int32 {
        switch self {
        case .success: 0
        case .failure: 1
        case .interrupted: 128 + SIGINT
        case .terminated: 128 + SIGTERM
        case .signalled(let number): 128 + number
        case .closedPipe: 128 + SIGPIPE
        }
    }

    /// Ends the process. The terminal is given back as it was found.
    func exitNow() -> Never {
        Console.shared.clearStatus()
        TerminalMode.restore()
        if case .closedPipe = self {
            // Dies of the signal, as `cat` does, so that a shell sees the same.
            signal(SIGPIPE, SIG_DFL)
            raise(SIGPIPE)
        }
        leave()
    }

    /// Everything has been finished and written. What a hundred libraries would still do takes a few milliseconds of a
    /// short run, and changes nothing.
    private func leave() -> Never {
        fflush(nil)
        #if DEBUG
            // Sanitizers report on the way out.
            exit(code)
        #else
            _exit(code)
        #endif
    }

    /// Without any clean-up but the terminal's: something hangs, or the user insists.
    func exitAtOnce() -> Never {
        TerminalMode.restore()
        _exit(code)
    }
}
