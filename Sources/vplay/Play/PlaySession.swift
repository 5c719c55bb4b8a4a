import Dispatch
import PlayheadCore
import Synchronization
import WindowSink

/// One run of `play`: a player, its outputs, and the inputs, which play one after another without gaps where possible.
///
/// Decisions about the end are made on the player's callback queue or in a sink, where the virtual clock is stopped.
/// Every run therefore makes them at the same time of the timeline.
final class PlaySession: Sendable {
    let options: PlayOptions
    let player: QueuePlayer
    /// The layers of the sinks, and one for counting frames with `--frames`; see `Outputs.limited`.
    let layers: [PlayerLayer]
    let outputs: Outputs
    let items: ItemMaker
    /// The remote control, or nil without `--input-ipc-server`.
    let control: Control?
    /// The log of `--play-log`, or nil.
    let playLog: PlayLog?
    let passes = Mutex(PassTracker())
    /// The service manager that has started the command, or nil.
    let manager = ServiceManager()
    /// The socket of `--http`, or nil.
    let httpSocket: (descriptor: Int32, port: UInt16)?
    let ending: Latch<ExitStatus>
    /// The queue on which folders and playlist files are read, and files are examined.
    let readingQueue = DispatchQueue(label: "vplay.reading")
    /// The checks on `readingQueue` whose messages precede the end of the command.
    let fileChecks = DispatchGroup()
    /// The changes of folders whose files are loaded before they join the playlist.
    let folderChanges = TaskSequence()
    /// The queue on which the position is saved.
    let savingQueue = DispatchQueue(label: "vplay.saving")
    let state: Mutex<State>

    /// An error of an entry that has been reported.
    struct Fault {
        let message: String
        /// The item that had it, or nil if there is none.
        weak var item: PlayerItem?
    }

    /// The mutable state of a session.
    struct State {
        var playlist: Playlist
        var current: InputPlayback?
        /// The previous playback, whose last events may arrive after the next one has become current.
        var previous: InputPlayback?
        /// The queued playback, which follows the current one automatically.
        var next: InputPlayback?
        /// The playback that interrupts the current one, and the one that is opened to do so, or to replace it.
        var interruptions: [InputPlayback] = []
        /// The loop that follows the wall clock, with the entries that it was made of, or nil without `--sync-clock`.
        var wallClock: (ids: [Int], loop: WallClockLoop?)?
        var wallClockTimer: WallClockTimer?
        /// Whether the current playback has ended or failed.
        var hasEnded = false
        /// The number of completed passes of a single input, with those of the session that is continued.
        var passes = 0
        /// The start of the current pass in item time.
        var passStart = MediaTime.zero
        /// The remainder of `--duration`.
        var remaining: MediaTime?
        /// The status according to the events. It is later than the player's property, but in order with the events.
        var timeControl = Player.TimeControlStatus.paused
        var repeatMode = Player.RepeatMode.once
        var reportedItem: PlayerItem?
        var isPausedByUser = false
        /// Whether a pause or a speed was requested during an interruption, and applies to the current entry, too.
        var hasNewRate = false
        /// Whether a missing display has been reported.
        var hasReportedDisplay = false
        /// Whether the audio server has been connected.
        var hasPlayedAudio = false
        var sinkHasFailed = false
        var status = ExitStatus.success
        /// Whether the session ends as soon as the player has paused.
        var isStopping = false
        /// The inputs for which a start past the end has been reported.
        var reportedStarts: Set<Int> = []
        /// The reasons for software decoding, and the errors of files with subtitles, that have been printed.
        var reportedFaults: Set<String> = []
        /// The number of the next argument or command that names inputs; see `InputRank`.
        var nextSource = 0
        /// The saved position, until the playlist continues there.
        var resume: ResumeState?
        /// The position at the end of the session.
        var lastPosition: ResumeState?
        var savingTimer: SavingTimer?
        var hasReportedSaving = false
        /// Whether the last input has ended, and no other one has begun since.
        var wasPlayedToEnd = false
        /// Whether the current playback has failed at another position than its start.
        var hasFailedInPart = false
        /// The watchers of folders, which are active while they are retained.
        var watchers: [FolderWatcher] = []
        /// Whether the session waits for files, because none can be played.
        var isWaiting = false {
            didSet { if !isWaiting { isWaitingForSavedFile = false } }
        }
        /// Whether it waits for the file of the saved position, and plays no other one that appears.
        var isWaitingForSavedFile = false
        /// The number of laps in a row in which nothing was played.
        var emptyLaps = 0
        var isOver = false
        var isShutDown = false
        /// Whether something has stopped playback before the end of the inputs, such as a key or an option.
        var wasStopped = false
        /// Whether `--frames` or `--duration` has stopped playback.
        var hasReachedLimit = false
        /// The event observers, which are active while they are retained.
        var watching: [TimeObserver] = []
        var durationObserver: TimeObserver?
        var keys: KeyReader?
        /// The handlers of signals that concern the terminal.
        var terminalSignals: [Signals] = []
        /// Whether the list of keys replaces the frames.
        var isListingKeys = false
        var statusLine: StatusLine?
        /// The layer that receives the frame to save.
        var snapshot: PlayerLayer?
        /// The notice about the last key, and the time until which it is shown, or nil until it is.
        var notice: (text: String, until: DispatchTime?) = ("", nil)
        /// Whether playback is paused because the process is suspended.
        var isPausedForSuspension = false
        /// Observes the progress while it is retained.
        var health: Health?
        var http: HTTPServer?
        /// The last error that was printed.
        var lastError: (message: String, time: UTCTime)?
        /// The last fault of each entry that has had one and has not been played without one since.
        var faults: [Int: Fault] = [:]
    }

