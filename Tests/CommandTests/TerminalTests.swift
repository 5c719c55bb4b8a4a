import Foundation
import Testing

/// Keys and the status line, on a terminal.
@Suite("Terminal", .enabled(if: Media.isMade && Terminal.isThere))
struct TerminalTests {
    @Test("The status line shows the input, its position in the list, and the paused state")
    func statusLine() async throws {
        let outcome = try await Terminal.run(
            """
            start('--muted', '--loop', sys.argv[1], sys.argv[2])
            until(r'1\\.0x dropped \\d+ +1/2 clip-h264-aac\\.mp4')
            press(' '); until('paused')
            press(' '); until(r'1\\.0x dropped')
            press('[')
            until('speed 0.91x')
            press('m'); until('not muted')
            press('m'); until('muted')
            press('9'); until('volume 95%, muted')
            press('0'); until('volume 100%, muted')
            press('l'); until('loop off')
            press('l'); until('loop on')
            press('?'); until('previous, next input')
            press('>'); until('2/2 video-only.mp4')
            press('<'); until('1/2 clip')
            press('<'); until('2/2 video-only.mp4')
            press('q')
            print(ends(), mode())
            """,
            Media.clip,
            Media.silent
        )
        #expect(outcome.lines == ["0 cooked"], "\(outcome.errors)")
    }

    @Test("Playback ends after the last input if a key switches repeating off while it plays")
    func loopOff() async throws {
        let outcome = try await Terminal.run(
            """
            # The inputs are slow, so that the last one does not end before the key is pressed.
            start('--muted', '--loop', '--rate', '0.5', sys.argv[1], sys.argv[2])
            until('1/2 clip')
            press('>'); until(r'00:01 / [^\\r]*2/2 video-only')
            press('l'); until('loop off')
            print(ends(), mode(), b'1/2 clip' in seen)
            """,
            Media.clip,
            Media.silent
        )
        #expect(outcome.lines == ["0 cooked False"], "\(outcome.errors)")
    }

    @Test("During an interruption the status line shows the file that interrupts")
    func statusLineOfInterruption() async throws {
        let outcome = try await Terminal.run(
            """
            import socket, tempfile
            folder = tempfile.mkdtemp()
            path = folder + '/socket'
            start('--muted', '--loop', '--input-ipc-server', path, sys.argv[1])
            until(r'dropped \\d+ +clip-h264-aac\\.mp4')
            remote = socket.socket(socket.AF_UNIX)
            remote.connect(path)
            # It is slow, so that it does not end before the line is updated.
            remote.sendall(f"set speed 0.25; loadfile '{sys.argv[2]}' interrupt\\n".encode())
            until(r'dropped \\d+ +video-only\\.mp4')
            remote.sendall(b'set speed 1\\n')
            until(r'dropped \\d+ +clip-h264-aac\\.mp4')
            press('q')
            print(ends(), mode())
            os.rmdir(folder)
            """,
            Media.clip,
            Media.silent
        )
        #expect(outcome.lines == ["0 cooked"], "\(outcome.errors)")
    }

    @Test("Keys work at the ends of the list and for long seeks, and unknown keys have no effect")
    func otherKeys() async throws {
        let outcome = try await Terminal.run(
            """
            start('--muted', '--loop', '--rate', '0.25', sys.argv[1])
            until(r'0\\.25x dropped')
            press('\\x1b[20~'); press('l'); until('loop off')
            press('l'); until('loop on')
            if b'volume' in seen: fail('F9 is a key')
            press('>'); until('this is the last input')
            press('<'); until('this is the first input')
            press(' '); until('paused')
            press('\\x1b[C'); until('00:03 / 00:03')
            press('\\x1b[B'); until('00:00 / 00:03')
            press('\\x1b[5~'); until('00:03 / 00:03')
            press('\\x1b[6~'); until('00:00 / 00:03')
            press('\\x1b[A'); until('00:03 / 00:03')
            press('q')
            print(ends(), mode())
            """,
            Media.clip
        )
        #expect(outcome.lines == ["0 cooked"], "\(outcome.errors)")
    }

    @Test("Keys are read if standard error is redirected, but not if standard output is redirected, too")
    func redirectedErrors() async throws {
        let errors = Media.temporary("errors.txt")
        defer { unlink(errors.path) }
        let outcome = try await Terminal.run(
            """
            line = 'exec "$0" --muted --loop "$1" 2>"$2"'
            start(command=['bash', '-c', line, vplay, sys.argv[1], sys.argv[2]])
            awaitMode('raw')
            press('q')
            print(ends(), mode(), b'dropped' in seen + open(sys.argv[2], 'rb').read())
            line = '"$0" --muted --loop --events text "$1" 2>&1 | cat'
            start(command=['bash', '-c', line, vplay, sys.argv[1]])
            until('status=playing')
            print(mode())
            press('\\x03')
            ends()
            """,
            Media.clip,
            errors.path
        )
        #expect(outcome.lines == ["0 cooked False", "cooked"], "\(outcome.text) \(outcome.errors)")
    }

