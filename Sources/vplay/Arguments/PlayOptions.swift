import ArgumentParser
import FoundationEssentials
import PlaybackEngine
import PlayheadCore

/// The validated options of `play`.
struct PlayOptions: Sendable {
    enum Repeat: Hashable, Sendable {
        case forever
        case times(Int)
    }

    var list: InputList
    var repeats = Repeat.times(1)
    var video: [VideoSinkArgument]
    /// Whether a window was selected automatically because there is a display, and playback continues without it.
    var hasAutomaticWindow = false
    /// Whether frames are shown nowhere although the user probably expects them, because there is no display.
    var lacksDisplay = false
    var isFullscreen: Bool
    /// The index of the display of windows, or nil for the one that the window system chooses.
    var display: Int?
    var audio: AudioSinkArgument
    var videoTrack: TrackArgument?
    var audioTrack: TrackArgument?
    var subtitleTrack: TrackArgument?
    /// The preferred languages of audio, most preferred first. Without a match the default track plays.
    var audioLanguages: [String]
    /// The preferred languages of subtitles, most preferred first. Without a match none are shown.
    var subtitleLanguages: [String]
    /// The file whose subtitles replace those of the inputs.
    var subtitleFile: Input?
    /// The encoding of subtitle files that are not UTF-8, or nil for the default.
    var subtitleEncoding: TextEncoding?
    var start: StartPosition?
    var end: MediaTime?
    var duration: MediaTime?
    var frames: Int?
    /// Whether the first input begins paused.
    var isPaused: Bool
    var rate: Float
    var keepsPitch: Bool
    var volume: Float?
    var isMuted: Bool
    var isUntimed: Bool
    var size: PixelSize?
    var gravity: VideoGravity
    var deinterlacing: Deinterlacing
    var dynamicRange: DynamicRangePolicy
    /// The pixel format of frames delivered to `raw` and `y4m`.
    var pixelFormat: PixelFormat?
    var threads: Int?
    var hardware: HardwareDecoding
    /// The size of the frame cache in megabytes.
    var frameCache: Int?
    var buffer: MediaTime?
    var network: NetworkOptions
    var events: EventFormat
    var showsStats: Bool
    var isQuiet: Bool
    var isVerbose: Bool
    /// Whether the inputs repeat in step with the wall clock.
    var followsWallClock: Bool
    /// The wall-clock time at which the loop began, in nanoseconds since 1970.
    var syncOrigin: Int64
    /// The path of the socket for remote clients.
    var controlSocket: String?
    /// The duration of still images.
    var imageDuration: MediaTime
    /// The file in which the position is saved.
    var resumeFile: ResumeFile?
    /// Whether folders are followed while they are played.
    var watches: Bool
    /// Whether the folders in a folder are read, too.
    var isRecursive: Bool
    /// The seed of the order if the inputs are shuffled.
    var shuffleSeed: UInt64?
    /// Whether the inputs are shuffled with a seed that the user has not given.
    var hasRandomOrder: Bool
    /// Whether the command waits for a client after the last input.
    var isIdle: Bool
    var service: ServiceOptions

