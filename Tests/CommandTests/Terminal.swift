import Foundation

/// A command on a terminal of its own, through Python's `pty`, which can make one a process's controlling
/// terminal.
enum Terminal {
    static let isThere = FileManager.default.isExecutableFile(atPath: "/usr/bin/env") && hasPython

    private static let hasPython = hasCommand("python3")

    static func hasCommand(_ name: String) -> Bool {
        let paths = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return paths.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
    }

    /// What draws pictures in characters.
    static let hasChafa: Bool = {
        guard let library = dlopen("libchafa.so.0", RTLD_NOW) else { return false }
        dlclose(library)
        return true
    }()

    /// Python: `tmux` sends a command to the server at `socket`; `see` waits until its screen is as wanted, and gives it.
    static let tmux = """
        import subprocess, shlex
        def tmux(*words):
            done = subprocess.run(['tmux', '-S', socket, '-f', '/dev/null', *words], capture_output=True, text=True)
            return done.stdout
        def see(wanted, *words):
            limit = time.monotonic() + 30
            while True:
                seen = tmux('capture-pane', '-p', *words)
                if wanted(seen): return seen
                if time.monotonic() > limit:
                    tmux('kill-server')
                    print('FAILED', seen)
                    sys.exit(1)
                time.sleep(0.02)
        """

    /// Runs `script`, Python with the functions below, with `$1` and so on as `arguments`. What it prints comes out.
    static func run(_ script: String, _ arguments: String...) async throws -> Outcome {
        try await run(script, arguments)
    }

    static func run(_ script: String, _ arguments: [String]) async throws -> Outcome {
        let file = Media.temporary("terminal.py")
        try (prelude + script + "\n").write(to: file, atomically: true, encoding: .utf8)
        defer { unlink(file.path) }
        let quoted = arguments.indices.map { "\"${\($0 + 1)}\"" }.joined(separator: " ")
        let line = "exec env VPLAY=\"$vplay\" python3 '\(file.path)' \(quoted)"
        return try await Command.shell(line, arguments)
    }

    /// `start(...)` starts the command; `until(text)` reads until it has written that, and fails after 30 s;
    /// `press(keys)`; `mode()` is "raw" or "cooked"; `ends()` is how the process ended.
    private static let prelude = """
        import os, pty, re, select, signal, struct, subprocess, sys, termios, time, fcntl
        vplay = os.environ['VPLAY']
        seen = b''
        def start(*arguments, output=None, columns=100, ignoring=None, command=None):
            global child, fd, seen
            seen = b''
            child, fd = pty.fork()
            if child == 0:
                # The size is set before the command reads it.
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
                if ignoring: signal.signal(ignoring, signal.SIG_IGN)
                if output:
                    out = os.open(output, os.O_WRONLY | os.O_CREAT)
                    os.dup2(out, 1)
                words = command or [vplay, *arguments]
                os.execvp(words[0], words)
        def resize(columns):
            fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
        def fail(words):
            print('FAILED', words, repr(seen[-600:]), mode())
            # The states of the processes, and the process group in the foreground.
            columns = ['ps', '-o', 'pid,pgid,tpgid,stat,wchan:20,args', '--sid', str(child)]
            print(subprocess.run(columns, capture_output=True, text=True).stdout)
            os.kill(child, signal.SIGKILL)
            sys.exit(1)
        def more(limit):
            global seen
            ready, _, _ = select.select([fd], [], [], max(0, limit - time.monotonic()))
            if not ready: return False
            try: data = os.read(fd, 65536)
            except OSError: data = b''
            seen += data
            return bool(data)
        def until(text, forget=True):
            global seen
            limit = time.monotonic() + 30
            pattern = re.compile(text.encode())
            while True:
                found = pattern.search(seen)
                if found:
                    if forget: seen = seen[found.end():]
                    return found
                if not more(limit): fail('waiting for ' + text)
        def press(keys): os.write(fd, keys.encode())
        def mode():
            flags = termios.tcgetattr(fd)[3]
            return 'cooked' if flags & termios.ICANON and flags & termios.ECHO else 'raw'
        def awaitMode(wanted):
            limit = time.monotonic() + 30
            while mode() != wanted:
                if time.monotonic() > limit: fail('the terminal is not ' + wanted)
                more(time.monotonic() + 0.02)
        def awaitStop():
            limit = time.monotonic() + 30
            while True:
                pid, status = os.waitpid(child, os.WNOHANG | os.WUNTRACED)
                if pid and os.WIFSTOPPED(status): return
                if pid or time.monotonic() > limit: fail('it did not stop')
                more(time.monotonic() + 0.02)
        def ends():
            limit = time.monotonic() + 30
            while True:
                pid, status = os.waitpid(child, os.WNOHANG)
                if pid: return os.waitstatus_to_exitcode(status)
                if time.monotonic() > limit: fail('it did not end')
                more(time.monotonic() + 0.02)

        """
}
