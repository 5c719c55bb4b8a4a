import Foundation
import TestSupport
import Testing

/// The sink `--video terminal` on a terminal.
@Suite("Frames in a terminal", .enabled(if: Media.isMade && Terminal.isThere && Terminal.hasChafa))
struct PictureTests {
    /// Python functions: `play(...)` starts the command in a known terminal, `pictures(columns)` reads until a frame
    /// fills all but the last row, and `left()` reads until the screen is restored and returns the following output.
    private static let prelude = """
        for name in ('TMUX', 'STY', 'NO_COLOR', 'KITTY_WINDOW_ID', 'TERM_PROGRAM', 'LC_TERMINAL'): os.environ.pop(name, None)
        # Dispatch blocks signals on its threads, and who is started from one inherits that: tmux ends itself by one.
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        os.environ.update(TERM='xterm-256color', COLORTERM='truecolor', LC_ALL='C.UTF-8')
        def play(*arguments, **others):
            start('--muted', '--video', 'terminal', *arguments, **others)
            until(r'\\x1b\\[\\?1049h\\x1b\\[\\?25l')
        def pictures(columns):
            while True:
                update = until(r'\\x1b\\[\\?2026h(.*?)\\x1b\\[\\?2026l').group(1).decode()
                rows = re.split(r'\\x1b\\[\\d+;\\d+H', update)[1:]
                widths = {len(re.sub(r'\\x1b\\[[0-9;]*[mK]', '', row)) for row in rows[:23]}
                if len(rows) >= 23 and widths == {columns}: return
        def left():
            until(r'\\x1b\\[\\?25h\\x1b\\[\\?1049l')

        """

    private func run(_ script: String, _ arguments: String...) async throws -> Outcome {
        try await Terminal.run(Self.prelude + script, arguments)
    }

