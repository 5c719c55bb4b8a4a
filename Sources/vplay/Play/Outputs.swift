import Playhead

/// The sinks of one session.
struct Outputs: Sendable {
    private(set) var video: [any VideoSink] = []
    private(set) var audio = AudioOutput.none
    /// Told of what becomes of the sound server, once somebody listens.
    let soundNotices = SoundNotices()
    /// Those that may have failed at their very end.
    private var files: [any FileSink] = []

    /// Opens every file, so that a path that cannot be written is known before anything is played.
    init(_ options: PlayOptions) throws(SinkError) {
        for argument in options.video { try add(argument) }
        switch options.audio {
        case .none: audio = .none
        case .null: audio = .sink(NullAudioSink())
        case .automatic: audio = .sink(options.isUntimed ? NullAudioSink() : makeDevice(nil))
        case .pulse(let device): audio = .sink(makeDevice(device))
        case .wav(let path):
            let sink = try WAVSink(path: path)
            files.append(sink)
            audio = .sink(sink)
        }
    }

    private func makeDevice(_ name: String?) -> PulseAudioSink {
        PulseAudioSink(device: name, applicationName: "vplay") { [soundNotices] in soundNotices.tell($0) }
    }

    private mutating func add(_ argument: VideoSinkArgument) throws(SinkError) {
        switch argument {
        case .none: break
        case .null: video.append(NullVideoSink())
        case .y4m(let path): add(file: try Y4MSink(path: path))
        case .raw(let path): add(file: try RawVideoSink(path: path))
        case .framemd5(let path): add(file: try FrameMD5Sink(path: path))
        }
    }

    private mutating func add(file sink: any VideoSink & FileSink) {
        video.append(sink)
        files.append(sink)
    }

    /// Every sink takes `limit` frames and no more. They are served in order, so when the last has had its
    /// last frame, all have.
    func limited(to limit: Int, atLimit: @escaping @Sendable () -> Void) -> [any VideoSink] {
        video.map { CountedSink($0, limit: limit) }
            + [CountedSink(NullVideoSink(), limit: limit, atLimit: atLimit)]
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
