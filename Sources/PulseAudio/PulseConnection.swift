internal import CPulse
internal import Dispatch
internal import MediaCore

/// A connection to an audio server, for all sinks with the same address: a thread with libpulse's main loop, a
/// context, and the attempts to reconnect. Each sink has its own stream on it (`PulseMember`).
///
/// `@unchecked Sendable`: the thread is started and ended on `queue`. While it runs, all members are confined to it,
/// or to `queue` with the main loop's lock. That lock is the outermost one: no thread acquires it while it holds
/// another.
final class PulseConnection: @unchecked Sendable {
    /// The server and application name by which sinks share a connection.
    struct Address: Hashable, Sendable {
        /// The address of the server; nil for libpulse's default.
        var server: String?
        /// The name that mixers show.
        var applicationName: String
    }

    /// The queue on which members are added and removed, and the thread is started and ended.
    let queue = DispatchQueue(label: "playhead.pulse")
    private let address: Address
    private let retryTimer = PulseWaker.timer()

    /// The library, set before the thread starts.
    private(set) var library: PulseLibrary?
    private var mainLoop: OpaquePointer?
    private var retryEvent: OpaquePointer?
    private var context: OpaquePointer?
    private var members: [PulseMember] = []
    /// The members for which there was no thread or no file descriptor. They are tried again.
    private var refusedMembers: [PulseMember] = []
    /// The number of refusals in a row, since the last time when no member was refused.
    private var refusalCount = 0
    /// Streams without a member that the server has not created yet.
    private var abandoned: Set<OpaquePointer> = []
    /// The number of attempts to connect since a stream was last ready.
    private var attempts = 0
    /// Whether a stream has ever been ready since the thread started.
    private var hasConnected = false
    /// Whether the timer for the next attempt is set.
    private var isRetryScheduled = false

    init(_ address: Address) { self.address = address }

    // MARK: Called on the queue

    func add(_ member: PulseMember) {
        guard !member.isFinished else { return }
        let obstacle = start() ?? (member.prepare() ? nil : .noDescriptor)
        if let obstacle {
            member.refuse(obstacle.reason)
            if !obstacle.isPermanent { scheduleRetry(member) }
            return
        }
        withMainLoopLock { api in
            member.attach(self, api)
            members.append(member)
            // A member that is added between two attempts causes an attempt at once.
            if context == nil { connect() } else if readyContext != nil { member.serverDidConnect() }
        }
    }

