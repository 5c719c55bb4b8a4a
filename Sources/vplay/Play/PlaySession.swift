import Dispatch
import Playhead
import Synchronization
import WindowSink

/// One run of `play`: a player, its outputs, and the inputs one after another, without a gap where that can be.
///
/// What is decided about the end is decided on the player's callback queue or in a sink: there the virtual
/// clock stands still, so every run decides at the same moment.
final class PlaySession: Sendable {
    let options: PlayOptions
    let player: QueuePlayer
    /// One for each sink, and where pictures are counted one for that; see `Outputs.limited`.
    let layers: [PlayerLayer]
    let outputs: Outputs
    let items: ItemMaker
    let ending: Latch<ExitStatus>
    let state: Mutex<State>

    struct State {
        var playlist: Playlist
        var current: InputPlayback?
        /// Its last events may come when the next is current already.
        var previous: InputPlayback?
        /// Queued: follows the current one by itself.
        var next: InputPlayback?
        /// The current input has come to its end, one way or another.
        var isSettled = false
        /// Of a single input.
        var passes = 0
        /// Where the current pass began, in item time.
        var passStart = MediaTime.zero
        /// What `--duration` leaves.
        var remaining: MediaTime?
        /// As the events tell it, which is later than the player knows but in order with them.
        var timeControl = Player.TimeControlStatus.paused
        var repeatMode = Player.RepeatMode.once
        var toldItem: PlayerItem?
        var isPausedByUser = false
        /// The sound server has played for us.
        var wasHeard = false
        var sinkHasFailed = false
        var status = ExitStatus.success
        /// Over as soon as the player has paused.
        var isStopping = false
        /// Inputs of which it has been said what they lack.
        var toldOf: Set<Int> = []
        /// Why the processor decodes instead of a device.
        var toldOfHardware: Set<String> = []
        var isOver = false
        var isShutDown = false
        /// Before everything was played, by a key or an option.
        var wasStopped = false
        /// Held for as long as they shall work.
        var watching: [TimeObserver] = []
        var durationObserver: TimeObserver?
        var keys: KeyReader?
        /// Signals that concern the terminal.
        var terminalSignals: [Signals] = []
        /// They stand where the pictures were.
        var isListingKeys = false
        var statusLine: StatusLine?
        /// Gets the picture that is being saved.
        var snapshot: PlayerLayer?
        /// What a key has done, and until when it is told.
        var notice = (words: "", until: DispatchTime(uptimeNanoseconds: 0))
        /// Paused while the shell has stopped us.
        var isHeldForStop = false
    }

    /// Plays everything, and returns when the outputs are finished.
    static func run(_ options: PlayOptions) async -> ExitStatus {
        let ending = Latch<ExitStatus>()
        // A pipe whose reader has stopped may be waited for in vain, and has no end to be written; a file has.
        let patience = options.writesToStandardOutput ? 250 : 2000
        let signals = Signals(patience: .milliseconds(patience)) { ending.open($0) }
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
        loading?.cancel()
        await session.close()
        // What is not in its files by then would be fetched again.
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
        if let buffer = options.buffer { configuration.buffering.forwardDuration = buffer.seconds }
        if let megabytes = options.frameCache { Player.frameCacheByteLimit = megabytes << 20 }
        player = QueuePlayer(items: [], configuration: configuration)
        let counting = options.frames == nil ? [] : [PlayerLayer()]
        layers = outputs.video.map { _ in PlayerLayer(size: options.size) } + counting
        // The player repeats a single input by itself, without opening it again.
        let isRepeatedByPlayer = options.inputs.count == 1 && !options.repeatsFromWithin
        let list = Playlist(
            count: options.inputs.count,
            repeats: isRepeatedByPlayer ? .times(1) : options.repeats
        )
        state = Mutex(State(playlist: list, remaining: options.duration))
    }

    private func loadAndStart() async {
        await items.load()
        start()
    }

