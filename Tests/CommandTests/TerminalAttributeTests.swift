import Foundation
import TestSupport
import Testing

/// The command leaves the terminal's attributes as it found them, byte for byte, whatever it did and however it ended.
///
/// Each test compares what the kernel reports of a real terminal (`TCGETS` and `TCGETS2`: all flags, the line
/// discipline, all control characters, both speeds) before the command starts and after it has ended. The terminal does
/// not have the default attributes, so that setting those is not mistaken for restoring.
@Suite("Terminal attributes", .enabled(if: Media.isMade && Terminal.isThere))
struct TerminalAttributeTests {
    /// When the script acts on the process.
    enum Ready {
        /// `text` (a regular expression) has been written, and where `isRaw` the terminal delivers keys as they are
        /// pressed.
        case written(_ text: String, isRaw: Bool)
        /// The process has opened its input, a FIFO without a writer until then. The script holds it open.
        case opened
    }

    struct Use: CustomTestStringConvertible {
        let testDescription: String
        /// `FIFO`, `FOLDER` and `FILE` stand for an input that never has data, a folder of media and a file to write.
        let arguments: [String]
        let ready: Ready

        init(_ name: String, _ arguments: [String], _ ready: Ready) {
            testDescription = name
            self.arguments = arguments
            self.ready = ready
        }
    }

    enum End: String, CaseIterable {
        case key = "q"
        case interrupt = "INT"
        case terminate = "TERM"
        case hangUp = "HUP"
        case quit = "QUIT"
        /// Stopped and continued, twice; after that ended by SIGTERM.
        case stop = "TSTP"
    }

    private static let playing = Ready.written("1\\.0x dropped", isRaw: true)

    /// Commands that read keys.
    static let interactive = [
        Use("play", ["play", "--muted", "--loop", Media.clip], playing),
        Use("implicit play", ["--muted", "--loop", Media.clip], playing),
        Use(
            "play --video terminal",
            ["play", "--muted", "--loop", "--video", "terminal", Media.clip],
            .written("\\x1b\\[\\?1049h[\\s\\S]*1\\.0x dropped", isRaw: true)
        ),
        Use("pick", ["pick", "FOLDER"], .written("\\x1b\\[\\?1049h[\\s\\S]* 1/2 ", isRaw: true)),
        Use("record", ["record", "--test", "--output", "FILE.mp4"], .written("recording ", isRaw: true)),
    ]

    /// Commands that read no keys.
    static let silent = [
        Use("play of a pipe", ["play", "FIFO"], .opened),
        Use("play --quiet", ["play", "--quiet", "FIFO"], .opened),
        Use("implicit play --quiet", ["--quiet", "FIFO"], .opened),
        Use("probe", ["probe", "FIFO"], .opened),
        Use("probe --json", ["probe", "--json", "FIFO"], .opened),
        Use("frames", ["frames", "FIFO", "--size", "32x18", "--output", "FILE.npy"], .opened),
        Use("bench", ["bench", "FIFO"], .opened),
    ]

    @Test("A command that reads keys restores the terminal", arguments: interactive, End.allCases)
    func readsKeys(_ use: Use, _ end: End) async throws {
        let outcome = try await Self.run(use.arguments, use.ready, end.rawValue)
        #expect(outcome.lines == ["the same"], "\(outcome.text)\(outcome.errors)")
    }

    @Test(
        "A command that reads no keys restores the terminal",
        arguments: silent,
        End.allCases.filter { $0 != .key }
    )
    func readsNoKeys(_ use: Use, _ end: End) async throws {
        let outcome = try await Self.run(use.arguments, use.ready, end.rawValue)
        #expect(outcome.lines == ["the same"], "\(outcome.text)\(outcome.errors)")
    }

    @Test("A command that reads no keys and has an empty input restores the terminal", arguments: silent)
    func emptyPipe(_ use: Use) async throws {
        let outcome = try await Self.run(use.arguments, use.ready, "EOF")
        #expect(outcome.lines == ["the same"], "\(outcome.text)\(outcome.errors)")
    }

