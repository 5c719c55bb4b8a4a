import Glibc
import Synchronization

/// Switches the terminal to delivering keys as they are pressed, and restores it.
enum TerminalMode {
    /// Each property is zero at first, and none is an optional: with -O, Swift 6.3.1 initializes a static `Mutex` with
    /// zeros if its struct holds an optional of a large struct, such as `termios?`, beside another property, and zeros
    /// read as a saved mode. Tests/check-static-mutex.sh reports whether a compiler has this fault.
    private struct State {
        /// The attributes to restore; valid if `isChanged`.
        var saved = termios()
        var isChanged = false
        /// Whether keys are being read.
        var isWanted = false
    }
    private static let state = Mutex(State())

    static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// Whether keys control playback. If all output goes elsewhere, its reader may read the keys, such as a pager.
    static var hasPlaybackKeys: Bool {
        isatty(STDIN_FILENO) == 1 && (isatty(STDOUT_FILENO) == 1 || isatty(STDERR_FILENO) == 1)
    }

    /// Returns false while the process is in the background. The terminal then belongs to another job, and a process
    /// that changes it is stopped.
    static func isForeground(_ descriptor: Int32 = STDIN_FILENO) -> Bool {
        let group = tcgetpgrp(descriptor)
        return group < 0 || group == getpgrp()
    }

    /// Delivers keys as they are pressed, while the process is in the foreground.
    ///
    /// - Returns: False if standard input is not a terminal.
    static func readKeys() -> Bool {
        guard isatty(STDIN_FILENO) == 1 else { return false }
        state.withLock { $0.isWanted = true }
        refresh()
        return true
    }

    /// Applies the mode again: a shell restores its own mode when it suspends and resumes the process.
    static func refresh() {
        state.withLock { state in
            guard state.isWanted, isForeground() else { return }
            var mode = termios()
            guard tcgetattr(STDIN_FILENO, &mode) == 0 else { return }
            guard mode.c_lflag & tcflag_t(ICANON | ECHO) != 0 else { return }
            state.saved = mode
            state.isChanged = true
            // Line editing and echo are switched off; signal keys (^C) keep their function.
            mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
            tcsetattr(STDIN_FILENO, TCSANOW, &mode)
        }
    }

    /// Restores the terminal's attributes and its screen. Keys can be read, and frames shown, again afterwards. May be
    /// called any number of times, from any thread.
    static func restore() {
        PictureScreen.restore()
        ChoiceScreen.restore()
        state.withLock { state in
            state.isWanted = false
            restoreAttributes(&state)
        }
    }

    private static func restoreAttributes(_ state: inout State) {
        guard state.isChanged, isForeground() else { return }
        tcsetattr(STDIN_FILENO, TCSANOW, &state.saved)
        state.isChanged = false
    }

    /// The number of columns of the terminal at standard error, or 80 if it is not known.
    static var columns: Int {
        var size = winsize()
        let answer = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size)
        return answer == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }
}
