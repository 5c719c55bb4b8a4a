import Dispatch
import PlayheadCore
import Synchronization

/// The remote control of a session: what its clients observe, and the events that they receive.
///
/// It speaks mpv's protocol. All members except `init` are used on the callback queue of the player, so that commands,
/// events and values of properties have one order.
final class Control: @unchecked Sendable {
    // The callback queue guards the variables; `server` is set once, before it is used there.

    /// The version of mpv whose interface this is. Clients compare the numbers.
    static let mpvVersion = "mpv 0.38.0 (vplay \(PlayheadVersion.current))"

    /// A property that a client observes.
    private struct Observation {
        let id: Int
        let name: String
        /// Identifies the observation among all of the session.
        let key: Int
        /// Whether values are sent as text.
        let isText: Bool
        /// The value that was sent last, as text; nil if none was sent, empty if it was unavailable.
        var sent: String?
    }

    private struct Subscriber {
        let client: ControlClient
        var observations: [Observation] = []
        var events = EventSelection()
        var logLevel = LogLevel.none
        /// Whether a command of the client reads or writes files. Later ones wait for it.
        var isUsingFiles = false
        var waiting: [ControlRequest] = []
        /// Called when no request waits, so that the client is read further.
        var hasReceived: [@Sendable () -> Void] = []
    }

    enum LogLevel: Int {
        case none, fatal, error, warn, info, verbose

        init?(_ name: String) {
            switch name {
            case "no": self = .none
            case "fatal": self = .fatal
            case "error": self = .error
            case "warn": self = .warn
            case "info", "status", "terminal-default": self = .info
            case "v", "debug", "trace": self = .verbose
            default: return nil
            }
        }
    }

    private weak var session: PlaySession?
    private let queue: DispatchQueue
    private var server: ControlServer?
    private var subscribers: [Int: Subscriber] = [:]
    /// The entry for which `start-file` was sent, and `end-file` was not.
    private var openEntry: Int?
    /// The entries that have failed while that one plays, and were to follow it.
    private var failedEntries: [(id: Int, error: String)] = []
    private var isLoaded = false
    private var needsRestart = false
    private var isCheckPending = false
    private var timer: TimeObserver?
    private var timerInterval = MediaTime.invalid
    private var lastKey = 0
    private var mpris: MPRIS?
    /// The tracks that clients have requested, also for later files.
    var trackRequests: [MediaType: TrackRequest] = [:]
    /// The tracks of the last file that has become ready.
    var trackLayout: TrackLayout?
    var loop = ControlLoop()
    var loopObserver: TimeObserver?

    /// Opens the socket. Clients are accepted when `start(_:)` is called.
    ///
    /// - Parameters:
    ///   - path: The path of the socket, or nil if only the HTTP interface is used.
    ///   - queue: The callback queue of the player.
    /// - Throws: `ControlSocketError` if the socket cannot be created.
    init(path: String?, queue: DispatchQueue) throws(ControlSocketError) {
        self.queue = queue
        guard let path else { return }
        server = try ControlServer(path: path) { [weak self] client, lines, done in
            queue.async { [weak self] in
                guard let self else { return done() }
                receive(lines, from: client, done)
            }
        } connected: { [weak self] client in
            queue.async { [weak self] in self?.subscribers[client.id] = Subscriber(client: client) }
        } disconnected: { [weak self] client in
            queue.async { [weak self] in
                for done in self?.subscribers.removeValue(forKey: client.id)?.hasReceived ?? [] { done() }
                self?.updateTimer()
            }
        }
    }

    func start(_ session: PlaySession) {
        self.session = session
        server?.start()
        if session.options.service.hasMPRIS { startMPRIS(session) }
    }

    /// Offers the player on the session bus. Without a bus, playback continues.
    private func startMPRIS(_ session: PlaySession) {
        let isQuiet = session.options.isQuiet
        let report = { (error: BusError) in
            if !isQuiet {
                Console.shared.printError("warning: no session bus: \(error.message): playing without MPRIS")
            }
        }
        do throws(BusError) {
            mpris = try MPRIS(session) { [weak self] error in
                self?.mpris = nil
                report(error)
            }
        } catch {
            report(error)
        }
    }