    /// Plays all inputs, and returns when the outputs are finished.
    static func run(_ options: PlayOptions) async -> ExitStatus {
        let ending = Latch<ExitStatus>()
        // A pipe may never become writable and needs no trailer; a file needs time to be completed.
        let gracePeriod = options.writesToStandardOutput ? 250 : 2000
        let signals = Signals(gracePeriod: .milliseconds(gracePeriod)) { ending.open($0) }
        var options = options
        await options.chooseVideo()
        let session: PlaySession
        do {
            session = try PlaySession(options, ending)
        } catch {
            Console.shared.printError("\(error)")
            return .failure
        }
        let loading = options.needsLoading ? Task { await session.loadAndStart() } : nil
        if loading == nil { session.start() }
        let status = await ending.wait()
        session.manager?.stopping()
        loading?.cancel()
        await session.close()
        // Responses that are not on disk by then would be fetched again.
        await options.network.cache?.flush()
        return withExtendedLifetime(signals) { session.conclude(status) }
    }

    private init(_ options: PlayOptions, _ ending: Latch<ExitStatus>) throws {
        self.options = options
        self.ending = ending
        outputs = try Outputs(options)
        items = ItemMaker(options)
        var configuration = Player.Configuration()
        configuration.clock = options.isUntimed ? .virtual : .host
        configuration.audio = outputs.audio
        configuration.decoding.threadCount = options.threads
        configuration.decoding.hardware = options.hardware
        if let buffer = options.buffer {
            configuration.buffering.forwardDuration = .nanoseconds(buffer.nanoseconds ?? 0)
        }
        if let megabytes = options.frameCache { Player.frameCacheByteLimit = megabytes << 20 }
        player = QueuePlayer(items: [], configuration: configuration)
        httpSocket = try Self.listenHTTP(options)
        control =
            options.isControlled
            ? try Control(path: options.controlSocket, queue: player.callbackQueue) : nil
        playLog = Self.makePlayLog(options)
        let counting = options.frames == nil ? [] : [PlayerLayer()]
        layers = outputs.video.map { _ in PlayerLayer(size: options.size) } + counting
        // The player repeats a single input itself, without reopening it.
        let isRepeatedByPlayer = options.isSingle || options.loopsFirstInput
        var list = Playlist(repeats: isRepeatedByPlayer ? .times(1) : options.repeats)
        list.skipsBroken = options.watches
        for input in options.inputs { list.insert(input, items.asset(of: input)) }
        if let seed = options.shuffleSeed { list.shuffle(seed: seed) }
        state = Mutex(
            State(
                playlist: list,
                remaining: options.duration,
                isPausedByUser: options.isPaused,
                nextSource: options.list.endRank.source
            )
        )
    }