    /// Arguments and exit status.
    static let finite: [(String, Int)] = [
        // The end of the media.
        ("play --muted --start 2.8 CLIP", 0), ("--muted --start 2.8 CLIP", 0),
        ("--muted --start 2.8 --video terminal CLIP", 0), ("--quiet --muted --start 2.8 CLIP", 0),
        ("--untimed --muted --events json CLIP", 0), ("--untimed --muted --stats CLIP", 0),
        ("probe CLIP", 0), ("probe --json CLIP", 0), ("snapshot CLIP --at 1 --output FILE.png", 0),
        ("frames CLIP --count 2 --output FILE.npy", 0), ("bench CLIP", 0), ("bench --json CLIP", 0),
        ("pick --list FOLDER", 0), ("record --test --untimed --frames 3 --output FILE.mp4", 0),
        ("record --quiet --test --untimed --frames 3 --output FILE.mp4", 0),
        // Broken input.
        ("play BROKEN", 1), ("BROKEN", 1), ("--quiet BROKEN", 1), ("probe BROKEN", 1),
        ("snapshot BROKEN --at 1 --output FILE.png", 1), ("frames BROKEN --output FILE.npy", 1),
        ("bench BROKEN", 1), ("pick --list BROKEN", 1), ("pick BROKEN", 1),
        // Missing input.
        ("play MISSING", 1), ("MISSING", 1), ("--quiet MISSING", 1), ("probe MISSING", 1),
        ("snapshot MISSING --at 1 --output FILE.png", 1), ("frames MISSING --output FILE.npy", 1),
        ("bench MISSING", 1), ("pick MISSING", 1), ("pick --list MISSING", 1),
        ("record --device MISSING --output FILE.mp4", 1), ("record --test --output MISSING/a.mp4", 1),
        // Wrong usage.
        ("", 64), ("--no-such-option", 64), ("play --no-such-option CLIP", 64),
        ("probe --no-such-option CLIP", 64),
        ("snapshot --no-such-option CLIP", 64), ("frames --no-such-option CLIP", 64),
        ("bench --no-such-option CLIP", 64), ("pick --no-such-option", 64),
        ("record --no-such-option", 64), ("play --volume 200 CLIP", 64), ("record --output FILE.txt", 64),
        // Help.
        ("--help", 0), ("help", 0), ("--version", 0), ("play --help", 0), ("probe --help", 0),
        ("snapshot --help", 0), ("frames --help", 0),
        ("bench --help", 0), ("pick --help", 0), ("record --help", 0), ("help probe", 0),
        ("--generate-completion-script bash", 0), ("--generate-completion-script zsh", 0),
        ("--generate-completion-script fish", 0),
    ]

    @Test("A command that ends without a key or a signal restores the terminal", arguments: finite)
    func endsByItself(_ line: String, _ status: Int) async throws {
        let arguments = line.split(separator: " ").map { word -> String in
            switch word {
            case "CLIP": Media.clip
            case "BROKEN": Media.fixture("broken-text.mp4")
            case "MISSING": "/nonexistent/playhead"
            default: String(word).replacing("MISSING/", with: "/nonexistent/playhead/")
            }
        }
        let outcome = try await Self.run(arguments, nil, "none")
        #expect(outcome.lines == ["the same"], "\(outcome.text)\(outcome.errors)")
        #expect(outcome.errors == "\(status)\n")
    }

    @Test("Return, ^C and ^\\ in the picker restore the terminal", arguments: ["\r", "\u{3}", "\u{1C}"])
    func keys(_ key: String) async throws {
        let use = Self.interactive[3]
        let outcome = try await Self.run(use.arguments, use.ready, key)
        #expect(outcome.lines == ["the same"], "\(outcome.text)\(outcome.errors)")
    }