    /// Reports that the position has changed other than by playing.
    func timeJumped(to time: MediaTime) { mpris?.announceSeek(to: time) }

    /// Tells the clients that the session has ended, and disconnects them.
    func close() {
        fileEnded("quit")
        emit("shutdown")
        server?.close()
        server = nil
        mpris?.close()
        mpris = nil
        timer = nil
        loopObserver = nil
    }

    // MARK: Requests

    private func receive(
        _ lines: [[UInt8]],
        from client: ControlClient,
        _ done: @escaping @Sendable () -> Void
    ) {
        guard subscribers[client.id] != nil else { return done() }
        for line in lines { subscribers[client.id]?.waiting += ControlRequest.parse(line) }
        subscribers[client.id]?.hasReceived.append(done)
        runRequests(of: client)
    }

    /// Runs the requests of a client up to one that reads or writes files.
    private func runRequests(of client: ControlClient) {
        guard let session, let requests = subscribers[client.id]?.waiting else { return }
        var count = 0
        for request in requests {
            guard let subscriber = subscribers[client.id], !subscriber.isUsingFiles else { break }
            count += 1
            ControlCommands(session: session, control: self, client: client).run(request)
        }
        subscribers[client.id]?.waiting.removeFirst(count)
        // While a request uses files, the end of the client's input must not be seen, because its reply would be lost.
        if let subscriber = subscribers[client.id], subscriber.waiting.isEmpty, !subscriber.isUsingFiles {
            subscribers[client.id]?.hasReceived = []
            for done in subscriber.hasReceived { done() }
        }
        checkLater()
    }

    /// Makes the requests of a client wait until `endUsingFiles(for:)`, because the current one reads or writes files.
    func beginUsingFiles(for client: ControlClient) { subscribers[client.id]?.isUsingFiles = true }

    func endUsingFiles(for client: ControlClient) {
        subscribers[client.id]?.isUsingFiles = false
        runRequests(of: client)
    }

    /// Returns the reply to a request. A result of nil has no data.
    static func reply(id: JSONValue, _ result: Result<JSONValue?, ControlError>) -> String {
        var members: [(String, JSONValue)] = []
        if case .success(let data?) = result { members.append(("data", data)) }
        var word = "success"
        if case .failure(let error) = result { word = error.rawValue }
        members += [("request_id", id), ("error", .string(word))]
        return JSONValue.object(members).text
    }

    func observe(_ name: String, id: Int, isText: Bool, by client: ControlClient) {
        lastKey += 1
        let observation = Observation(id: id, name: name, key: lastKey, isText: isText)
        subscribers[client.id]?.observations.append(observation)
        updateTimer()
    }

    func unobserve(id: Int, by client: ControlClient) {
        subscribers[client.id]?.observations.removeAll { $0.id == id }
        updateTimer()
    }

    func setEvent(_ name: String, isEnabled: Bool, for client: ControlClient) {
        subscribers[client.id]?.events.set(name, isEnabled: isEnabled)
    }

    func setLogLevel(_ level: LogLevel, for client: ControlClient) {
        subscribers[client.id]?.logLevel = level
    }

    // MARK: Events

    /// Sends an event to the clients that have not disabled it.
    func emit(_ name: String, _ members: [(String, JSONValue)] = []) {
        let line = JSONValue.object([("event", .string(name))] + members).text
        for subscriber in subscribers.values where subscriber.events.contains(name) {
            subscriber.client.send(line)
        }
    }

    /// Sends a message of the session to the clients that asked for its level.
    func log(_ level: LogLevel, _ sentence: String) {
        let members: [(String, JSONValue)] = [
            ("event", .string("log-message")), ("prefix", .string("vplay")),
            ("level", .string("\(level)")), ("text", .string(sentence + "\n")),
        ]
        let line = JSONValue.object(members).text
        for subscriber in subscribers.values where subscriber.logLevel.rawValue >= level.rawValue {
            subscriber.client.send(line)
        }
    }

    /// Reports that an entry has become the current one.
    func fileStarted(_ entry: PlaylistEntry, isReady: Bool) {
        fileEnded("stop")
        openEntry = entry.id
        emit("start-file", [("playlist_entry_id", .integer(entry.id + 1))])
        if isReady { fileLoaded(entry.id) }
        checkLater()
    }