    private func loadAndStart() async {
        await items.load(state.withLock { $0.playlist.entries.map(\.asset) })
        start()
    }

    /// Connects the outputs and then sets the first item, so that no event is missed.
    private func start() {
        for problem in options.list.problems { fail(problem) }
        restorePosition()
        startSaving()
        let watching = [player.onEvent { [weak self] in self?.handle($0) }]
        if options.decodesVideo {
            for (layer, sink) in zip(layers, outputs.video) { followScreen(layer, sink) }
            for (layer, sink) in zip(layers, limitedSinks) {
                layer.videoGravity = options.gravity
                layer.deinterlacing = options.deinterlacing
                layer.dynamicRangePolicy = options.dynamicRange
                layer.player = player
                layer.add(sink)
            }
        }
        followWindows()
        outputs.audioDeviceEvents.setListener { [weak self] in self?.handle($0) }
        player.defaultRate = options.rate
        preferLanguages()
        if options.isMuted { player.isMuted = true }
        if let volume = options.volume { player.volume = volume }
        if repeatsSingleInput && !isInLastPass || options.loopsFirstInput { player.repeatMode = .loop }
        if manager != nil || options.service.http != nil {
            let health = Health(self, manager: manager)
            state.withLock { $0.health = health }
        }
        let queue = player.callbackQueue
        let keys =
            !options.isQuiet || PictureScreen.isOpen
            ? KeyReader(for: self) { [weak self] key in queue.async { [weak self] in self?.press(key) } }
            : nil
        let tick: @Sendable () -> Void = { [weak keys] in
            keys?.refresh()
            PictureScreen.refresh()
        }
        // Also without the line, the terminal must be noticed when the process returns to the foreground.
        let needsTick = options.hasStatusLine || keys != nil || PictureScreen.isOpen
        let line = needsTick ? StatusLine(for: self, tick: tick) : nil
        var signals = PictureScreen.isOpen ? [Signals.onResize { PictureScreen.refresh() }] : []
        if keys != nil || PictureScreen.isOpen { signals.append(suspensionSignals(readsKeys: keys != nil)) }
        state.withLock { state in
            state.watching = watching
            state.keys = keys
            state.statusLine = line
            state.terminalSignals = signals
        }
        guard let control else {
            guard options.followsWallClock || options.watches else { return playNext() }
            return queue.async { self.playFirst() }
        }
        queue.async { [self] in
            control.start(self)
            if options.controlSocket != nil { Console.shared.printLine("Listening to IPC socket.") }
            startHTTP()
            playFirst()
        }
    }

    /// Plays the first input, or the one at which the wall clock is.
    private func playFirst() {
        guard options.followsWallClock else {
            if !options.watches || !waitForSavedFile() { playNext() }
            if options.watches { watchFolders() }
            return
        }
        if !followWallClock() { finish() }
    }

    /// Whether the player repeats a single input without a gap. Otherwise the inputs are played as a list.
    var repeatsSingleInput: Bool { isSingle && options.repeats != .times(1) }
    /// Whether there is one input that the player can repeat itself.
    var isSingle: Bool { options.isSingle }

    /// Applies the preferred languages. An item without them is played with its default tracks.
    private func preferLanguages() {
        let languages: [(MediaCharacteristic, [String])] = [
            (.audible, options.audioLanguages), (.legible, options.subtitleLanguages),
        ]
        for (characteristic, languages) in languages where !languages.isEmpty {
            let criteria = PlayerMediaSelectionCriteria(preferredLanguages: languages)
            player.setMediaSelectionCriteria(criteria, forMediaCharacteristic: characteristic)
        }
    }

