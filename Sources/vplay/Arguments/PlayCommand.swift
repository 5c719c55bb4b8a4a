import ArgumentParser
import PlayheadCore

/// The command `vplay [play] …`, as parsed.
struct PlayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play",
        abstract: "Play inputs one after another without gaps (default).",
        discussion: """
            A folder is replaced by its video, audio and image files in natural order (clip2 before clip10), \
            recognized by their contents; hidden files, and images beside audio files alone, are omitted. A local \
            playlist (m3u, m3u8 without HLS, pls) is replaced by its entries. - is standard input. Named pipes and \
            <(command) can be inputs, too; they are read once and sequentially.

            Video sinks: auto (a window if standard output is a terminal and there is a display, otherwise null; null \
            with --untimed), window (through SDL2; the whole screen without X and Wayland), terminal, null, none (decode no video), y4m:PATH, raw:PATH, \
            framemd5:PATH, images:PATH. One PATH may be - for standard output. For images it is a name such as \
            frames/%06d.png (jpg, webp), numbered from 1; without %d the file holds the latest frame.

            terminal shows frames on standard output, which must be a terminal, by libchafa: as pixels if the \
            environment indicates support (kitty, iTerm, sixel), otherwise and in tmux as colored characters; with \
            256, 16 or no colors (NO_COLOR) if the terminal has no more. terminal:kitty, terminal:iterm, terminal:sixel and \
            terminal:symbols select a protocol. Frames fill the window; with --size they are fitted into that \
            size first. Frames that a slow connection does not accept in time are dropped.

            Audio sinks: auto (PulseAudio, without a server ALSA's default device, otherwise null with a warning; \
            null with --untimed), pulse (requires a server), pulse:DEVICE (a name from `pactl list sinks`), alsa \
            (requires a device), alsa:DEVICE (a name from `aplay -L`, such as hw:0,0), null, none (decode no audio), \
            wav:PATH.

            A file is written as NAME.XXXXXX.part and renamed when it is complete, also after ^C. \
            An output may not be an input.

            Options of mpv, ffplay and vlc that have another name here are accepted (--speed, --fs, -ss, --no-video, \
            --loop=inf, -vn), or refused with the name to use.

            Options can also be in the file $XDG_CONFIG_HOME/vplay/config (~/.config/vplay/config), one NAME=VALUE or \
            NAME in each line, after # comments. The command line replaces them; --no-NAME switches a flag off.

            Times are seconds or [[hh:]mm:]ss[.fraction], exact. T of --start and --end counts from the first frame of the \
            video; if no video is decoded, and for -T, N% and #N of --start, zero is the earliest start of the video and \
            audio tracks.

            Keys on a terminal and in the window: space or p pauses, left and right seek 5 s, down and up 1 min, page \
            down and up 10 min, \
            < > previous and next input, [ ] speed, . and , step, m mutes, 9 0 volume, l loops, s saves the \
            frame as NAME-0001.png in the current folder, f toggles full screen, ? lists the keys, \
            q quits, as do Escape, which leaves full screen first, and closing the window. The terminal's keys are not \
            read if both standard output and standard error are redirected.
            """
    )

    @Argument(
        help: ArgumentHelp("Files, URLs, folders, or - for standard input.", valueName: "input"),
        completion: .file()
    )
    var inputs: [String] = []

    @Flag(help: "Repeat indefinitely, each pass from --start to --end; several inputs repeat as a list.")
    var loop = false

    @Option(name: .customLong("repeat"), help: ArgumentHelp("Play N times.", valueName: "n"))
    var repeatCount: Int?

    @Option(
        help: ArgumentHelp(
            "Repeat the inputs in step with the machine's clock: several processes show the same frame.",
            valueName: "wall"
        ),
        completion: .list(SyncClock.allCases.map(\.rawValue))
    )
    var syncClock: SyncClock?

    @Option(
        help: ArgumentHelp(
            "When the loop of --sync-clock began: seconds since 1970 or a date such as 2026-01-31T08:00:00Z (default: 1970).",
            valueName: "time"
        )
    )
    var syncOrigin: WallTimeArgument?

    @Flag(help: "Mute the audio.")
    var muted = false

    @Option(
        help: ArgumentHelp(
            "Volume: 0 to 1, or in percent (50, 50%). Numbers above 1 are percent.",
            valueName: "v"
        )
    )
    var volume: VolumeArgument?

    @Option(
        // A negative number is not an option.
        parsing: .unconditional,
        help: ArgumentHelp(
            "Playback rate, -32 to 32 except 0. Audio plays from 0.25 to 4 and is silent beyond; a negative rate plays in reverse without audio.",
            valueName: "r"
        )
    )
    var rate: Float = 1

    @Option(help: "Keep the pitch of audio at other rates; no: the pitch changes with the rate.")
    var audioPitchCorrection = YesOrNo.yes

    @Option(
        // A time before the end is not an option.
        parsing: .unconditional,
        help: ArgumentHelp(
            "Start with the frame due T after the first one, T before the end (-T), at a part of the duration (50%), or at a chapter (#2).",
            valueName: "t|-t|n%|#n"
        )
    )
    var start: StartPosition?

    @Option(help: ArgumentHelp("End with the last frame due at most T after the first one.", valueName: "t"))
    var end: TimeArgument?

    @Flag(help: "Begin paused, until a key or a remote client continues.")
    var pause = false

    @Option(
        help: ArgumentHelp("Video sink; repeatable (default: auto).", valueName: "sink"),
        completion: .list([
            "auto", "window", "terminal", "null", "none", "y4m:", "raw:", "framemd5:", "images:",
        ])
    )
    var video: [String] = []

    @Option(
        help: ArgumentHelp("Audio sink.", valueName: "sink"),
        completion: .list(["auto", "pulse", "alsa", "null", "none", "wav:"])
    )
    var audio = "auto"

    @Flag(
        help:
            "Play as fast as possible: no frames are dropped, and frames and events are the same as in real time."
    )
    var untimed = false

    @Option(help: ArgumentHelp("Stop after N frames.", valueName: "n"))
    var frames: Int?

    @Option(help: ArgumentHelp("Stop after this much media.", valueName: "t"))
    var duration: TimeArgument?

    @Option(
        help: ArgumentHelp(
            "The duration of a still image, unless a playlist declares it.",
            valueName: "t"
        )
    )
    var imageDuration: TimeArgument = .tenSeconds

    @Flag(
        help:
            "Shuffle the inputs in each pass through them. --shuffle=SEED, a number, gives the same orders each time."
    )
    var shuffle = false

    @Option(help: .hidden)
    var shuffleSeed: UInt64?

    @Flag(
        help:
            "Follow folders: files that appear are played as soon as they are complete, and those that disappear no longer. Implies --loop; see docs/signage.md."
    )
    var watch = false

    @Flag(
        help:
            "Continue where the last run with these inputs ended, or was killed. --resume=FILE chooses the file in which the position is saved every 8 s."
    )
    var resume = false

    @Option(help: .hidden)
    var resumeFile: String?

    @Flag(help: "Read the folders in a folder, too.")
    var recursive = false

    @Option(help: ArgumentHelp("The video track to play.", valueName: "index|language"))
    var videoTrack: TrackArgument?

    @Option(help: ArgumentHelp("The audio track to play.", valueName: "index|language"))
    var audioTrack: TrackArgument?

    @Option(
        help: ArgumentHelp(
            "The subtitle track that is drawn in window and terminal, and whose cues --events reports.",
            valueName: "index|language"
        )
    )
    var subtitleTrack: TrackArgument?

    /// The value of mpv's `--alang`.
    @Option(help: .hidden)
    var audioLanguages = ""

    /// The value of mpv's `--slang`.
    @Option(help: .hidden)
    var subtitleLanguages = ""

    @Option(
        help: ArgumentHelp(
            "A file with subtitles (SubRip, WebVTT, ASS, ...) instead of those of the input.",
            valueName: "path"
        ),
        completion: .file()
    )
    var subtitleFile: String?

    @Option(
        help: ArgumentHelp(
            "The encoding of subtitle files that are not UTF-8, such as CP1251 (default: Windows-1252).",
            valueName: "name"
        )
    )
    var subtitleEncoding: EncodingArgument?

    @Option(
        help: ArgumentHelp(
            "Fit frames into this size, upright, with square pixels and black bars (default: as coded; images: as displayed).",
            valueName: "wxh"
        )
    )
    var size: SizeArgument?

    @OptionGroup
    var window: WindowArguments

    @Option(help: "How a frame is fitted into --size.")
    var gravity = VideoGravity.resizeAspect

    @Option(
        help: ArgumentHelp(
            "Which interlaced frames are deinterlaced; auto: those that are displayed or converted to upright, not those written as coded.",
            valueName: "which"
        )
    )
    var deinterlace = Deinterlacing.auto

    @Option(
        help: ArgumentHelp(
            "Which HDR frames are converted to SDR; auto: those that are displayed or converted to RGB.",
            valueName: "which"
        )
    )
    var dynamicRange = DynamicRangePolicy.auto

    @Option(
        help: ArgumentHelp(
            "Pixel format for raw and y4m by FFmpeg's name: rgba, yuv420p, ... (default: as decoded).",
            valueName: "f"
        )
    )
    var pixelFormat: String?

    @Option(
        help: ArgumentHelp(
            "Hardware decoding: none (default), auto (the first device that supports the codec), vaapi, nvdec, v4l2m2m, or the path of a device; falls back to software.",
            valueName: "auto|none|device"
        ),
        completion: .list(["auto", "none", "vaapi", "nvdec", "v4l2m2m"])
    )
    var hwdec: HardwareArgument?

    @Option(help: ArgumentHelp("Duration to buffer ahead, in seconds.", valueName: "t"))
    var buffer: TimeArgument?

    @Option(
        help: ArgumentHelp("Decoder threads (default: chosen by the frame size).", valueName: "n")
    )
    var threads: Int?

    @Option(
        help: ArgumentHelp(
            "Megabytes of decoded frames to cache for loops and seeks (default: 64).",
            valueName: "mb"
        )
    )
    var frameCache: Int?

    @Option(help: "Write a line for each event to standard output.")
    var events = EventFormat.none

    @Flag(help: "Write counters to standard error at the end.")
    var stats = false

    @Flag(
        help:
            "Print only errors: no warnings and no status line. Keys of the terminal are read with --video terminal only."
    )
    var quiet = false

    @Flag(help: "Also report errors from which playback recovers.")
    var verbose = false

    @Option(
        name: .customLong("input-ipc-server"),
        help: ArgumentHelp(
            "Create a socket on which remote clients control playback by mpv's JSON protocol; see docs/remote-control.md.",
            valueName: "path"
        ),
        completion: .file()
    )
    var inputIpcServer: String?

    @Flag(help: "Wait for a remote client before the first input and after the last one.")
    var idle = false

    @OptionGroup
    var service: ServiceArguments

    @OptionGroup
    var network: NetworkArguments

    @OptionGroup
    var configuration: ConfigurationArguments

    func run() async throws {
        let options = try PlayOptions(self)
        await PlaySession.run(options).exitNow()
    }
}
