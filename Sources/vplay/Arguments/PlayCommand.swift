import ArgumentParser
import Playhead

/// `vplay [play] …`: the words of the command line, as they come.
struct PlayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play",
        abstract: "Play one input after another, without a gap (default).",
        discussion: """
            A folder stands for its video and audio files in natural order (clip2 before clip10), told by what is in \
            them; hidden files and pictures are left out. - is standard input. Named pipes and <(command) \
            are inputs, too, read once and forwards.

            Video sinks: auto (a window where standard output is a terminal and there is a display, else null; null \
            with --untimed), window (through SDL2), terminal, null, none (decode no video), y4m:PATH, raw:PATH, \
            framemd5:PATH, images:PATH. PATH may be - for standard output, once. For images it is a name such as \
            frames/%06d.png (jpg, webp), which counts from 1; without %d the file holds the newest picture.

            terminal shows pictures on standard output, which must be a terminal, by libchafa: in pixels where the \
            environment says that it can (kitty, iTerm, sixel), else and in tmux in coloured characters; in 256 \
            colours, 16 or none (NO_COLOR) where it has no more. terminal:kitty, terminal:iterm, terminal:sixel and \
            terminal:symbols choose one. Pictures are as large as the window; with --size they are laid into that \
            size first. What a slow line does not take in time is left out.

            Audio sinks: auto (PulseAudio, or null with a warning where there is no server; null with \
            --untimed), pulse (the server must be there), pulse:DEVICE (as `pactl list sinks` names it), null, \
            none (decode no sound), wav:PATH.

            A file is written beside, as NAME.XXXXXX.part, and takes its name when all is written, also after ^C. \
            An output may not be an input.

            Times are seconds or [[hh:]mm:]ss[.fraction], exact, counted from the first picture.

            On a terminal, and in the window: space pauses, left and right seek 5 s, down and up 1 min, page down and up 10 min, \
            < > previous and next input, [ ] speed, . and , step, m mutes, 9 0 volume, l loops, s saves the \
            picture as NAME-0001.png in the current folder, f fills the screen with the window, ? lists the keys, \
            q quits; so do Escape and closing the window.
            """
    )

    @Argument(
        help: ArgumentHelp("Files, URLs, folders, or - for standard input.", valueName: "input"),
        completion: .file()
    )
    var inputs: [String]

    @Flag(help: "Play for ever, each pass from --start to --end; several inputs as a list.")
    var loop = false

    @Option(name: .customLong("repeat"), help: ArgumentHelp("Play N times.", valueName: "n"))
    var repeatCount: Int?

    @Flag(help: "Without sound.")
    var muted = false

    @Option(help: ArgumentHelp("Loudness, 0 to 1.", valueName: "v"))
    var volume: Float?

    @Option(
        // A negative number is no option.
        parsing: .unconditional,
        help: ArgumentHelp(
            "Speed. Sound from 0.25 to 4, silence beyond; negative: backward, without sound.",
            valueName: "r"
        )
    )
    var rate: Float = 1

    @Option(help: "Whether sound keeps its pitch at other speeds; no: as a tape does.")
    var audioPitchCorrection = YesOrNo.yes

    @Option(help: ArgumentHelp("The first picture is the one due at T.", valueName: "t"))
    var start: TimeArgument?

    @Option(help: ArgumentHelp("The last picture is the last one due at or before T.", valueName: "t"))
    var end: TimeArgument?

    @Option(
        help: ArgumentHelp("Where pictures go; repeatable (default: auto).", valueName: "sink"),
        completion: .list([
            "auto", "window", "terminal", "null", "none", "y4m:", "raw:", "framemd5:", "images:",
        ])
    )
    var video: [String] = []

    @Option(
        help: ArgumentHelp("Where sound goes.", valueName: "sink"),
        completion: .list(["auto", "pulse", "null", "none", "wav:"])
    )
    var audio = "auto"

    @Flag(help: "As fast as the machine can: nothing dropped, the same pictures and events as in real time.")
    var untimed = false

    @Option(help: ArgumentHelp("Stop after N pictures.", valueName: "n"))
    var frames: Int?

    @Option(help: ArgumentHelp("Stop after this much media.", valueName: "t"))
    var duration: TimeArgument?

    @Option(help: ArgumentHelp("The video track to play.", valueName: "index|language"))
    var videoTrack: TrackArgument?

    @Option(help: ArgumentHelp("The audio track to play.", valueName: "index|language"))
    var audioTrack: TrackArgument?

    @Option(
        help: ArgumentHelp(
            "The subtitle track whose words --events tells as they come due.",
            valueName: "index|language"
        )
    )
    var subtitleTrack: TrackArgument?

    @Option(
        help: ArgumentHelp(
            "Lay pictures into this size, upright, with square pixels and dark bars (default: as they were coded; images: as shown).",
            valueName: "wxh"
        )
    )
    var size: SizeArgument?

    @Option(help: "How a picture is laid into --size.")
    var gravity = VideoGravity.resizeAspect

    @Option(
        help: ArgumentHelp(
            "Which interlaced pictures are made whole; auto: those that are looked at, laid out upright, and not those written as they were coded.",
            valueName: "which"
        )
    )
    var deinterlace = Deinterlacing.auto

    @Option(
        help: ArgumentHelp(
            "Which pictures of high dynamic range become the standard one; auto: those that are looked at, and those that become RGB.",
            valueName: "which"
        )
    )
    var dynamicRange = DynamicRangePolicy.auto

    @Option(
        help: ArgumentHelp(
            "What raw and y4m are given: rgba, yuv420p, ... by FFmpeg's names (default: as decoded).",
            valueName: "f"
        )
    )
    var pixelFormat: String?

    @Option(
        help: ArgumentHelp(
            "Decode on a device: none (default), auto (the first that decodes the codec), vaapi, nvdec, v4l2m2m, or its path; where that fails, the processor decodes on.",
            valueName: "auto|none|device"
        ),
        completion: .list(["auto", "none", "vaapi", "nvdec", "v4l2m2m"])
    )
    var hwdec: HardwareArgument?

    @Option(help: ArgumentHelp("How far to read ahead, in seconds.", valueName: "t"))
    var buffer: TimeArgument?

    @Option(
        help: ArgumentHelp("Threads of the decoder (default: chosen by the picture size).", valueName: "n")
    )
    var threads: Int?

    @Option(
        help: ArgumentHelp(
            "Megabytes for decoded frames that loops and seeks use again (default: 64).",
            valueName: "mb"
        )
    )
    var frameCache: Int?

    @Option(help: "Write a line for each event to standard output.")
    var events = EventFormat.none

    @Flag(help: "Write counters to standard error at the end.")
    var stats = false

    @Flag(help: "No warnings, no status line; only what went wrong.")
    var quiet = false

    @Flag(help: "Also tell of losses that playback survives.")
    var verbose = false

    @OptionGroup
    var network: NetworkArguments

    @OptionGroup
    var unbuilt: UnbuiltOptions

    func run() async throws {
        let options = try PlayOptions(self)
        await PlaySession.run(options).exitNow()
    }
}