    /// The first item comes last: nothing happens before everything is in its place.
    private func start() {
        for complaint in options.list.complaints { fail(complaint) }
        let watching = [player.onEvent { [weak self] in self?.take($0) }]
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
        outputs.soundNotices.listen { [weak self] in self?.take($0) }
        player.defaultRate = options.rate
        if options.isMuted { player.isMuted = true }
        if let volume = options.volume { player.volume = volume }
        if repeatsSingleInput { player.repeatMode = .loop }
        let hasTerminal = options.hasStatusLine
        let queue = player.callbackQueue
        let keys =
            hasTerminal || PictureScreen.isThere
            ? KeyReader(for: self) { [weak self] key in queue.async { [weak self] in self?.press(key) } }
            : nil
        let tick: @Sendable () -> Void = { [weak keys] in
            keys?.refresh()
            PictureScreen.refresh()
        }
        let line = hasTerminal ? StatusLine(for: self, tick: tick) : nil
        var signals = PictureScreen.isThere ? [Signals.newSizes { PictureScreen.refresh() }] : []
        if keys != nil || PictureScreen.isThere { signals.append(stops(readsKeys: keys != nil)) }
        state.withLock { state in
            state.watching = watching
            state.keys = keys
            state.statusLine = line
            state.terminalSignals = signals
        }
        playNext()
    }

    /// By the player, without a gap; all else is a list.
    var repeatsSingleInput: Bool { isSingle && options.repeats != .times(1) }
    var isSingle: Bool { options.inputs.count == 1 && !options.repeatsFromWithin }

    private var limitedSinks: [any VideoSink] {
        guard let limit = options.frames else { return outputs.video }
        return outputs.limited(to: limit) { [weak self] in self?.stop() }
    }

    // MARK: The end

    /// As soon as the player has paused, so that the last events are told in every run.
    func stop() {
        let isPaused = state.withLock { state in
            state.isStopping = true
            state.wasStopped = true
            return state.timeControl == .paused
        }
        if isPaused { finish() } else { player.pause() }
    }

    /// Everything was played; the player pauses by itself.
    func stopWhenPaused() {
        let isPaused = state.withLock { state in
            state.isStopping = true
            return state.timeControl == .paused
        }
        if isPaused { finish() }
    }

    func finish(_ status: ExitStatus? = nil) {
        let status = state.withLock { state in
            state.isOver = true
            return status ?? state.status
        }
        // From here, where the player stands still: it does not begin another frame meanwhile.
        player.shutdown { [self] in
            state.withLock { $0.isShutDown = true }
            ending.open(status)
        }
    }

    /// A sentence about something that could not be done.
    func fail(_ sentence: String) {
        Console.shared.printError(oneLine(sentence))
        state.withLock { $0.status = .failure }
    }

    private func close() async {
        let isShutDown = state.withLock { state in
            state.isOver = true
            state.watching = []
            state.durationObserver = nil
            state.keys = nil
            state.statusLine = nil
            state.terminalSignals = []
            return state.isShutDown
        }
        if !isShutDown { await player.shutdown() }
        for window in outputs.windows { await window.closed() }
        Console.shared.clearStatus()
    }

    /// After the sinks were finished, which may have been what failed.
    private func conclude(_ status: ExitStatus) -> ExitStatus {
        var status = status
        if !state.withLock({ $0.sinkHasFailed }), let error = outputs.failures.first {
            switch SinkFailure(error) {
            case .closedPipe: status = .closedPipe
            case .sentence(let words):
                Console.shared.printError(oneLine(words))
                if case .success = status { status = .failure }
            }
        }
        if case .success = status, !state.withLock({ $0.wasStopped }) {
            for name in outputs.unused {
                fail("nothing was written to \(name): no input had anything for it")
                status = .failure
            }
        }
        if options.showsStats {
            Console.shared.say(Statistics(player.counters, player.audioDeviceFacts, options).text)
            for window in outputs.windows {
                let counters = window.counters
                Console.shared.say(
                    "window: pictures shown \(counters.framesDelivered), replaced by newer ones \(counters.framesDropped)"
                )
            }
            if let line = PictureScreen.statistics { Console.shared.say(line) }
        }
        return status
    }
}
