internal import CPulse
internal import Dispatch
internal import MediaCore

/// One connection to a sound server, for all sinks that are open with one address: a thread with libpulse's main loop, a
/// context, and the attempts to connect again. Each sink has a stream of its own on it (`PulseMember`).
///
/// `@unchecked Sendable`: the thread is started and ended on `queue`. While it runs, all of this is confined to it, or to
/// `queue` with the main loop's lock. That lock is the outermost one: nobody takes it who holds another.
final class PulseConnection: @unchecked Sendable {
    struct Address: Hashable, Sendable {
        /// nil: as libpulse finds it.
        var server: String?
        /// As mixers show it.
        var applicationName: String
    }

    /// Members come and go on it, and the thread with them.
    let queue = DispatchQueue(label: "playhead.pulse")
    private let address: Address
    private let retryTimer = PulseWaker.timer()

    /// Set before the thread begins.
    private(set) var library: PulseLibrary?
    private var mainLoop: OpaquePointer?
    private var retryEvent: OpaquePointer?
    private var context: OpaquePointer?
    private var members: [PulseMember] = []
    /// Those for whom there was no thread or no descriptor; they are tried again.
    private var refusedMembers: [PulseMember] = []
    /// Since all were taken.
    private var refusalCount = 0
    /// Streams without a member that the server has not made yet.
    private var abandoned: Set<OpaquePointer> = []
    /// Since somebody was heard.
    private var attempts = 0
    private var hasConnected = false
    /// The next attempt is due at a time that is set.
    private var isRetryScheduled = false

    init(_ address: Address) { self.address = address }

    // MARK: On the queue

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
            // Whoever comes between two attempts does not wait for the next one.
            if context == nil { connect() } else if readyContext != nil { member.serverDidConnect() }
        }
    }

    /// The system had no thread or no descriptor. It may have one soon: what is lacking is lacking for a while.
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

    /// Nothing is called back for it after this.
    func remove(_ member: PulseMember) {
        refusedMembers.removeAll { $0 === member }
        withMainLoopLock { api in
            members.removeAll { $0 === member }
            member.detach(api)
        }
    }

    /// Ends the thread, when the last member has left.
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

    /// What is in the way of a thread.
    private struct Obstacle {
        var reason: String
        /// It does not go away by itself.
        var isPermanent = false

        static let noDescriptor = Obstacle(reason: "the process has no file descriptor left for sound")
    }

    /// nil: the thread runs.
    private func start() -> Obstacle? {
        guard mainLoop == nil else { return nil }
        let library: PulseLibrary
        switch PulseLibrary.shared {
        case .success(let shared): library = shared
        case .failure(let failure):
            let isPermanent = if case .notLoaded = failure { false } else { true }
            return Obstacle(reason: "libpulse \(failure.explanation)", isPermanent: isPermanent)
        }
        guard retryTimer.open() else { return .noDescriptor }
        let pulse = library.functions
        guard let mainLoop = pulse.threaded_mainloop_new(),
            let api = pulse.threaded_mainloop_get_api(mainLoop)
        else { return Obstacle(reason: "libpulse has no memory or no file descriptor") }
        pulse.threaded_mainloop_set_name(mainLoop, Self.threadName)
        let event = retryTimer.watch(api, Self.timed, Unmanaged.passUnretained(self).toOpaque())
        (self.library, self.mainLoop, retryEvent) = (library, mainLoop, event)
        guard pulse.threaded_mainloop_start(mainLoop) == 0 else {
            pulse.threaded_mainloop_free(mainLoop)
            (self.mainLoop, retryEvent) = (nil, nil)
            return Obstacle(reason: "no thread could be started for sound")
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

    // MARK: The main loop's thread

    private func connect() {
        guard let library, let mainLoop, context == nil else { return }
        let pulse = library.functions
        let properties = pulse.proplist_new()
        defer { if let properties { pulse.proplist_free(properties) } }
        _ = pulse.proplist_sets(properties, "application.name", address.applicationName)
        _ = pulse.proplist_sets(properties, "media.role", "video")
        let api = pulse.threaded_mainloop_get_api(mainLoop)
        guard let context = pulse.context_new_with_proplist(api, address.applicationName, properties) else {
            return failed("libpulse has no memory")
        }
        self.context = context
        let me = Unmanaged.passUnretained(self).toOpaque()
        pulse.context_set_state_callback(context, Self.contextChanged, me)
        pulse.context_set_subscribe_callback(context, Self.devicesChanged, me)
        // A player does not start an audio server where there is none.
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

    /// The server is gone, or never was, or does not answer. All members hear of it, and one attempt is made for all.
    func failed(_ reason: String) {
        disconnect()
        for member in members { member.serverDidDisconnect(reason) }
        guard !isRetryScheduled else { return }
        isRetryScheduled = true
        retryTimer.set(milliseconds: Self.retryDelay(attempts, hasConnected: hasConnected))
        attempts += 1
    }

    /// Milliseconds. Fast at first, for a server that is being restarted; slow where there never was one.
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

    // MARK: For members, on the main loop's thread

    /// nil: the server has not answered yet, or there is none.
    var readyContext: OpaquePointer? {
        guard let library, let context,
            library.functions.context_get_state(context) == PA_CONTEXT_READY
        else { return nil }
        return context
    }

    /// Why the last request failed.
    var error: Int32 { context.flatMap { library?.functions.context_errno($0) } ?? 0 }

    func memberDidConnect() {
        attempts = 0
        hasConnected = true
    }

    /// Takes over a stream without callbacks. One that is being made cannot be ended before the server has answered;
    /// left alone it would stay at the server as long as the connection.
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
        // libpulse keeps it until the server has answered this, too.
        if pulse.stream_get_state(stream) == PA_STREAM_READY { _ = pulse.stream_disconnect(stream) }
        pulse.stream_unref(stream)
    }

    fileprivate func deviceWasAdded() {
        for member in members { member.deviceWasAdded() }
    }

    // MARK: What libpulse calls

    private static func me(_ data: UnsafeMutableRawPointer?) -> PulseConnection? {
        data.map { Unmanaged<PulseConnection>.fromOpaque($0).takeUnretainedValue() }
    }
    private static let timed: pa_io_event_cb_t = { _, _, _, _, data in me(data)?.timerFired() }
    private static let contextChanged: pa_context_notify_cb_t = { _, data in me(data)?.contextDidChange() }
    private static let devicesChanged: pa_context_subscribe_cb_t = { _, event, _, data in
        // Only of sinks, as was asked for. What changes or goes brings no device that was missing.
        let kind = event.rawValue & PA_SUBSCRIPTION_EVENT_TYPE_MASK.rawValue
        if kind == PA_SUBSCRIPTION_EVENT_NEW.rawValue { me(data)?.deviceWasAdded() }
    }
    private static let abandonedChanged: pa_stream_notify_cb_t = { stream, data in
        if let stream { me(data)?.abandonedDidChange(stream) }
    }

    /// As `/proc` and debuggers show it: up to 15 bytes.
    static let threadName = "playhead.pulse"
}