    @Test("A terminal that cannot erase a line gets no status line and no escape sequences")
    func dumbTerminal() async throws {
        let outcome = try await Terminal.run(
            """
            os.environ['TERM'] = 'dumb'
            start('--muted', '--start', '2', '--events', 'text', sys.argv[1])
            until(r'status=playing[\\s\\S]*status=paused', forget=False)
            print(ends(), mode(), b'\\x1b' in seen or b'dropped' in seen)
            """,
            Media.clip
        )
        #expect(outcome.lines == ["0 cooked False"], "\(outcome.text)")
    }

    @Test("A key removes the notice about the key before it")
    func outdatedNotice() async throws {
        let outcome = try await Terminal.run(
            """
            start('--muted', '--pause', '--video', 'null', sys.argv[1])
            until('paused dropped')
            press('>'); until('this is the last input')
            # The first line after a key may have been made before it.
            for _ in range(2):
                press('?'); until('full screen')
                line = until(r'\\r\\x1b\\[J([^\\r]*dropped[^\\r]*)\\r').group(1)
            if b'this is the last input' in line: fail('the notice is outdated')
            press('q')
            print(ends(), mode())
            """,
            Media.clip
        )
        #expect(outcome.lines == ["0 cooked"], "\(outcome.text)")
    }

    @Test("The reason why a frame is not saved has a line of its own")
    func unsavedFrame() async throws {
        let outcome = try await Terminal.run(
            """
            # No user can create a file there.
            os.chdir('/proc')
            start('--muted', '--pause', '--video', 'null', '--events', 'text', sys.argv[1], columns=80)
            until('isReadyForDisplay=true'); until('paused dropped')
            press('s')
            until(r'vplay: frame not saved: cannot create clip-h264-aac-0001\\.png: [A-Z][a-z ]+\\r\\n')
            press('q')
            print(ends(), mode())
            """,
            Media.clip
        )
        #expect(outcome.lines == ["0 cooked"], "\(outcome.text)")
    }

    @Test("Events and the status line do not overlap")
    func eventsBesides() async throws {
        let outcome = try await Terminal.run(
            """
            start('--muted', '--events', 'text', '--repeat', '2', sys.argv[1])
            until(r'passEnded[\\s\\S]*timeControlStatusChanged[^\\n]*paused', forget=False)
            status = ends()
            # As a terminal shows it: a return goes to the first column, the erasure clears from there on.
            for row in seen.decode().split('\\n'):
                shown = ''
                column = 0
                for part in re.split('(\\r|\\x1b\\\\[J)', row):
                    if part == '\\r': column = 0
                    elif part == '\\x1b[J': shown = shown[:column]
                    else:
                        shown = shown[:column] + part + shown[column + len(part):]
                        column += len(part)
                if shown.startswith('vplay: no display: '): continue
                if not shown or re.fullmatch(r'[-0-9.]+ [A-Za-z]+( .*)?', shown) and 'dropped' not in shown: continue
                fail(shown)
            print(status, mode())
            """,
            Media.clip
        )
        #expect(outcome.lines == ["0 cooked"], "\(outcome.text) \(outcome.errors)")
    }

    @Test("In a narrower terminal the status line fits and is erased completely")
    func narrowed() async throws {
        let outcome = try await Terminal.run(
            """
            # It is paused from the start, so that the line does not change until the resize.
            start('--muted', '--loop', '--pause', '--video', 'null', sys.argv[1], columns=100)
            until(r'00:00 / 00:03 [^\\r]*paused[^\\r]*clip-h264-aac\\.mp4\\r')
            resize(40)
            line = until('\\r\\x1b\\\\[J([^\\r]*)\\r').group(1)
            if len(line.decode()) > 39: fail(line)
            press('q')
            print(ends(), mode())
            """,
            Media.clip
        )
        #expect(outcome.lines == ["0 cooked"], "\(outcome.text)")
    }

    @Test("^Z restores the terminal, and keys are read again after the process continues")
    func stopped() async throws {
        let outcome = try await Terminal.run(
            """
            start('--muted', '--loop', sys.argv[1])
            until('1.0x dropped')
            for _ in range(2):
                press('\\x1a')
                awaitStop()
                print(mode())
                os.kill(child, signal.SIGCONT)
                awaitMode('raw')
                seen = b''
                until('1.0x dropped')
            press(' '); until('paused')
            press('q')
            print(ends(), mode())
            """,
            Media.clip
        )
        #expect(outcome.lines == ["cooked", "cooked", "0 cooked"], "\(outcome.errors)")
    }