    private var limitedSinks: [any VideoSink] {
        guard let limit = options.frames else { return outputs.video }
        return outputs.limited(to: limit) { [weak self] in self?.stopAtLimit() }
    }

    // MARK: End

    /// Ends the session as soon as the player has paused, so that every run reports the same last events.
    func stop() {
        let isPaused = state.withLock { state in
            state.isStopping = true
            state.wasStopped = true
            return state.timeControl == .paused
        }
        if isPaused { finish() } else { player.pause() }
    }

    /// Ends the session where `--frames` or `--duration` does. The outputs should have received something by then.
    func stopAtLimit() {
        state.withLock { $0.hasReachedLimit = true }
        stop()
    }

    /// Ends the session after the last input, at whose end the player pauses.
    func stopWhenPaused() {
        let isPaused = state.withLock { state in
            state.isStopping = true
            return state.timeControl == .paused
        }
        if isPaused { finish() }
    }

    /// Shuts the player down and ends the session.
    func finish(_ status: ExitStatus? = nil) {
        keepPosition()
        let status = state.withLock { state in
            state.isOver = true
            return status ?? state.status
        }
        // The player is idle here and does not present another frame before the shutdown.
        player.shutdown { [self] in
            state.withLock { $0.isShutDown = true }
            ending.open(status)
        }
    }

    /// Prints an error and sets the exit status to 1.
    func fail(_ sentence: String) {
        Console.shared.printError(oneLine(sentence))
        state.withLock { state in
            state.status = .failure
            state.lastError = (oneLine(sentence), .now)
        }
        if let control { player.callbackQueue.async { control.log(.error, oneLine(sentence)) } }
    }

    private func close() async {
        let http = state.withLock { state in
            defer { state.http = nil }
            return state.http
        }
        http?.close()
        let (isShutDown, watchers) = state.withLock { state in
            state.isOver = true
            state.watching = []
            state.durationObserver = nil
            state.wallClockTimer?.cancel()
            state.wallClockTimer = nil
            state.keys = nil
            state.statusLine = nil
            state.health = nil
            state.terminalSignals = []
            defer { state.watchers = [] }
            return (state.isShutDown, state.watchers)
        }
        for watcher in watchers { watcher.stop() }
        finishSaving()
        if let control {
            await withCheckedContinuation { continuation in
                player.callbackQueue.async {
                    control.close()
                    continuation.resume()
                }
            }
        }
        await finishFileChecks()
        await closePlayLog()
        if !isShutDown { await player.shutdown() }
        for window in outputs.windows { await window.closed() }
        Console.shared.clearStatus()
    }

    /// Reports errors of the sinks after they were finished, prints statistics, and returns the exit status.
    private func conclude(_ status: ExitStatus) -> ExitStatus {
        var status = status
        // A check of a file may have failed since the end.
        if case .success = status { status = state.withLock(\.status) }
        if !state.withLock({ $0.sinkHasFailed }), let error = outputs.failures.first {
            switch SinkFailure(error) {
            case .closedPipe: status = .closedPipe
            case .sentence(let message):
                Console.shared.printError(oneLine(message))
                if case .success = status { status = .failure }
            }
        }
        let (wasStopped, hasReachedLimit) = state.withLock { ($0.wasStopped, $0.hasReachedLimit) }
        if case .success = status, !wasStopped || hasReachedLimit {
            let reason = hasReachedLimit ? "it had no data before the end" : "no input had data for it"
            for name in outputs.unused {
                fail("nothing was written to \(name): \(reason)")
                status = .failure
            }
        }
        if options.showsStats {
            Console.shared.printLine(Statistics(player.counters, player.audioDeviceFacts, options).text)
            for window in outputs.windows {
                let counters = window.counters
                Console.shared.printLine(
                    "window: frames shown \(counters.framesDelivered), dropped \(counters.framesDropped)"
                )
            }
            if let line = PictureScreen.statistics { Console.shared.printLine(line) }
        }
        return status
    }
}
