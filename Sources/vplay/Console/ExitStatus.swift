import Glibc

/// The exit status of the process.
enum ExitStatus: Sendable {
    case success
    /// Something could not be played, or an output could not be written.
    case failure
    case interrupted
    case terminated
    /// Another signal ended the process.
    case signalled(Int32)
    /// A remote client asked for a status.
    case requested(Int32)
    /// The reader of the output closed the pipe.
    case closedPipe

    var code: Int32 {
        switch self {
        case .success: 0
        case .failure: 1
        case .interrupted: 128 + SIGINT
        case .terminated: 128 + SIGTERM
        case .signalled(let number): 128 + number
        case .requested(let code): code & 0xFF
        case .closedPipe: 128 + SIGPIPE
        }
    }

    /// Restores the terminal and ends the process.
    func exitNow() -> Never {
        Console.shared.clearStatus()
        TerminalMode.restore()
        Console.shared.finish()
        if case .closedPipe = self {
            // The process dies of the signal, so that a shell sees the same status as for `cat`.
            signal(SIGPIPE, SIG_DFL)
            raise(SIGPIPE)
        }
        leave()
    }

    /// Ends the process after all output is written. Release builds skip the exit handlers of libraries, which take a
    /// few milliseconds and have no effect.
    private func leave() -> Never {
        fflush(nil)
        #if DEBUG
            // Sanitizers report in exit handlers.
            exit(code)
        #else
            _exit(code)
        #endif
    }

    /// Ends the process after restoring only the terminal, because an output hangs or the user repeats the signal.
    func exitAtOnce() -> Never {
        TerminalMode.restore()
        _exit(code)
    }
}
