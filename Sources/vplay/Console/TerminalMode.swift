import Glibc
import Synchronization

/// Makes the terminal hand over keys as they are pressed, and puts it back.
enum TerminalMode {
    /// Each property is zero at first, and there is no optional: with -O, Swift 6.3.1 initializes a static `Mutex` with zeros if
    /// its struct holds an optional of a large struct, such as `termios?`, beside another property, and zeros read as a mode
    /// that has been found. Tests/check-static-mutex.sh reports whether a compiler has this fault.
    private struct State {
        /// As the terminal was found; valid if `isChanged`.
        var found = termios()
        var isChanged = false
        /// Somebody reads keys.
        var isWanted = false
    }
    private static let state = Mutex(State())

    static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// False while the shell has put us into the background: then the terminal is another's, and whoever changes
    /// it is stopped.
    static func isForeground(_ descriptor: Int32 = STDIN_FILENO) -> Bool {
        let group = tcgetpgrp(descriptor)
        return group < 0 || group == getpgrp()
    }

    /// From now on, as long as the terminal is ours. False where standard input is no terminal.
    static func readKeys() -> Bool {
        guard isatty(STDIN_FILENO) == 1 else { return false }
        state.withLock { $0.isWanted = true }
        refresh()
        return true
    }

    /// A shell may have put it back meanwhile, when it stopped us and went on with us.
    static func refresh() {
        state.withLock { state in
            guard state.isWanted, isForeground() else { return }
            var mode = termios()
            guard tcgetattr(STDIN_FILENO, &mode) == 0 else { return }
            guard mode.c_lflag & tcflag_t(ICANON | ECHO) != 0 else { return }
            state.found = mode
            state.isChanged = true
            // Lines and echo off; signals (^C) stay what they are.
            mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
            tcsetattr(STDIN_FILENO, TCSANOW, &mode)
        }
    }

    /// Until keys are read again, and the screen of pictures until it is shown again. Any number of times, from any
    /// thread.
    static func restore() {
        PictureScreen.giveBack()
        ChoiceScreen.giveBack()
        state.withLock { state in
            state.isWanted = false
            putBack(&state)
        }
    }

    private static func putBack(_ state: inout State) {
        guard state.isChanged, isForeground() else { return }
        tcsetattr(STDIN_FILENO, TCSANOW, &state.found)
        state.isChanged = false
    }

    /// Columns of the terminal behind standard error; 80 where nobody knows.
    static var columns: Int {
        var size = winsize()
        let answer = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size)
        return answer == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }
}
