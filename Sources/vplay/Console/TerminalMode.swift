import Glibc
import Synchronization

/// Makes the terminal hand over keys as they are pressed, and puts it back.
enum TerminalMode {
    private static let saved = Mutex<termios?>(nil)

    static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// False where standard input is no terminal.
    static func readKeys() -> Bool {
        saved.withLock { saved in
            var mode = termios()
            guard tcgetattr(STDIN_FILENO, &mode) == 0 else { return false }
            if saved == nil { saved = mode }
            // Lines and echo off; signals (^C) stay what they are.
            mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
            return tcsetattr(STDIN_FILENO, TCSANOW, &mode) == 0
        }
    }

    /// Any number of times, from any thread.
    static func restore() {
        saved.withLock { saved in
            guard var mode = saved else { return }
            tcsetattr(STDIN_FILENO, TCSANOW, &mode)
            saved = nil
        }
    }

    /// Columns of the terminal behind standard error; 80 where nobody knows.
    static var columns: Int {
        var size = winsize()
        let answer = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size)
        return answer == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }
}