    /// Whether there is one input that the player can repeat itself. A remote client could add others.
    var isSingle: Bool {
        inputs.count == 1 && !repeatsFromWithin && !cutsAudioFile && !isControlled && !watches
    }
    /// Whether clients can change the playlist.
    var isControlled: Bool { controlSocket != nil || service.http != nil || service.hasMPRIS }
    /// Whether the first input repeats until a remote client decides otherwise, as in mpv.
    var loopsFirstInput: Bool {
        isControlled && !watches && inputs.count == 1 && repeats == .forever && !repeatsFromWithin
    }
    /// Whether cues are reported among the events.
    var reportsSubtitles: Bool {
        events != .none && (subtitleTrack != nil || subtitleFile != nil || !subtitleLanguages.isEmpty)
    }
    var decodesVideo: Bool { !video.contains(.none) }
    var inputs: [Input] { list.inputs }
    /// The kinds of files that are listed from a folder.
    var folderFilter: InputList.FileFilter { InputList.FileFilter(video) }
    var hasStatusLine: Bool { Console.shared.canShowStatus && !isQuiet }
    var writesToStandardOutput: Bool { paths.contains("-") }
    private var paths: [String] { video.compactMap(\.path) + [audio.path].compactMap(\.self) }
    /// Whether the tracks must be known before an item can be configured.
    var needsLoading: Bool { start != nil || end != nil || namesTracks || followsWallClock }
    private var namesTracks: Bool { videoTrack != nil || audioTrack != nil || subtitleTrack != nil }
    /// Whether passes start at another position than those of the player's own loop. They are then played as a list of
    /// one input.
    var repeatsFromWithin: Bool { inputs.count == 1 && (rate < 0 ? end != nil : start != nil) }
    /// Whether `--duration` may end a file of audio in a later pass of a single input. Only the end of an item is
    /// exact in the audio, so the passes are played as a list of one input. The player repeats a pipe, which is opened
    /// once, and a presentation, of which only the first pass begins at a start of its own.
    private var cutsAudioFile: Bool {
        guard duration != nil, audio.path != nil, repeats != .times(1), rate > 0 else { return false }
        return !inputs.contains { $0.isPipe || $0.mayBePresentation }
    }
    /// Whether a sink is framemd5, which writes frame rates and time bases; these are most accurate after FFmpeg
    /// analyzes the streams.
    var wantsPreciseTiming: Bool {
        video.contains { if case .framemd5 = $0 { true } else { false } }
    }

    init(_ command: PlayCommand) throws(ValidationError) {
        video = try command.video.isEmpty ? [.automatic] : command.video.mapSinks()
        audio = try AudioSinkArgument(command.audio)
        watches = command.watch
        isRecursive = command.recursive
        list = InputList(
            command.inputs,
            InputList.FileFilter(video),
            isRecursive: command.recursive,
            omitsFolders: command.watch
        )
        imageDuration = command.imageDuration.time
        if command.shuffle {
            shuffleSeed = command.shuffleSeed ?? UInt64.random(in: 0..<1 << 53)
        }
        hasRandomOrder = command.shuffle && command.shuffleSeed == nil
        videoTrack = command.videoTrack
        audioTrack = command.audioTrack
        subtitleTrack = command.subtitleTrack
        audioLanguages = command.audioLanguages.languages
        subtitleLanguages = command.subtitleLanguages.languages
        if let path = command.subtitleFile {
            guard let input = Input(path) else {
                throw ValidationError("--subtitle-file: \(Input.refusal(of: path)).")
            }
            subtitleFile = input
        }
        subtitleEncoding = command.subtitleEncoding?.encoding
        isFullscreen = command.window.fullscreen
        display = command.window.display
        start = command.start
        end = command.end?.time
        duration = command.duration?.time
        frames = command.frames
        isPaused = command.pause
        rate = command.rate
        keepsPitch = command.audioPitchCorrection == .yes
        volume = command.volume?.volume
        isMuted = command.muted
        isUntimed = command.untimed
        size = command.size?.size
        gravity = command.gravity
        deinterlacing = command.deinterlace
        dynamicRange = command.dynamicRange
        pixelFormat = command.pixelFormat.map { PixelFormat(rawValue: $0) }
        threads = command.threads
        hardware = command.hwdec?.policy ?? .none
        frameCache = command.frameCache
        buffer = command.buffer?.time
        network = command.network.options(isQuiet: command.quiet)
        events = command.events
        showsStats = command.stats
        isQuiet = command.quiet
        isVerbose = command.verbose
        followsWallClock = command.syncClock != nil
        syncOrigin = command.syncOrigin?.nanoseconds ?? 0
        controlSocket = command.inputIpcServer
        isIdle = command.idle
        service = try command.service.options()
        if let count = command.repeatCount { repeats = .times(count) }
        let repeatsByDefault = followsWallClock || command.watch
        if command.loop || repeatsByDefault { repeats = .forever }
        if command.resume {
            resumeFile =
                command.resumeFile.map { ResumeFile(path: $0) }
                ?? ResumeFile(
                    arguments: command.inputs,
                    folder: FileManager.default.currentDirectoryPath,
                    environment: ProcessInfo.processInfo.environment
                )
            if resumeFile == nil { throw ValidationError("--resume needs a file, XDG_STATE_HOME or HOME.") }
        }
        try Self.checkNumbers(command)
        try checkTogether(command)
    }