    private static func run(_ arguments: [String], _ ready: Ready?, _ end: String) async throws -> Outcome {
        let folder = try TemporaryFolder()
        let media = folder.url.appendingPathComponent("media")
        try FileManager.default.createDirectory(at: media, withIntermediateDirectories: false)
        for name in ["clip-h264-aac.mp4", "video-only.mp4"] {
            try FileManager.default.copyItem(
                atPath: Media.fixture(name),
                toPath: media.appendingPathComponent(name).path
            )
        }
        let words = arguments.map { word -> String in
            word == "FIFO"
                ? folder.path("fifo")
                : word == "FOLDER" ? media.path : word.replacing("FILE", with: folder.path("out"))
        }
        let (condition, isRaw) =
            switch ready {
            case nil: ("", false)
            case .written(let text, let isRaw): (text, isRaw)
            case .opened: ("opened", false)
            }
        let outcome = try await Terminal.run(
            script,
            [folder.path("fifo"), condition, isRaw ? "raw" : "", end] + words
        )
        withExtendedLifetime(folder) {}
        return outcome
    }

    /// The script is a shell with job control: it leads the session, and the command is a job in the foreground.
    private static let script = """
        fifo, ready, isRaw, end, *arguments = sys.argv[1:]
        if os.getpid() == os.getpgrp():
            worker = os.fork()
            if worker:
                sys.exit(os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]))
        os.setsid()
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        for number in (signal.SIGTTOU, signal.SIGTTIN, signal.SIGHUP): signal.signal(number, signal.SIG_IGN)
        os.environ.update(TERM='xterm-256color', COLORTERM='truecolor', LC_ALL='C.UTF-8')
        os.mkfifo(fifo)
        fd, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
        resize(100)

        initial = termios.tcgetattr(terminal)
        initial[0] |= termios.IXANY
        initial[1] |= termios.OCRNL
        initial[3] &= ~termios.ECHOKE
        initial[4] = initial[5] = termios.B9600
        initial[6][termios.VERASE] = b'\\x08'
        initial[6][termios.VMIN] = b'\\x03'
        initial[6][termios.VTIME] = b'\\x07'
        termios.tcsetattr(terminal, termios.TCSANOW, initial)
        TCGETS2 = 0x802C542A
        def attributes():
            return (fcntl.ioctl(fd, termios.TCGETS, bytes(36)) + fcntl.ioctl(fd, TCGETS2, bytes(44))).hex()
        def compare(place):
            found = attributes()
            if found == before: return
            print('FAILED', place + ':', found, 'instead of', before, repr(seen[-600:]))
            try: os.kill(child, signal.SIGKILL)
            except ProcessLookupError: pass
            sys.exit(1)
        before = attributes()

        child = os.fork()
        if child == 0:
            os.setpgid(0, 0)
            os.tcsetpgrp(terminal, os.getpid())
            for number in (signal.SIGTTOU, signal.SIGTTIN, signal.SIGHUP): signal.signal(number, signal.SIG_DFL)
            for number in range(3): os.dup2(terminal, number)
            os.closerange(3, 64)
            os.execv(vplay, [vplay, *arguments])
        writer = None
        if ready == 'opened':
            limit = time.monotonic() + 30
            while writer is None:
                # Fails until the command has opened its end.
                try: writer = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
                except OSError:
                    if time.monotonic() > limit: fail('it did not open its input')
                    more(time.monotonic() + 0.02)
        elif ready: until(ready, forget=False)
        if isRaw: awaitMode('raw')
        if end == 'TSTP':
            for _ in range(2):
                os.kill(child, signal.SIGTSTP)
                awaitStop()
                compare('stopped')
                os.kill(child, signal.SIGCONT)
                if isRaw: awaitMode('raw')
            os.kill(child, signal.SIGTERM)
        elif end == 'EOF': os.close(writer)
        elif end == 'none': pass
        elif hasattr(signal, 'SIG' + end): os.kill(child, getattr(signal, 'SIG' + end))
        else: press(end)
        status = ends()
        compare('ended with ' + str(status))
        print('the same')
        if end == 'none': print(status, file=sys.stderr)
        """
}