    @Test(
        "The screen is restored after q, signals, the end and the failure of another sink; messages follow it"
    )
    func endings() async throws {
        let outcome = try await run(
            """
            def end(how):
                # It plays in real time and slowly; otherwise it may end before the first frame has been drawn.
                if how == 'end': play('--start', '2', '--rate', '0.25', sys.argv[1])
                elif how == 'full':
                    # The sink may fail before or after the first frame.
                    start('--muted', '--video', 'terminal', '--video', 'y4m:/dev/full', sys.argv[1])
                    status = ends()
                    while more(time.monotonic() + 30): pass
                    shell = re.sub(rb'\\x1b\\[\\?1049h.*?\\x1b\\[\\?1049l', b'', seen, flags=re.DOTALL).decode()
                    print(how, status, mode(), re.search('vplay: [ -~]*', shell).group(0))
                    return
                else: play('--loop', sys.argv[1])
                pictures(100)
                if how == 'q': press('q')
                elif how.isdigit(): os.kill(child, int(how))
                left()
                status = ends()
                if seen: fail('after the end')
                print(how, status, mode())
            for how in ('q', 'end', 'full', '1', '2', '15', '3'): end(how)
            """,
            Media.silent
        )
        let full = "vplay: cannot write to /dev/full: No space left on device"
        #expect(
            outcome.lines == [
                "q 0 cooked", "end 0 cooked", "full 1 cooked \(full)", "1 129 cooked", "2 130 cooked",
                "15 143 cooked",
                "3 -3 cooked",
            ],
            "\(outcome.text)"
        )
    }

    @Test("The status line and keys work below frames, and the list of keys replaces them until the next key")
    func keys() async throws {
        let outcome = try await run(
            """
            play('--loop', sys.argv[1])
            pictures(100)
            until(r'\\x1b\\[24;1H\\x1b\\[0m00:0\\d / 00:03 \\[[=> ]+\\] 1.0x dropped \\d+ +video-only.mp4\\x1b\\[K')
            press(' '); until(r'\\x1b\\[24;1H\\x1b\\[0m[^\\x1b]*paused')
            press('?'); left(); until('previous, next input')
            press('m'); until(r'\\x1b\\[\\?1049h'); pictures(100)
            press('q'); left()
            print(ends(), mode())
            """,
            Media.silent
        )
        #expect(outcome.lines == ["0 cooked"], "\(outcome.text)")
    }

    @Test("A frame fills a new terminal size while paused")
    func resized() async throws {
        let outcome = try await run(
            """
            play('--loop', sys.argv[1])
            pictures(100)
            press(' '); until('paused')
            resize(40)
            until(r'\\x1b\\[2J', forget=False)
            pictures(40)
            press('q'); left()
            print(ends(), mode())
            """,
            Media.silent
        )
        #expect(outcome.lines == ["0 cooked"], "\(outcome.text)")
    }

    @Test(
        "^Z restores the screen, also without keys, and frames are shown again after the process continues"
    )
    func stopped() async throws {
        let outcome = try await run(
            """
            for arguments in ([], ['--quiet']):
                play('--loop', sys.argv[1], *arguments)
                until(r'\\x1b\\[\\?2026l')
                for _ in range(2):
                    press('\\x1a'); left(); awaitStop()
                    print(mode())
                    os.kill(child, signal.SIGCONT)
                    until(r'\\x1b\\[\\?1049h'); until(r'\\x1b\\[\\?2026l')
                awaitMode('raw')
                press('q'); left()
                print(ends(), mode())
            """,
            Media.silent
        )
        let once = ["cooked", "cooked", "0 cooked"]
        #expect(outcome.lines == once + once, "\(outcome.text)")
    }

    @Test("In the foreground again, frames are shown and keys are read, also without a status line")
    func foreground() async throws {
        let outcome = try await run(
            """
            start(command=['bash', '--norc', '--noediting', '-i'])
            press('PS1="@@ "; stty -echo; echo rea""dy\\n'); until('ready'); until('@@ ')
            press("'" + vplay + "' --quiet --muted --loop --video terminal '" + sys.argv[1] + "'\\n")
            until(r'\\x1b\\[\\?1049h'); until(r'\\x1b\\[\\?2026l')
            press('\\x1a'); left(); until('Stopped')
            until('@@ '); press('bg\\n'); until('@@ ')
            press('jobs\\n'); until('Running')
            until('@@ '); press('fg\\n'); until(r'\\x1b\\[\\?1049h'); until(r'\\x1b\\[\\?2026l')
            press('q'); left()
            until('@@ '); press('echo en""ded $?\\n'); until('ended 0')
            press('exit\\n')
            print(ends())
            """,
            Media.silent
        )
        #expect(outcome.lines == ["0"], "\(outcome.text)")
    }

    @Test("Messages to a file are written while frames are shown")
    func messagesInFile() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await run(
            """
            import socket
            control, log = sys.argv[1] + '/control', sys.argv[1] + '/log'
            line = 'exec "$0" --muted --loop --video terminal --input-ipc-server="$1" "$2" 2>"$3"'
            start(command=['bash', '-c', line, vplay, control, sys.argv[2], log])
            until(r'\\x1b\\[\\?1049h'); until(r'\\x1b\\[\\?2026l')
            client = socket.socket(socket.AF_UNIX)
            client.connect(control)
            client.sendall(b'{"command": ["loadfile", "/missing.mp4", "interrupt"]}\\n')
            limit = time.monotonic() + 30
            while b'vplay: /missing.mp4: ' not in open(log, 'rb').read():
                if time.monotonic() > limit: fail('the message is not written')
                more(time.monotonic() + 0.02)
            os.kill(child, signal.SIGTERM); left()
            print(ends())
            """,
            folder.path,
            Media.silent
        )
        #expect(outcome.lines == ["143"], "\(outcome.text)")
        withExtendedLifetime(folder) {}
    }

    @Test("A signal ends playback to a terminal that is not read, and the screen is restored")
    func unread() async throws {
        let outcome = try await run(
            """
            play('--loop', sys.argv[1])
            os.kill(child, signal.SIGSTOP); os.kill(child, signal.SIGCONT)
            os.kill(child, signal.SIGTERM)
            status = os.waitpid(child, 0)[1]
            left()
            print(os.waitstatus_to_exitcode(status), mode())
            """,
            Media.silent
        )
        #expect(outcome.lines == ["143 cooked"], "\(outcome.text)")
    }

    @Test("Standard output that is not a terminal is an error")
    func noTerminal() async throws {
        let outcome = try await Command.run("--video", "terminal", Media.silent)
        #expect(outcome.status == 1)
        #expect(outcome.errors == "vplay: standard output is not a terminal\n")
        #expect(outcome.output.isEmpty)
        let events = try await Command.run("--video", "terminal", "--events", "text", Media.silent)
        #expect(events.status == 64)
        let kind = try await Command.run("--video", "terminal:png", Media.silent)
        #expect(kind.status == 64)
        #expect(kind.errors.contains("--video terminal:png: expected one of kitty, iterm, sixel, symbols."))
    }

    @Test(
        "In tmux frames have colors and a status line, and the previous screen is restored",
        .enabled(if: Terminal.hasCommand("tmux"))
    )
    func tmux() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await run(
            """
            socket = sys.argv[2] + '/t'
            \(Terminal.tmux)
            def colors(rows): return sum(len(set(re.findall(r'[34]8;2;\\d+;\\d+;\\d+', row))) for row in rows)
            line = f"echo before; {shlex.quote(vplay)} --muted --loop --video terminal {shlex.quote(sys.argv[1])}; echo ended $?; cat"
            tmux('new-session', '-d', '-x', '60', '-y', '20', line)
            try:
                see(lambda text: '1.0x dropped' in text)
                tmux('send-keys', ' ')
                # The status line may be drawn before the first frame.
                def isShown(text):
                    rows = text.splitlines()
                    return 'paused' in text and len(rows) == 20 and colors(rows[:19]) > 100
                plain = [re.sub(r'\\x1b\\[[0-9;]*m', '', row) for row in see(isShown, '-e').splitlines()]
                print(len(plain), max(len(row) for row in plain[:19]), 'video-only.mp4' in plain[19])
                tmux('send-keys', 'q')
                text = see(lambda text: 'ended' in text)
                print(text.split())
            finally:
                tmux('kill-server')
            """,
            Media.silent,
            folder.path
        )
        withExtendedLifetime(folder) {}
        #expect(outcome.lines == ["20 60 True", "['before', 'ended', '0']"], "\(outcome.text)")
    }
}
