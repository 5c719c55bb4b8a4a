import Playhead
import WindowSink

/// The sinks of one session.
struct Outputs: Sendable {
    private(set) var video: [any VideoSink] = []
    private(set) var audio = AudioDestination.none
    /// Told of what becomes of the sound server, once somebody listens.
    let soundNotices = AudioServerEvents()
    /// Those that may have failed at their very end.
    private var files: [any FileSink] = []
    private var uses: [(path: String, use: Use)] = []

    /// A path that cannot be written is known before anything is played; a file is made and an old one touched
    /// when there is something to write.
    init(_ options: PlayOptions) throws {
        for argument in options.video { try add(argument, options) }
        switch options.audio {
        case .none: audio = .none
        case .null: audio = .sink(NullAudioSink())
        case .automatic: audio = .sink(options.isUntimed ? NullAudioSink() : makeDevice(nil))
        case .pulse(let device): audio = .sink(makeDevice(device))
        case .wav(let path):
            let sink = WAVSink(try ByteOutput(replacing: path))
            files.append(sink)
            let used = UseNotingAudioSink(sink)
            uses.append((path, used.use))
            audio = .sink(used)
        }
    }

    private func makeDevice(_ name: String?) -> PulseAudioSink {
        PulseAudioSink(device: name, applicationName: "vplay") { [soundNotices] in soundNotices.tell($0) }
    }

    private mutating func add(_ argument: VideoSinkArgument, _ options: PlayOptions) throws {
        let format = options.pixelFormat
        switch argument {
        case .none: break
        // Automatic ones have been chosen by now; where nobody has, nothing is shown.
        case .automatic, .null: video.append(NullVideoSink())
        case .window: video.append(WindowSink(applicationName: "vplay"))
        case .y4m(let path): add(path, Y4MSink(try ByteOutput(replacing: path), pixelFormat: format))
        case .raw(let path): add(path, RawVideoSink(try ByteOutput(replacing: path), pixelFormat: format))
        case .framemd5(let path): add(path, FrameMD5Sink(try ByteOutput(replacing: path)))
        case .images(let path): add(path.description, try ImageSequenceSink(path: path))
        case .terminal(let pictures):
            video.append(try PictureScreen.open(pictures, hasStatusLine: options.hasStatusLine))
        }
    }

    private mutating func add(_ path: String, _ sink: any VideoSink & FileSink) {
        let used = UseNotingVideoSink(sink)
        uses.append((path, used.use))
        video.append(used)
        files.append(sink)
    }

    var windows: [WindowSink] { video.compactMap { $0 as? WindowSink } }

    /// Those that nothing was written to: no input had what they are for.
    var unused: [String] {
        uses.filter { !$0.use.isNoted }.map { $0.path == "-" ? "standard output" : $0.path }
    }

    /// Every sink takes `limit` frames and no more. They are served side by side: `atLimit` is called when the last of
    /// them has had its last frame. One more than `video`, so that there is one.
    func limited(to limit: Int, atLimit: @escaping @Sendable () -> Void) -> [any VideoSink] {
        let sinks = video + [NullVideoSink()]
        let counted = CompletionGroup(sinks.count, then: atLimit)
        return sinks.map { CountedSink($0, limit: limit, atLimit: counted.tick) }
    }

    /// What went wrong while the sinks were being finished, when no player tells any more.
    var failures: [any Error] { files.compactMap(\.error) }
}

/// A failure of a sink, told apart from a reader who has had enough.
enum SinkFailure {
    case closedPipe
    case sentence(String)

    init(_ error: any Error) {
        if case .closedPipe? = error as? SinkError {
            self = .closedPipe
        } else {
            self = .sentence("\(error)")
        }
    }
}