    /// Tries again later to add a member for which the system had no thread or no file descriptor.
    private func scheduleRetry(_ member: PulseMember) {
        refusedMembers.append(member)
        guard refusedMembers.count == 1 else { return }
        let delay = Self.retryDelay(refusalCount, hasConnected: hasConnected)
        refusalCount += 1
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(delay))) { [weak self] in
            guard let self else { return }
            let members = refusedMembers
            refusedMembers = []
            for member in members { add(member) }
            if refusedMembers.isEmpty { refusalCount = 0 }
        }
    }

    /// Removes a member. It is not called back after this.
    func remove(_ member: PulseMember) {
        refusedMembers.removeAll { $0 === member }
        withMainLoopLock { api in
            members.removeAll { $0 === member }
            member.detach(api)
        }
    }

    /// Ends the thread, after the last member has been removed.
    func close() {
        withMainLoopLock { api in
            disconnect()
            if let retryEvent { api.pointee.io_free(retryEvent) }
            retryEvent = nil
        }
        guard let mainLoop, let library else { return }
        library.functions.threaded_mainloop_stop(mainLoop)
        library.functions.threaded_mainloop_free(mainLoop)
        self.mainLoop = nil
        attempts = 0
        hasConnected = false
        cancelRetry()
    }

    /// A reason why no thread could be started.
    private struct Obstacle {
        var reason: String
        /// Whether trying again is useless.
        var isPermanent = false

        static let noDescriptor = Obstacle(
            reason: "too many open files: no file descriptor is left for the audio server"
        )
    }

    /// Starts the thread if it does not run. Returns nil on success.
    private func start() -> Obstacle? {
        guard mainLoop == nil else { return nil }
        let library: PulseLibrary
        switch PulseLibrary.shared {
        case .success(let shared): library = shared
        case .failure(let failure):
            let isPermanent = if case .notLoaded = failure { false } else { true }
            return Obstacle(
                reason: "libpulse \(failure.explanation) (Debian: libpulse0)",
                isPermanent: isPermanent
            )
        }
        guard retryTimer.open() else { return .noDescriptor }
        let pulse = library.functions
        guard let mainLoop = pulse.threaded_mainloop_new(),
            let api = pulse.threaded_mainloop_get_api(mainLoop)
        else { return Obstacle(reason: "libpulse is out of memory or file descriptors") }
        pulse.threaded_mainloop_set_name(mainLoop, Self.threadName)
        let event = retryTimer.watch(api, Self.timed, Unmanaged.passUnretained(self).toOpaque())
        (self.library, self.mainLoop, retryEvent) = (library, mainLoop, event)
        guard pulse.threaded_mainloop_start(mainLoop) == 0 else {
            pulse.threaded_mainloop_free(mainLoop)
            (self.mainLoop, retryEvent) = (nil, nil)
            return Obstacle(reason: "no thread could be created for the audio server")
        }
        return nil
    }

    private func withMainLoopLock(_ body: (UnsafeMutablePointer<pa_mainloop_api>) -> Void) {
        guard let mainLoop, let pulse = library?.functions,
            let api = pulse.threaded_mainloop_get_api(mainLoop)
        else { return }
        pulse.threaded_mainloop_lock(mainLoop)
        defer { pulse.threaded_mainloop_unlock(mainLoop) }
        body(api)
    }

    // MARK: Called on the main loop's thread

    private func connect() {
        guard let library, let mainLoop, context == nil else { return }
        let pulse = library.functions
        let properties = pulse.proplist_new()
        defer { if let properties { pulse.proplist_free(properties) } }
        _ = pulse.proplist_sets(properties, "application.name", address.applicationName)
        _ = pulse.proplist_sets(properties, "media.role", "video")
        let api = pulse.threaded_mainloop_get_api(mainLoop)
        guard let context = pulse.context_new_with_proplist(api, address.applicationName, properties) else {
            return failed("libpulse is out of memory")
        }
        self.context = context
        let me = Unmanaged.passUnretained(self).toOpaque()
        pulse.context_set_state_callback(context, Self.contextChanged, me)
        pulse.context_set_subscribe_callback(context, Self.devicesChanged, me)
        // A player must not start an audio server.
        let code = pulse.context_connect(context, address.server, PA_CONTEXT_NOAUTOSPAWN, nil)
        if code < 0, self.context != nil { failed(library.message(for: error)) }
    }

    fileprivate func contextDidChange() {
        guard let library, let context else { return }
        let pulse = library.functions
        switch pulse.context_get_state(context) {
        case PA_CONTEXT_READY:
            cancelRetry()
            if let operation = pulse.context_subscribe(context, PA_SUBSCRIPTION_MASK_SINK, nil, nil) {
                pulse.operation_unref(operation)
            }
            for member in members where self.context == context { member.serverDidConnect() }
        case PA_CONTEXT_FAILED, PA_CONTEXT_TERMINATED: failed(library.message(for: error))
        default: break
        }
    }

    /// Handles a failed connection: reports it to all members and schedules one attempt for all of them.
    func failed(_ reason: String) {
        disconnect()
        for member in members { member.serverDidDisconnect(reason) }
        guard !isRetryScheduled else { return }
        isRetryScheduled = true
        retryTimer.set(milliseconds: Self.retryDelay(attempts, hasConnected: hasConnected))
        attempts += 1
    }

    /// Returns the delay before the next attempt in milliseconds: short at first, for a server that restarts, and
    /// longer if there has never been a connection.
    static func retryDelay(_ attempts: Int, hasConnected: Bool) -> Int64 {
        min(hasConnected ? 400 : 5000, 50 << min(10, Int64(attempts)))
    }

    private func cancelRetry() {
        isRetryScheduled = false
        retryTimer.set(milliseconds: nil)
    }

    fileprivate func timerFired() {
        guard retryTimer.drain() else { return }
        isRetryScheduled = false
        connect()
    }

    private func disconnect() {
        guard let library else { return }
        let pulse = library.functions
        for member in members { member.closeStream() }
        for stream in abandoned {
            pulse.stream_set_state_callback(stream, nil, nil)
            pulse.stream_unref(stream)
        }
        abandoned = []
        guard let context else { return }
        self.context = nil
        pulse.context_set_state_callback(context, nil, nil)
        pulse.context_set_subscribe_callback(context, nil, nil)
        pulse.context_disconnect(context)
        pulse.context_unref(context)
    }

    // MARK: Called by members, on the main loop's thread

    /// The context, if the server has answered; otherwise nil.
    var readyContext: OpaquePointer? {
        guard let library, let context,
            library.functions.context_get_state(context) == PA_CONTEXT_READY
        else { return nil }
        return context
    }

    /// The libpulse error of the last request.
    var error: Int32 { context.flatMap { library?.functions.context_errno($0) } ?? 0 }

    func memberDidConnect() {
        attempts = 0
        hasConnected = true
    }

    /// Takes ownership of a stream without callbacks, and ends it.
    ///
    /// A stream that is still being created cannot be ended until the server has answered. If it were released now,
    /// it would stay on the server as long as the connection.
    func end(_ stream: OpaquePointer) {
        guard let pulse = library?.functions else { return }
        switch pulse.stream_get_state(stream) {
        case PA_STREAM_CREATING where readyContext != nil:
            abandoned.insert(stream)
            let me = Unmanaged.passUnretained(self).toOpaque()
            return pulse.stream_set_state_callback(stream, Self.abandonedChanged, me)
        case PA_STREAM_READY: _ = pulse.stream_disconnect(stream)
        default: break
        }
        pulse.stream_unref(stream)
    }

    fileprivate func abandonedDidChange(_ stream: OpaquePointer) {
        guard let pulse = library?.functions, abandoned.remove(stream) != nil else { return }
        pulse.stream_set_state_callback(stream, nil, nil)
        // libpulse retains the stream until the server has answered this request, too.
        if pulse.stream_get_state(stream) == PA_STREAM_READY { _ = pulse.stream_disconnect(stream) }
        pulse.stream_unref(stream)
    }

    fileprivate func deviceWasAdded() {
        for member in members { member.deviceWasAdded() }
    }

    // MARK: libpulse callbacks

    private static func me(_ data: UnsafeMutableRawPointer?) -> PulseConnection? {
        data.map { Unmanaged<PulseConnection>.fromOpaque($0).takeUnretainedValue() }
    }
    private static let timed: pa_io_event_cb_t = { _, _, _, _, data in me(data)?.timerFired() }
    private static let contextChanged: pa_context_notify_cb_t = { _, data in me(data)?.contextDidChange() }
    private static let devicesChanged: pa_context_subscribe_cb_t = { _, event, _, data in
        // Only sinks are subscribed to. A changed or removed device cannot be a missing one.
        let kind = event.rawValue & PA_SUBSCRIPTION_EVENT_TYPE_MASK.rawValue
        if kind == PA_SUBSCRIPTION_EVENT_NEW.rawValue { me(data)?.deviceWasAdded() }
    }
    private static let abandonedChanged: pa_stream_notify_cb_t = { stream, data in
        if let stream { me(data)?.abandonedDidChange(stream) }
    }

    /// The name of the thread in `/proc` and debuggers: at most 15 bytes.
    static let threadName = "playhead.pulse"
}
