import Foundation
import TestSupport
import Testing

// Rule: recording
/// The command `vplay record` with the test pattern, because test machines have no camera.
@Suite("Recording with the command")
struct RecordTests {
    @Test("All frames of a recorded file play", .enabled(if: deviceLibraryIsThere))
    func plays() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path("clip.mp4")
        let made = try await Command.run(
            "record",
            "--test",
            "--untimed",
            "--size",
            "160x90",
            "--fps",
            "20",
            "--frames",
            "30",
            "-o",
            file
        )
        #expect(made.status == 0 && made.errors.isEmpty && made.output.isEmpty, "\(made.errors)")
        let played = try await Command.run("--untimed", "--video", "framemd5:-", file)
        #expect(played.status == 0)
        #expect(played.pictures.count == 30)
        let hashes = Set(played.pictures.compactMap { $0.split(separator: " ").last })
        #expect(hashes.count == 30)
        withExtendedLifetime(folder) {}
    }

    @Test(
        "After an interruption the file is complete, and no temporary file remains",
        .enabled(if: deviceLibraryIsThere)
    )
    func interrupted() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Command.shell(
            """
            cd "$1"
            for attempt in {1..5}; do
                rm -f clip.*
                "$vplay" record --test --size 160x90 -o clip.mkv & child=$!
                until grep -qs . clip.mkv.*.part; do :; done
                begin=${EPOCHREALTIME/[.,]/}
                kill -INT $child; wait $child; status=$?
                # The file stays incomplete if a busy machine needs more than two seconds to complete it.
                if [ $((${EPOCHREALTIME/[.,]/} - begin)) -lt 2000000 ]; then break; fi
            done
            echo $status
            ls
            "$vplay" --untimed --video framemd5:- clip.mkv | grep -c '^0'
            """,
            folder.path
        )
        #expect(outcome.lines.prefix(2) == ["130", "clip.mkv"], "\(outcome.text) \(outcome.errors)")
        #expect(outcome.lines.last.flatMap { Int($0) } ?? 0 > 0)
        withExtendedLifetime(folder) {}
    }

    @Test(
        "A signal before the first frame has its own status",
        .enabled(if: deviceLibraryIsThere),
        arguments: [("INT", "130"), ("TERM", "143")]
    )
    func interruptedAtOnce(signal: String, status: String) async throws {
        let folder = try TemporaryFolder()
        // The recorder waits for a reader of the pipe before it opens the source. The signal is handled on another
        // thread, which may run after the first frame.
        let outcome = try await Command.shell(
            """
            cd "$1"
            for attempt in {1..20}; do
                rm -f clip.mkv
                mkfifo clip.mkv
                "$vplay" record --test --size 160x90 -o clip.mkv 2> errors & child=$!
                until grep -qs playhead.record /proc/$child/task/*/comm; do :; done
                kill -$2 $child
                # The pipe has no writer if the command has ended already.
                timeout 60 cat clip.mkv > clip &
                wait $child; status=$?
                if [ -s errors ]; then break; fi
            done
            echo $status
            cat errors >&2
            """,
            folder.path,
            signal
        )
        #expect(outcome.lines == [status], "\(outcome.text) \(outcome.errors)")
        #expect(outcome.errors == "vplay: clip.mkv: no frame was recorded\n", "\(outcome.errors)")
        withExtendedLifetime(folder) {}
    }

    @Test(
        "The file is written under exactly the name of --output",
        .enabled(if: deviceLibraryIsThere)
    )
    func tilde() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Command.shell(
            """
            cd "$1"
            mkdir -p '~/of-playhead'
            "$vplay" record --test --untimed --size 160x90 --frames 2 --output='~/of-playhead/clip.mkv'; echo $?
            ls '~/of-playhead'
            "$vplay" record --test --untimed --size 160x90 --frames 2 --output='~/of-playhead/clip.mkv'; echo $?
            """,
            folder.path
        )
        #expect(outcome.lines == ["0", "clip.mkv", "1"], "\(outcome.text) \(outcome.errors)")
        #expect(outcome.errors.contains("use --overwrite"), "\(outcome.errors)")
        withExtendedLifetime(folder) {}
    }

    @Test(
        "If the disk is full, mkv has the frames until then, and neither mp4 nor a temporary file is left",
        .enabled(if: deviceLibraryIsThere)
    )
    func fullDisk() async throws {
        let folder = try TemporaryFolder()
        // A limit for the size of files has the same effect.
        let outcome = try await Command.shell(
            """
            cd "$1"
            for name in a.mp4 a.mkv; do
                (trap '' XFSZ; ulimit -f 100; "$vplay" record --test --untimed --frames 2000 --size 160x90 -o $name)
                echo $?
            done
            ls
            "$vplay" --untimed --quiet --video framemd5:- a.mkv | grep -c '^0'
            """,
            folder.path
        )
        #expect(outcome.lines.prefix(3) == ["1", "1", "a.mkv"], "\(outcome.text) \(outcome.errors)")
        #expect(outcome.lines.last.flatMap { Int($0) } ?? 0 > 10)
        #expect(outcome.errorLines.count { $0.contains("File too large") } == 2, "\(outcome.errors)")
        withExtendedLifetime(folder) {}
    }

    @Test(
        "In the foreground again, q ends the recording, also without a status line",
        .enabled(if: deviceLibraryIsThere && Terminal.isThere)
    )
    func foreground() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Terminal.run(
            """
            import glob
            def awaits(words, condition):
                limit = time.monotonic() + 30
                while not condition():
                    if time.monotonic() > limit: fail(words)
                    more(time.monotonic() + 0.02)
            def isRecording(): return any(map(os.path.getsize, glob.glob(sys.argv[1] + '.*.part')))
            # The shell of this test does not echo either.
            def deliversKeys(): return not termios.tcgetattr(fd)[3] & termios.ICANON
            start(command=['bash', '--norc', '--noediting', '-i'])
            press('PS1="@@ "; stty -echo; echo rea""dy\\n'); until('ready'); until('@@ ')
            press("'" + vplay + "' record --quiet --test --size 160x90 -o '" + sys.argv[1] + "'\\n")
            awaits('it does not record', isRecording)
            press('\\x1a'); until('Stopped')
            until('@@ '); press('bg\\n'); until('@@ ')
            press('jobs\\n'); until('Running')
            until('@@ '); press('fg\\n'); awaits('it reads no keys', deliversKeys)
            press('q')
            until('@@ '); press('echo en""ded $?\\n'); until('ended 0')
            press('exit\\n')
            print(ends())
            """,
            folder.path("clip.mkv")
        )
        #expect(outcome.lines == ["0"], "\(outcome.text)")
        withExtendedLifetime(folder) {}
    }

    @Test("An existing file is replaced with --overwrite only", .enabled(if: deviceLibraryIsThere))
    func existing() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Command.shell(
            """
            cd "$1"
            record() { "$vplay" record --test --untimed --size 160x90 --frames 3 "$@"; echo $?; }
            echo old > a.mkv
            record -o a.mkv; cat a.mkv
            record -y -o a.mkv; head -c 3 a.mkv | grep -c old
            : > empty.mkv
            record -o empty.mkv
            """,
            folder.path
        )
        #expect(outcome.lines == ["1", "old", "0", "0", "0"], "\(outcome.text) \(outcome.errors)")
        #expect(outcome.errors == "vplay: a.mkv: the file exists; use --overwrite to replace it\n")
        withExtendedLifetime(folder) {}
    }

    @Test(
        "mkv and webm are written to a pipe, and other containers are refused",
        .enabled(if: deviceLibraryIsThere),
        arguments: ["mkv", "webm", "mp4"]
    )
    func pipe(container: String) async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Command.shell(
            """
            cd "$1"
            mkfifo "clip.$2"
            timeout 60 cat "clip.$2" > "copy.$2" & reader=$!
            "$vplay" record --test --untimed --size 160x90 --frames 3 -o "clip.$2"; echo $?
            wait $reader
            if [ -s "copy.$2" ]; then "$vplay" --untimed --video framemd5:- "copy.$2" | grep -c '^0'; fi
            """,
            folder.path,
            container
        )
        #expect(outcome.lines == (container == "mp4" ? ["1"] : ["0", "3"]), "\(outcome.text)")
        let isRefused = outcome.errors.hasSuffix("a pipe can be written as mkv or webm only, not as mp4\n")
        #expect(container == "mp4" ? isRefused : outcome.errors.isEmpty, "\(outcome.errors)")
        withExtendedLifetime(folder) {}
    }

    @Test("A missing camera is one error message, and no file is written")
    func noCamera() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Command.run(
            "record",
            "--device",
            "/dev/video-none",
            "-o",
            folder.path("a.mp4")
        )
        #expect(outcome.status == 1)
        #expect(outcome.errors == "vplay: /dev/video-none: camera not found: No such file or directory\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test(
        "Invalid arguments end with status 64 and an error message",
        arguments: [
            "record", "record -o a.txt", "record -o a", "record --test --device x -o a.mp4",
            "record --untimed -o a.mp4",
            "record --test --fps 0 -o a.mp4", "record --test --frames 0 -o a.mp4",
            "record --test --duration 0 -o a.mp4",
            "record --test --size 0x0 -o a.mp4", "record --test --size 33x20 -o a.mp4",
            "record --test --size 32x21 -o a.mkv", "record --test --size 1x1 -o a.webm",
            "pick --play --list .", "pick --kind film .",
        ]
    )
    func wrongUsage(line: String) async throws {
        let outcome = try await Command.run(line.split(separator: " ").map(String.init))
        #expect(outcome.status == 64)
        #expect(outcome.output.isEmpty && outcome.errorLines.first?.hasPrefix("Error: ") == true)
    }
}

private let deviceLibraryIsThere: Bool = {
    let names = ["libavdevice.so.59", "libavdevice.so.60", "libavdevice.so.61", "libavdevice.so.62"]
    // The library stays open, because its dependencies would leak memory when it is closed.
    return names.contains { dlopen($0, RTLD_LAZY) != nil }
}()