    /// Throws if the parser refuses arguments, or a value is out of its limits, regardless of inputs and other options.
    static func check(_ arguments: [String]) throws(ValidationError) {
        let command: PlayCommand
        do {
            command = try PlayCommand.parse(arguments)
        } catch {
            throw ValidationError(Suggestion.checked(PlayCommand.message(for: error)))
        }
        _ = try command.video.mapSinks()
        _ = try AudioSinkArgument(command.audio)
        try checkNumbers(command)
    }

    private static func checkNumbers(_ command: PlayCommand) throws(ValidationError) {
        if let count = command.repeatCount, count < 1 {
            throw ValidationError("--repeat \(count): expected 1 or more.")
        }
        if let frames = command.frames, frames < 1 {
            throw ValidationError("--frames \(frames): expected 1 or more.")
        }
        if let threads = command.threads, !(1...64).contains(threads) {
            throw ValidationError("--threads \(threads): expected 1 to 64.")
        }
        if let frameCache = command.frameCache, !(0...65_536).contains(frameCache) {
            throw ValidationError("--frame-cache \(frameCache): expected 0 to 65536.")
        }
        if let display = command.window.display, display < 0 {
            throw ValidationError("--display \(display): expected 0 or more.")
        }
        guard !PlaybackRate(command.rate).isStopped, (-32...32).contains(command.rate) else {
            throw ValidationError("--rate \(command.rate): expected -32 to 32, but not 0.")
        }
        if let duration = command.duration?.time, duration <= .zero {
            throw ValidationError("--duration: expected more than 0.")
        }
        if command.imageDuration.time <= .zero {
            throw ValidationError("--image-duration: expected more than 0.")
        }
        if let buffer = command.buffer?.time, buffer <= .zero {
            throw ValidationError("--buffer: expected more than 0.")
        }
    }

    private func checkTogether(_ command: PlayCommand) throws(ValidationError) {
        if command.repeatCount != nil, command.loop || command.watch {
            throw ValidationError("\(command.loop ? "--loop" : "--watch") and --repeat exclude each other.")
        }
        if followsWallClock {
            guard !isUntimed, start == nil, end == nil, duration == nil, rate == 1,
                command.repeatCount == nil,
                !isIdle, !isPaused, !watches, shuffleSeed == nil
            else {
                throw ValidationError(
                    "--sync-clock excludes --untimed, --start, --end, --duration, --rate, --repeat, --idle, --pause, "
                        + "--watch and --shuffle."
                )
            }
        } else if command.syncOrigin != nil {
            throw ValidationError("--sync-origin needs --sync-clock.")
        }
        if command.inputs.isEmpty, !isIdle {
            throw ValidationError("Missing expected argument '<input> ...'")
        }
        if watches, list.folders.isEmpty { throw ValidationError("--watch needs a folder.") }
        if isIdle, !isControlled {
            throw ValidationError("--idle needs --input-ipc-server, --http or --mpris.")
        }
        if isQuiet, isVerbose { throw ValidationError("--quiet and --verbose exclude each other.") }
        if let start = start?.time, let end, end < start { throw ValidationError("--end is before --start.") }
        if rate < 0, !decodesVideo { throw ValidationError("--rate \(rate): no audio is played in reverse.") }
        if rate < 0, duration != nil {
            throw ValidationError("--duration cannot be combined with reverse playback.")
        }
        if !decodesVideo, video.contains(where: { $0 != .none }) {
            throw ValidationError("--video none excludes other video sinks.")
        }
        if !decodesVideo, audio == .none {
            throw ValidationError("--video none and --audio none leave nothing to play.")
        }
        if isUntimed, let kind = audio.requiredDeviceKind {
            throw ValidationError("--untimed excludes --audio \(kind): a device plays in real time.")
        }
        if subtitleFile != nil, inputs.count > 1 {
            throw ValidationError("--subtitle-file is for one input.")
        }
        if isFullscreen || display != nil, !video.contains(where: { $0 == .automatic || $0 == .window }) {
            throw ValidationError("\(isFullscreen ? "--fullscreen" : "--display") needs --video window.")
        }
        try checkPixelFormat()
        if frames != nil, !decodesVideo {
            throw ValidationError("--frames needs video, not --video none.")
        }
        try checkPaths(command)
        if let pipe = inputs.first(where: \.isPipe), needsLoading {
            throw ValidationError(
                "\(pipe.sentenceName) can be read only once; --start, --end and track selection need a file."
            )
        }
    }

