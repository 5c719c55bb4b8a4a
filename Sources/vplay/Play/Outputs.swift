import PlaybackEngine
import PlayheadCore
import WindowSink

/// The sinks of one session.
struct Outputs: Sendable {
    private(set) var video: [any VideoSink] = []
    private(set) var audio = AudioDestination.none
    /// The notices of the audio device.
    let audioDeviceEvents = AudioDeviceEvents()
    /// The file sinks, whose errors may occur only when they finish.
    private var files: [any FileSink] = []
    private var usages: [(path: String, isUsed: @Sendable () -> Bool)] = []

    /// Creates the sinks. A path that cannot be written is an error here; files are created and replaced when the first
    /// byte is written.
    ///
    /// - Throws: The error of a sink that cannot be opened.
    init(_ options: PlayOptions) throws {
        for argument in options.video { try add(argument, options) }
        switch options.audio {
        case .none: audio = .none
        case .null: audio = .sink(NullAudioSink())
        case .automatic where options.isUntimed: audio = .sink(NullAudioSink())
        case .automatic:
            audio = .sink(
                AutomaticAudioSink(applicationName: "vplay", onNotice: audioDeviceEvents.deliver)
            )
        case .pulse(let device):
            audio = .sink(
                PulseAudioSink(device: device, applicationName: "vplay", onNotice: audioDeviceEvents.deliver)
            )
        case .alsa(let device):
            audio = .sink(ALSASink(device: device, onNotice: audioDeviceEvents.deliver))
        case .wav(let path):
            let sink = WAVSink(try ByteOutput(replacing: path))
            files.append(sink)
            let used = UsageTrackingAudioSink(sink)
            usages.append((path, { used.isUsed }))
            audio = .sink(used)
        }
    }

    private mutating func add(_ argument: VideoSinkArgument, _ options: PlayOptions) throws {
        let format = options.pixelFormat
        switch argument {
        case .none: break
        // `chooseVideo` has replaced automatic sinks by now.
        case .automatic, .null: video.append(NullVideoSink())
        case .window:
            let window = WindowSink(applicationName: "vplay", display: options.display)
            window.isFullscreen = options.isFullscreen
            video.append(window)
        case .y4m(let path):
            let sink = Y4MSink(try ByteOutput(replacing: path), pixelFormat: format) { rate in
                if !options.isQuiet { Self.warnOfUnevenFrames(path, rate) }
            }
            add(path, sink)
        case .raw(let path): add(path, RawVideoSink(try ByteOutput(replacing: path), pixelFormat: format))
        case .framemd5(let path): add(path, FrameMD5Sink(try ByteOutput(replacing: path)))
        case .images(let path): add(path.description, try ImageSequenceSink(path: path))
        case .terminal(let graphics):
            video.append(try PictureScreen.open(graphics, hasStatusLine: options.hasStatusLine))
        }
    }

    private mutating func add(_ path: String, _ sink: any VideoSink & FileSink) {
        let counted = CountingVideoSink(sink)
        usages.append((path, { counted.frameCount > 0 }))
        video.append(counted)
        files.append(sink)
    }

    /// Prints a warning about a file whose frame rate is not that of the video.
    private static func warnOfUnevenFrames(_ path: String, _ rate: Rational) {
        let name = path == "-" ? "standard output" : path
        Console.shared.printError(
            "warning: \(name): y4m declares \(rate) frames per second, and the frames have other times; "
                + "vplay frames --fps writes frames at a constant rate"
        )
    }

    var windows: [WindowSink] { video.compactMap { $0 as? WindowSink } }

    /// The outputs to which nothing was written, because no input had data for them before the end of playback.
    var unused: [String] {
        usages.filter { !$0.isUsed() }.map { $0.path == "-" ? "standard output" : $0.path }
    }

    /// Returns sinks that accept `limit` frames each. `atLimit` is called when all have received their last frame.
    /// There is one more sink than in `video`, so that frames are counted without sinks, too.
    func limited(to limit: Int, atLimit: @escaping @Sendable () -> Void) -> [any VideoSink] {
        let sinks = video + [NullVideoSink()]
        let counted = CompletionGroup(sinks.count, atLimit)
        return sinks.map { CountingVideoSink($0, limit: limit, atLimit: counted.leave) }
    }

    /// The errors of sinks, including those after the player has been shut down.
    var failures: [any Error] { files.compactMap(\.error) }
}

/// The failure of a sink: a pipe closed by its reader, or an error message.
enum SinkFailure {
    case closedPipe
    case sentence(String)

    init(_ error: any Error) {
        let isBrokenPipe = (error as? PlaybackError)?.code == .brokenPipe
        self = isBrokenPipe ? .closedPipe : .sentence("\(error)")
    }
}
