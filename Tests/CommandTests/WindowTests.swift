import Foundation
import TestSupport
import Testing

/// `--video window` and `auto` on an X server, and the key that saves a picture.
@Suite("Window", .enabled(if: Media.isMade && Desktop.isThere))
struct WindowTests {
    @Test("A window shows colors, size and title, resizes while paused, and quits when closed")
    func follows() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Desktop.run(
            """
            # With room for the larger window: what lies outside the screen has no pixels.
            display(800, 800)
            clip = sys.argv[1] + '/quarters.y4m'
            writeQuarters(clip)
            start('--video', 'window', '--loop', clip)
            window()
            shows(quarters)
            print(size(), title())
            key('space'); until('paused')
            resizeWindow(320, 320)
            # As the layer makes it, to the last bit, and not as the window would stretch the old one.
            wanted = subprocess.run(
                [vplay, '--size', '320x320', '--video', 'raw:-', '--pixel-format', 'bgr0', '--frames', '1', clip],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
            rows = [[wanted[(y * 320 + x) * 4:][:3] for x in range(320)] for y in range(320)]
            shows(lambda picture: picture == rows, 'the layer in its new size')
            if not quarters(rows, top=40): fail('it is not laid in with bars')
            if rows[39][160] != bytes(3) or rows[280][160] != bytes(3): fail('the bars are not black')
            close()
            print(ends(), remaining())
            """,
            folder.path
        )
        #expect(outcome.lines == ["(160, 120) quarters.y4m", "0 []"], "\(outcome.text)")
    }

    @Test("The title names a file that interrupts, and then the interrupted one again")
    func interruption() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Desktop.run(
            """
            import json, socket
            display(640, 480)
            film, advert, address = (sys.argv[1] + name for name in ('/film.y4m', '/advert.y4m', '/socket'))
            writeQuarters(film)
            writeQuarters(advert, 25)
            start('--video', 'window', '--loop', '--input-ipc-server', address, film)
            window()
            client = socket.socket(socket.AF_UNIX)
            client.connect(address)
            def send(*words): client.sendall(json.dumps({'command': words}).encode() + b'\\n')
            # It is slow, so that it does not end before its title is read.
            send('set_property', 'speed', 0.05)
            send('loadfile', advert, 'interrupt')
            wait(lambda: title() == 'advert.y4m', 'the title is not that of the interruption')
            send('set_property', 'speed', 1)
            wait(lambda: title() == 'film.y4m', 'the title is not that of the interrupted file')
            close()
            print(ends())
            """,
            folder.path
        )
        #expect(outcome.lines == ["0"], "\(outcome.text)")
    }

    @Test("Keys in the window act like those of the terminal; s saves the frame; Escape quits")
    func keys() async throws {
        let folder = try TemporaryFolder()
        try folder.write("clip-h264-aac-0001.png", Data("mine".utf8))
        let outcome = try await Desktop.run(
            """
            display(640, 480)
            os.chdir(sys.argv[2])
            def awaitSeeks(count):
                wait(lambda: open('events').read().count(' seekCompleted ') >= count, 'a seek is not completed')
            start('--video', 'window', '--loop', '--muted', '--events', 'text', sys.argv[1], output='events')
            window()
            key('space'); until('paused')
            # The status line shows the target while the frame is still searched for.
            key('Right'); until('00:03 / 00:03'); awaitSeeks(1)
            key('Down'); until('00:00 / 00:03'); awaitSeeks(2)
            key('bracketleft'); until('speed 0.91x')
            key('m'); until('not muted')
            key('9'); until('volume 95%')
            key('l'); until('loop off')
            key('greater'); until('this is the last input')
            key('s'); until('clip-h264-aac-0002.png')
            key('Escape')
            print(ends(), mode())
            """,
            Media.clip,
            folder.path
        )
        #expect(outcome.lines == ["0 cooked"], "\(outcome.text)")
        #expect(try Data(contentsOf: folder.file("clip-h264-aac-0001.png")) == Data("mine".utf8))
        let still = folder.path("still.png")
        _ = try await Command.run("snapshot", Media.clip, "--at", "0", "-o", still)
        let saved = try Data(contentsOf: folder.file("clip-h264-aac-0002.png"))
        #expect(try saved == Data(contentsOf: URL(fileURLWithPath: still)))
    }

    @Test(
        "On a terminal with a display it is the default; where output goes elsewhere or time is none, it is not"
    )
    func automatic() async throws {
        let outcome = try await Desktop.run(
            """
            display(640, 480)
            start('--muted', '--loop', sys.argv[1])
            window()
            print(title(), size())
            press('q')
            print(ends())
            remaining()
            start('--muted', '--loop', sys.argv[1], output='/dev/null')
            until('1.0x dropped')
            print(children())
            press('q')
            print(ends())
            start('--muted', '--untimed', '--loop', sys.argv[1])
            until('1.0x dropped')
            print(children())
            press('q')
            print(ends())
            # A display that is gone.
            os.environ['DISPLAY'] = ':4711'
            start('--muted', '--repeat', '1', sys.argv[1])
            until('warning: cannot open a window: the display cannot be opened')
            until('1.0x dropped')
            print(ends())
            """,
            Media.clip
        )
        #expect(
            outcome.lines == ["clip-h264-aac.mp4 (320, 180)", "0", "[]", "0", "[]", "0", "0"],
            "\(outcome.text)"
        )
    }

    @Test(
        "--fullscreen fills the display; Escape leaves it first and quits then",
        arguments: ["--fullscreen", "-fs"]
    )
    func fullscreen(_ option: String) async throws {
        let outcome = try await Desktop.run(
            """
            display(640, 480)
            start('--video', 'window', '--loop', '--muted', sys.argv[2], sys.argv[1])
            window()
            wait(lambda: size() == (640, 480), 'it does not fill the display')
            key('Escape')
            wait(lambda: size() == (320, 180), 'it has not left full screen')
            key('Escape')
            print(ends())
            """,
            Media.clip,
            option
        )
        #expect(outcome.lines == ["0"], "\(outcome.text)")
    }

    @Test("--display selects a display; one that does not exist is an error with the number of those that do")
    func displays() async throws {
        let outcome = try await Desktop.run(
            """
            display(640, 480)
            for video in (['--video', 'window'], []):
                start(*video, '--display', '3', '--muted', sys.argv[1])
                until('vplay: cannot open a window: display 3 does not exist: there is 1 display, number 0')
                print(ends())
            start('--video', 'window', '--display', '0', '--fullscreen', '--loop', '--muted', sys.argv[1])
            window()
            wait(lambda: size() == (640, 480), 'it does not fill the display')
            press('q')
            print(ends())
            """,
            Media.clip
        )
        #expect(outcome.lines == ["1", "1", "0"], "\(outcome.text)")
    }

    @Test("Every due frame is shown, also with other sinks")
    func counted() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Desktop.run(
            """
            display(640, 480)
            start('--video', 'window', '--video', 'framemd5:' + sys.argv[2], '--frames', '20', '--stats', sys.argv[1])
            shown, replaced = until(r'window: frames shown (\\d+), dropped (\\d+)').groups()
            print(ends(), remaining(), int(shown) + int(replaced))
            """,
            Media.silent,
            folder.path("hashes")
        )
        #expect(outcome.lines == ["0 [] 20"], "\(outcome.text)")
        let hashes = try String(contentsOf: folder.file("hashes"), encoding: .utf8)
        #expect(Fixture.frameHashes(hashes).count == 20)
    }

    @Test("A signal closes the window and determines the exit status", arguments: [SIGINT, SIGTERM])
    func signals(number: Int32) async throws {
        let outcome = try await Desktop.run(
            """
            display(640, 480)
            start('--video', 'window', '--loop', '--muted', sys.argv[1])
            window()
            os.kill(child, int(sys.argv[2]))
            print(ends(), remaining())
            """,
            Media.clip,
            "\(number)"
        )
        #expect(outcome.lines == ["\(128 + number) []"], "\(outcome.text)")
    }
}