    @Test("After ^Z, playback continues where it was, however long the process was stopped")
    func stoppedTime() async throws {
        let outcome = try await Terminal.run(
            """
            for _ in range(5):
                begin = time.monotonic()
                start('--audio', 'none', '--loop', '--rate', '0.25', '--events', 'text', sys.argv[1])
                until('status=playing')
                pressed = time.monotonic()
                press('\\x1a')
                awaitStop()
                stopped = time.monotonic()
                # If playback did not pause, it would be further than the time of the running process allows.
                time.sleep(1 + stopped - begin)
                continued = time.monotonic()
                os.kill(child, signal.SIGCONT)
                until('status=paused')
                position = float(until(r'([0-9.]+) timeControlStatusChanged [^\\n]*status=playing').group(1))
                running = stopped - begin + time.monotonic() - continued
                press('q')
                status = ends()
                # The process stops after a second even if the player has not paused by then.
                if stopped - pressed < 1: break
            print(status, position <= running / 4 or (position, running))
            """,
            Media.clip
        )
        #expect(outcome.lines == ["0 True"], "\(outcome.text) \(outcome.errors)")
    }

    @Test("In the background the terminal is not used; in the foreground it is used again")
    func background() async throws {
        let outcome = try await Terminal.run(
            """
            start(command=['bash', '--norc', '--noediting', '-i'])
            press('PS1="@@ "; stty -echo; echo rea""dy\\n'); until('ready'); until('@@ ')
            press("'" + vplay + "' --muted --loop '" + sys.argv[1] + "'\\n"); until('1.0x dropped')
            press('\\x1a'); until('Stopped')
            until('@@ '); press('bg\\n'); until('@@ ')
            press('echo m0""q; jobs\\n'); until('m0q'); until('Running')
            if b'dropped' in seen: fail('it writes from the background')
            until('@@ '); press('fg\\n'); until('1.0x dropped')
            press(' '); until('paused')
            press('q'); until('@@ '); press('echo en""ded $?\\n'); until('ended 0')
            press('exit\\n')
            print(ends())
            """,
            Media.clip
        )
        #expect(outcome.lines == ["0"], "\(outcome.text)")
    }

    @Test(
        "Signals that end the process restore the terminal, and files are complete",
        arguments: [SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGTERM, SIGINT]
    )
    func signals(number: Int32) async throws {
        let sound = Media.temporary("sound.wav")
        defer { unlink(sound.path) }
        let outcome = try await Terminal.run(
            """
            for _ in range(5):
                start('--loop', '--audio', 'wav:' + sys.argv[1], sys.argv[2])
                until('00:01 / 00:03')
                begin = time.monotonic()
                os.kill(child, int(sys.argv[3]))
                status = ends()
                # The file stays incomplete if a busy machine needs more than two seconds to complete it.
                if time.monotonic() - begin < 2: break
            print(status, mode())
            """,
            sound.path,
            Media.clip,
            "\(number)"
        )
        #expect(outcome.lines == ["\(128 + number) cooked"], "\(outcome.errors)")
        let bytes = try Data(contentsOf: sound)
        #expect(bytes.count > 44)
        #expect(bytes[40..<44].reversed().reduce(0) { $0 << 8 | Int($1) } == bytes.count - 44)
    }

    @Test("A closed terminal ends the process with a complete file, unless nohup is used")
    func hungUp() async throws {
        let sound = Media.temporary("sound.wav")
        defer { unlink(sound.path) }
        let outcome = try await Terminal.run(
            """
            for _ in range(5):
                start('--loop', '--audio', 'wav:' + sys.argv[1], sys.argv[2])
                until('00:01 / 00:03')
                begin = time.monotonic()
                os.close(fd)
                while True:
                    pid, status = os.waitpid(child, os.WNOHANG)
                    if pid or time.monotonic() > begin + 60: break
                    time.sleep(0.01)
                # The file stays incomplete if a busy machine needs more than two seconds to complete it.
                if not pid or time.monotonic() - begin < 2: break
            print(os.waitstatus_to_exitcode(status))
            start('--muted', '--loop', sys.argv[2], ignoring=signal.SIGHUP)
            until('1.0x dropped')
            os.kill(child, signal.SIGHUP)
            seen = b''
            press(' '); until('paused'); press('q')
            print(ends())
            """,
            sound.path,
            Media.clip
        )
        #expect(outcome.lines == ["129", "0"], "\(outcome.errors)")
        let bytes = try Data(contentsOf: sound)
        #expect(bytes[40..<44].reversed().reduce(0) { $0 << 8 | Int($1) } == bytes.count - 44)
    }
}
