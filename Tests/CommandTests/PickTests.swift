import Foundation
import TestSupport
import Testing

// Rule: content-type, picker
/// The command `vplay pick`, and folders as inputs.
@Suite("Picker in the terminal", .enabled(if: Media.isMade))
struct PickTests {
    /// A folder of media with misleading names, in the order of the list.
    private static func makeFolder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let files = [
            ("clip10.mp4", "clip-h264-aac.mp4"), ("clip2.dat", "video-only.mp4"),
            ("song.mp4", "tone-44100.mp3"),
            (".hidden.mp4", "video-only.mp4"), ("text.mp4", "broken-text.mp4"),
            ("list.m3u8", "broken-playlist.mp4"),
        ]
        for (name, fixture) in files {
            try FileManager.default.copyItem(atPath: Fixture.path(fixture), toPath: folder.path(name))
        }
        try FileManager.default.createDirectory(
            atPath: folder.path("more.mp4"),
            withIntermediateDirectories: false
        )
        return folder
    }

    @Test("A folder plays in natural order, by the contents of its files, with its images")
    func folderPlays() async throws {
        let folder = try Self.makeFolder()
        let still = try await Command.run(
            "snapshot",
            Media.silent,
            "--at",
            "1",
            "-o",
            folder.path("clip1.png")
        )
        #expect(still.status == 0, "\(still.errors)")
        let outcome = try await Command.run(
            "--untimed",
            "--frames",
            "1",
            "--events",
            "text",
            "--audio",
            "none",
            "--video",
            "null",
            folder.path
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        let list = try await Command.run("--untimed", "--muted", "--events", "json", folder.path)
        // Events identify the files by index, so the contents identify them here.
        let tracks = list.lines.filter { $0.contains(#""event":"tracksChanged""#) }.map { line in
            line.matches(of: /"codec":"([^"]+)"/).map { String($0.1) }
        }
        #expect(tracks == [["png"], ["h264"], ["h264", "aac"], ["mp3"]], "\(list.errors)")
        withExtendedLifetime(folder) {}
    }

    @Test("--list prints paths by kind; choosing without a terminal is an error")
    func listed() async throws {
        let folder = try Self.makeFolder()
        let all = try await Command.run("pick", "--list", folder.path)
        #expect(all.status == 0)
        #expect(all.lines == ["clip2.dat", "clip10.mp4", "song.mp4"].map { folder.path($0) })
        let sounds = try await Command.run("pick", "--list", "--kind", "audio", folder.path)
        #expect(sounds.lines == [folder.path("song.mp4")])
        let none = try await Command.run("pick", "--list", "--kind", "image", folder.path)
        #expect(none.status == 1 && none.errors == "vplay: no media files to choose from\n")
        let nobody = try await Command.run("pick", folder.path)
        #expect(nobody.status == 1 && nobody.errors.contains("choosing needs a terminal"))
        #expect(nobody.output.isEmpty)
        let broken = try await Command.run("pick", "--list", Media.fixture("broken-text.mp4"))
        #expect(broken.status == 1 && broken.errors.contains("broken-text.mp4: "))
    }

    /// Python functions: `pick(...)` starts the picker, and `seen()` returns the rows that it shows.
    private static let prelude = """
        for name in ('TMUX', 'STY', 'NO_COLOR', 'KITTY_WINDOW_ID', 'TERM_PROGRAM', 'LC_TERMINAL'): os.environ.pop(name, None)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        os.environ.update(TERM='xterm-256color', COLORTERM='truecolor', LC_ALL='C.UTF-8')
        def pick(*arguments):
            start('pick', *arguments)
            until(r'\\x1b\\[\\?1049h\\x1b\\[\\?25l')
            until(' 1/3  video')
        def selected(name): until(r'\\x1b\\[7m ' + re.escape(name) + ' ')
        def left():
            until(r'\\x1b\\[\\?25h\\x1b\\[\\?1049l')

        """

    private func run(_ script: String, _ arguments: String...) async throws -> Outcome {
        try await Terminal.run(Self.prelude + script, arguments)
    }

    @Test(
        "Keys move and filter, Enter prints the path, and the screen is restored",
        .enabled(if: Terminal.isThere)
    )
    func chosen() async throws {
        let folder = try Self.makeFolder()
        let outcome = try await run(
            """
            pick(sys.argv[1])
            press('j'); selected('clip10.mp4')
            press('\\x1b[B'); selected('song.mp4'); until('3/3  audio')
            press('\\x1bOA'); selected('clip10.mp4')
            press('/DAT'); selected('clip2.dat'); until('/DAT  1/1')
            press('\\x1b'); until('1/3  video')
            press('\\t\\t'); selected('song.mp4'); until('1/1  audio only')
            press('\\r'); left(); until(re.escape(sys.argv[1]) + '/song.mp4')
            print(ends(), mode())
            """,
            folder.path
        )
        #expect(outcome.lines == ["0 cooked"], "\(outcome.text)")
        withExtendedLifetime(folder) {}
    }

    @Test("q, Escape, signals and ^C restore the screen", .enabled(if: Terminal.isThere))
    func endings() async throws {
        let folder = try Self.makeFolder()
        let outcome = try await run(
            """
            for how in ('q', 'escape', '^C', '15', '1'):
                pick(sys.argv[1])
                if how == 'q': press('q')
                elif how == 'escape': press('\\x1b')
                elif how == '^C': press('\\x03')
                else: os.kill(child, int(how))
                left()
                print(how, ends(), mode())
            pick(sys.argv[1])
            press('\\x1a'); left(); awaitStop(); print(mode())
            os.kill(child, signal.SIGCONT)
            until(r'\\x1b\\[\\?1049h'); awaitMode('raw')
            press('j'); selected('clip10.mp4')
            press('q'); left(); print(ends(), mode())
            """,
            folder.path
        )
        #expect(
            outcome.lines == [
                "q 1 cooked", "escape 1 cooked", "^C 130 cooked", "15 143 cooked", "1 129 cooked", "cooked",
                "1 cooked",
            ],
            "\(outcome.text)"
        )
        withExtendedLifetime(folder) {}
    }

    @Test("In the foreground again, the list is shown and keys are read", .enabled(if: Terminal.isThere))
    func foreground() async throws {
        let folder = try Self.makeFolder()
        let outcome = try await run(
            """
            start(command=['bash', '--norc', '--noediting', '-i'])
            press('PS1="@@ "; stty -echo; echo rea""dy\\n'); until('ready'); until('@@ ')
            press("'" + vplay + "' pick '" + sys.argv[1] + "'\\n"); until(r'\\x1b\\[\\?1049h')
            press('\\x1a'); left(); until('Stopped')
            until('@@ '); press('bg\\n'); until('@@ ')
            press('jobs\\n'); until('Running')
            until('@@ '); press('fg\\n'); until(r'\\x1b\\[\\?1049h')
            press('j'); selected('clip10.mp4')
            press('q'); left()
            until('@@ '); press('echo en""ded $?\\n'); until('ended 1')
            press('exit\\n')
            print(ends())
            """,
            folder.path
        )
        #expect(outcome.lines == ["0"], "\(outcome.text)")
        withExtendedLifetime(folder) {}
    }

    @Test("--play plays the chosen file", .enabled(if: Terminal.isThere))
    func played() async throws {
        let folder = try Self.makeFolder()
        // The file is long, so that it does not end before the key is pressed.
        let made = try await Command.shell(
            #"ffmpeg -nostdin -v error -y -stream_loop 9 -i "$1" -c copy -f mp4 "$2""#,
            Media.silent,
            folder.path("clip2.dat")
        )
        #expect(made.status == 0 && made.errors.isEmpty, "\(made.errors)")
        let outcome = try await run(
            """
            pick('--play', sys.argv[1])
            press('\\r'); left(); until('clip2.dat'); awaitMode('raw'); press('q')
            print(ends(), mode())
            """,
            folder.path
        )
        #expect(outcome.lines == ["0 cooked"], "\(outcome.text)")
        withExtendedLifetime(folder) {}
    }

    @Test(
        "In tmux names are on the left and a poster on the right; only the path remains",
        .enabled(if: Terminal.isThere && Terminal.hasCommand("tmux") && Terminal.hasChafa)
    )
    func tmux() async throws {
        let folder = try Self.makeFolder()
        let socket = try TemporaryFolder()
        let outcome = try await run(
            """
            socket = sys.argv[2] + '/t'
            \(Terminal.tmux)
            def colors(text): return len(set(re.findall(r'[34]8;2;\\d+;\\d+;\\d+', text)))
            line = f"echo before; chosen=$({shlex.quote(vplay)} pick {shlex.quote(sys.argv[1])}); echo chosen $? $(basename $chosen); cat"
            tmux('new-session', '-d', '-x', '80', '-y', '20', line)
            try:
                see(lambda text: colors(text) > 100, '-e')
                rows = see(lambda text: 'Enter chooses' in text).splitlines()
                print([row[:14].strip() for row in rows[:3]], rows[19].split('  ')[0].strip())
                tmux('send-keys', 'G')
                # Sound has no poster.
                see(lambda text: '3/3  audio' in text and colors(text) == 0, '-e')
                tmux('send-keys', 'k', 'Enter')
                print(see(lambda text: 'chosen' in text).split())
            finally:
                tmux('kill-server')
            """,
            folder.path,
            socket.path
        )
        withExtendedLifetime((folder, socket)) {}
        #expect(
            outcome.lines == [
                "['clip2.dat', 'clip10.mp4', 'song.mp4'] 1/3", "['before', 'chosen', '0', 'clip10.mp4']",
            ],
            "\(outcome.text)"
        )
    }
}