/// Where there is no display.
@Suite("No window", .enabled(if: Media.isMade))
struct NoWindowTests {
    @Test("A missing display is an error message and exit status 1")
    func noDisplay() async throws {
        let outcome = try await Command.run("--video", "window", "--audio", "null", Media.clip)
        #expect(outcome.status == 1)
        let reasons = [
            "vplay: cannot open a window: no display (neither DISPLAY nor WAYLAND_DISPLAY is set, and no screen is connected)",
            "vplay: cannot open a window: SDL2 is required: libSDL2-2.0.so.0 is not installed (Debian: libsdl2-2.0-0)",
        ]
        #expect(outcome.errorLines.count == 1)
        #expect(reasons.contains { outcome.errors.hasPrefix($0) }, "\(outcome.errors)")
    }

    @Test("A missing SDL2 is an error message and exit status 1")
    func noLibrary() async throws {
        let folder = try TemporaryFolder()
        try folder.write("libSDL2-2.0.so.0", Data("not a library".utf8))
        let outcome = try await Command.shell(
            #"LD_LIBRARY_PATH="$1" DISPLAY=:4711 "$vplay" --video window --audio null "$2""#,
            folder.path,
            Media.clip
        )
        #expect(outcome.status == 1)
        #expect(outcome.errorLines.count == 1)
        #expect(
            outcome.errors.hasPrefix(
                "vplay: cannot open a window: SDL2 is required: libSDL2-2.0.so.0 cannot be loaded ("
            )
        )
    }

    @Test(
        "The key s on a terminal saves the displayed frame to a new file",
        .enabled(if: Terminal.isThere)
    )
    func snapshot() async throws {
        let folder = try TemporaryFolder()
        let clip = folder.path("50%d of it.mp4")
        try FileManager.default.copyItem(atPath: Media.fixture("rotated-90.mp4"), toPath: clip)
        let outcome = try await Terminal.run(
            """
            os.chdir(sys.argv[1])
            # A notice is shown for two seconds, and a picture that is being saved for as long as that takes: the key is
            # pressed until what it does has been done.
            def pressUntil(isDone):
                limit = time.monotonic() + 30
                while not isDone():
                    press('s')
                    if time.monotonic() > limit: fail('s does nothing')
                    more(time.monotonic() + 0.1)
            def isSaved(name):
                if not os.path.exists(name): return False
                with open(name, 'rb') as file: return file.read().endswith(b'IEND\\xae\\x42\\x60\\x82')
            start('--video', 'null', '--loop', '--muted', '--events', 'text', sys.argv[2])
            until('1.0x dropped'); press(' '); until('paused')
            press('\\x1b[D'); until('seekCompleted [^\\n]*')
            pressUntil(lambda: isSaved('50%d of it-0001.png') and isSaved('50%d of it-0002.png'))
            if b'50%d of it-000' not in seen: until('50%d of it-000')
            press(' '); until('1.0x dropped')
            press('q')
            print(ends())
            start('--video', 'none', '--loop', sys.argv[3])
            until('1.0x dropped')
            pressUntil(lambda: b'no frame to save' in seen)
            press('q')
            print(ends())
            """,
            folder.path,
            clip,
            Media.clip
        )
        #expect(outcome.lines == ["0", "0"], "\(outcome.text)")
        let still = folder.path("still.png")
        _ = try await Command.run("snapshot", clip, "--at", "0", "-o", still)
        let wanted = try Data(contentsOf: URL(fileURLWithPath: still))
        for number in 1...2 {
            #expect(try Data(contentsOf: folder.file("50%d of it-000\(number).png")) == wanted)
        }
    }
}