    private func checkPixelFormat() throws(ValidationError) {
        guard let pixelFormat else { return }
        let accepted = video.compactMap(\.writablePixelFormats)
        if accepted.isEmpty { throw ValidationError("--pixel-format is for --video raw and --video y4m.") }
        guard accepted.allSatisfy({ $0.contains(pixelFormat) }) else {
            let isKnown = RawVideoSink.writablePixelFormats.contains(pixelFormat)
            throw ValidationError(
                oneLine(
                    "--pixel-format \(pixelFormat): \(isKnown ? "not supported by y4m" : "unknown pixel format")."
                )
            )
        }
    }

    /// Throws if two outputs are the same file, or if an output would overwrite a file that is read.
    private func checkPaths(_ command: PlayCommand) throws(ValidationError) {
        for (index, path) in paths.enumerated() where paths[..<index].contains(path) && path == "-" {
            throw ValidationError("Only one sink can write to standard output.")
        }
        if paths.contains("-"), events != .none {
            throw ValidationError("--events and a sink cannot both write to standard output.")
        }
        var outputs: [FileIdentity: String] = [:]
        let written = [service.playLog, resumeFile?.path].compactMap(\.self)
        for path in paths + (events == .none ? [] : ["-"]) + written {
            guard let identity = FileIdentity(output: path) else { continue }
            let name = path == "-" ? "standard output" : path
            if let other = outputs.updateValue(name, forKey: identity) {
                let both = other == name ? name : "\(other) and \(name), which are the same file"
                throw ValidationError(oneLine("Two outputs write to \(both)."))
            }
        }
        for path in video.flatMap(\.existingPaths) {
            guard let identity = FileIdentity(output: path) else { continue }
            outputs[identity] = outputs[identity] ?? path
        }
        var read = inputs + list.playlists
        if let subtitleFile { read.append(subtitleFile) }
        var settings = command.configuration.paths
        if let path = command.network.connection.tlsCaFile { settings.append(path) }
        if let path = command.service.httpTokenFile { settings.append(path) }
        read += settings.compactMap { Input($0) }
        try outputs.refuseInputs(read)
    }
}

extension InputList.FileFilter {
    /// The kinds of files that can be played with some video sinks.
    fileprivate init(_ video: [VideoSinkArgument]) {
        self = video.contains(.none) ? .withoutImages : .playable
    }
}

extension String {
    /// The elements of a list of languages such as "de,en".
    fileprivate var languages: [String] {
        split(separator: ",").map { String($0.filter { !$0.isWhitespace }) }.filter { !$0.isEmpty }
    }
}

extension [String] {
    fileprivate func mapSinks() throws(ValidationError) -> [VideoSinkArgument] {
        var sinks: [VideoSinkArgument] = []
        for text in self { sinks.append(try VideoSinkArgument(text)) }
        return sinks
    }
}