    /// Reports that the item of an entry is ready to play.
    func fileLoaded(_ id: Int) {
        guard openEntry == id, !isLoaded else { return }
        isLoaded = true
        needsRestart = true
        loop = ControlLoop()
        loopObserver = nil
        emit("file-loaded")
        updateTimer()
    }

    /// Reports that playback goes on after loading or a seek.
    func playbackRestarted(afterSeek: Bool = false) {
        guard isLoaded, needsRestart || afterSeek else { return }
        needsRestart = false
        emit("playback-restart")
    }

    /// Reports the end of the current entry, once.
    ///
    /// - Parameters:
    ///   - reason: "eof", "stop", "quit" or "error".
    ///   - error: The message of the error.
    func fileEnded(_ reason: String, error: String? = nil) {
        guard let id = openEntry else { return }
        openEntry = nil
        isLoaded = false
        needsRestart = false
        let words: [(String, JSONValue)] = error.map { [("file_error", .string($0))] } ?? []
        emit("end-file", [("reason", .string(reason)), ("playlist_entry_id", .integer(id + 1))] + words)
        let failed = failedEntries
        failedEntries = []
        // They follow the end of an entry, and no command that stops it.
        guard let session, !failed.isEmpty, reason == "eof" || reason == "error" else { return }
        let present = session.state.withLock { Set($0.playlist.entries.map(\.id)) }
        for entry in failed where present.contains(entry.id) { fileFailed(entry.id, error: entry.error) }
    }

    /// Reports an entry that cannot be played: at once, or after the current one.
    func fileFailed(_ id: Int, error: String) {
        guard openEntry == nil else {
            failedEntries.removeAll { $0.id == id }
            failedEntries.append((id, error))
            return
        }
        openEntry = id
        emit("start-file", [("playlist_entry_id", .integer(id + 1))])
        fileEnded("error", error: error)
    }

    /// Forgets that an entry has failed, because it is opened again.
    func fileRetried(_ id: Int) { failedEntries.removeAll { $0.id == id } }

    // MARK: Observed properties

    /// Compares the observed properties with what was sent, after the events that are already queued.
    func checkLater() {
        guard !isCheckPending else { return }
        isCheckPending = true
        queue.async { [weak self] in
            self?.isCheckPending = false
            self?.check { _ in true }
            self?.mpris?.announceChanges()
        }
    }

    private func check(_ isIncluded: (ControlProperty) -> Bool) {
        guard let session, !subscribers.isEmpty else { return }
        var values: [String: JSONValue?] = [:]
        for (clientID, subscriber) in subscribers {
            for (index, observation) in subscriber.observations.enumerated() {
                let property = ControlProperty.named(observation.name)
                if let property, observation.sent != nil, !isIncluded(property) { continue }
                let value =
                    values[observation.name]
                    ?? {
                        let value = property?.value(session)
                        values[observation.name] = value
                        return value
                    }()
                let shown = observation.isText ? value.map { JSONValue.string($0.plainText) } : value
                let text = shown?.text ?? ""
                guard text != observation.sent else { continue }
                subscribers[clientID]?.observations[index].sent = text
                var members: [(String, JSONValue)] = [
                    ("event", .string("property-change")), ("id", .integer(observation.id)),
                    ("name", .string(observation.name)),
                ]
                if let shown { members.append(("data", shown)) }
                subscriber.client.send(JSONValue.object(members).text, property: observation.key)
            }
        }
    }

    /// Observes time once a frame while a client observes a property that changes with it.
    func updateTimer() {
        let isNeeded = subscribers.values.contains { subscriber in
            subscriber.observations.contains { ControlProperty.named($0.name)?.isTimed ?? false }
        }
        guard isNeeded, let session else {
            timer = nil
            timerInterval = .invalid
            return
        }
        let interval = session.frameInterval
        guard timer == nil || interval != timerInterval else { return }
        timerInterval = interval
        timer = session.player.addPeriodicTimeObserver(forInterval: interval) { [weak self] _ in
            self?.check(\.isTimed)
        }
    }
}
