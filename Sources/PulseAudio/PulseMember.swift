internal import CPulse
internal import MediaCore
internal import Synchronization

/// One sink's part of a connection: its stream, the device that it wants, and what it is told.
///
/// `@unchecked Sendable`: from `attach` to `detach` what is mutable is confined to the main loop's thread, or to its lock;
/// before and after that, to the connection's queue.
final class PulseMember: @unchecked Sendable {
    let address: PulseConnection.Address
    let settings: Locked<PulseAudioSink.Settings>
    let signals: PulseSignals
    let clock: any HostClock
    private let notices: PulseNotices

    private enum Membership {
        case notJoined
        case joined(PulseConnection)
        case left
    }
    private let membership = Locked(Membership.notJoined)

    /// Both are made in `init`, so that a wake before `attach` is not lost.
    private let waker = PulseWaker.event()
    private let timer = PulseWaker.timer()
    private var events: [OpaquePointer] = []
    private var connection: PulseConnection?
    private var stream: PulseStream?
    private var operations = PulseOperations()
    /// Where the stream was told to go, in the order in which the server answers.
    private var moves: [String] = []
    /// Streams that failed since one was heard.
    private var attempts = 0
    private var hasConnected = false
    /// The next stream is due at a time that is set.
    private var isRetryScheduled = false
    /// The device that was asked for is not there: the default is used until another is asked for.
    private var missingDevice: String?
    /// It was away for a while: devices may have come that nobody was told of.
    private var mayHaveMissedDevices = false

    init(
        address: PulseConnection.Address,
        settings: Locked<PulseAudioSink.Settings>,
        signals: PulseSignals,
        clock: any HostClock,
        onNotice: @escaping @Sendable (PulseAudioSink.Notice) -> Void
    ) {
        self.address = address
        self.settings = settings
        self.signals = signals
        self.clock = clock
        notices = PulseNotices(settings, onNotice)
    }

    // MARK: From outside, on any thread; nothing waits

    /// Something was asked for, or samples have come.
    func wake() { waker.wake() }

    /// Takes effect once.
    func open() {
        membership.withLock { membership in
            guard case .notJoined = membership else { return }
            signals.isConnecting.store(true, ordering: .relaxed)
            membership = .joined(PulseConnections.shared.join(self))
        }
    }

    /// Once it has taken effect, nothing is called back any more. It cannot be opened again.
    func close() {
        membership.withLock { membership in
            if case .joined(let connection) = membership { PulseConnections.shared.leave(self, connection) }
            membership = .left
        }
    }

    var isFinished: Bool { settings.withLock { $0.isFinished } }

    // MARK: On the connection's queue

    /// There is no thread to be on, or nothing to be woken by.
    func refuse(_ reason: String) { reportUnavailable(reason) }

    /// Before `attach`. False: it cannot be woken.
    func prepare() -> Bool { waker.open() && timer.open() }

    /// With the main loop's lock.
    func attach(_ connection: PulseConnection, _ api: UnsafeMutablePointer<pa_mainloop_api>) {
        self.connection = connection
        let me = Unmanaged.passUnretained(self).toOpaque()
        events = [waker.watch(api, Self.woken, me), timer.watch(api, Self.timed, me)].compactMap { $0 }
    }

    /// With the main loop's lock.
    func detach(_ api: UnsafeMutablePointer<pa_mainloop_api>) {
        closeStream()
        for event in events { api.pointee.io_free(event) }
        events = []
        connection = nil
    }

    // MARK: From the connection, on the main loop's thread

    func serverDidConnect() {
        cancelRetry()
        openStream()
    }

    func serverDidDisconnect(_ reason: String) {
        mayHaveMissedDevices = true
        reportUnavailable(reason)
    }

    /// What had none, or not the one that it wants, may have one now.
    func deviceWasAdded() {
        guard missingDevice != nil || stream == nil else { return }
        missingDevice = nil
        cancelRetry()
        applyRequests()
    }

    func closeStream() {
        if let stream {
            signals.isDisconnected.store(true, ordering: .releasing)
            self.stream = nil
            stream.close()
        }
        if let library = connection?.library { operations.cancel(library) }
        moves = []
        signals.canPlay.store(false, ordering: .relaxed)
        signals.timing.invalidate()
        signals.deviceName.withLock { $0 = nil }
    }

    // MARK: The stream

    private func openStream() {
        guard let connection, let library = connection.library, let context = connection.readyContext,
            stream == nil
        else { return }
        let (format, ring, wanted, title) = settings.withLock { ($0.format, $0.ring, $0.device, $0.title) }
        guard let format, let ring else { return }
        stream = PulseStream(
            self,
            library: library,
            context: context,
            format: format,
            ring: ring,
            device: wanted == missingDevice ? nil : wanted,
            title: title
        )
        if stream == nil { streamDidFail(library.message(for: connection.error)) }
    }

    private func streamDidFail(_ reason: String) {
        closeStream()
        reportUnavailable(reason)
        scheduleRetry(milliseconds: PulseConnection.retryDelay(attempts, hasConnected: hasConnected))
        attempts += 1
    }

    private func scheduleRetry(milliseconds: Int64) {
        isRetryScheduled = true
        timer.set(milliseconds: milliseconds)
    }

    private func cancelRetry() {
        guard isRetryScheduled else { return }
        isRetryScheduled = false
        timer.set(milliseconds: nil)
    }

    fileprivate func timerFired() {
        // It may have been set anew since it rang.
        guard timer.drain() else { return }
        if let stream { return stream.waitDidEnd() }
        isRetryScheduled = false
        openStream()
    }

    /// `PulseStream.waited` is called once after this.
    func startWaiting() { timer.set(milliseconds: Int64(Self.waitTimeMilliseconds)) }

    /// Of the tenth of a second with which a stream begins the device takes the larger part at once.
    static let waitTimeMilliseconds = 20

    /// What was asked for since the last time.
    fileprivate func applyRequests() {
        waker.drain()
        if signals.deviceDidChange.exchange(false, ordering: .acquiring) {
            missingDevice = nil
            notices.forgetMissingDevice()
        }
        if stream == nil, !isRetryScheduled { openStream() }
        let (wanted, title, isPaused) = settings.withLock { ($0.device, $0.title, $0.isPaused) }
        stream?.applyRequests(
            device: wanted == missingDevice ? nil : wanted,
            title: title,
            isPaused: isPaused
        )
    }

    // MARK: From the stream

    func end(_ stream: OpaquePointer) { connection?.end(stream) }

    func streamIsReady(device: String) {
        attempts = 0
        hasConnected = true
        connection?.memberDidConnect()
        signals.deviceName.withLock { $0 = device }
        signals.isDisconnected.store(false, ordering: .releasing)
        notices.reportConnected(to: device)
        if mayHaveMissedDevices {
            mayHaveMissedDevices = false
            deviceWasAdded()
        }
        applyRequests()
    }

    /// From now on it is known how soon something can be heard.
    func streamIsMeasured() { signals.isConnecting.store(false, ordering: .relaxed) }

    func streamMoved(to device: String) {
        signals.deviceName.withLock { $0 = device }
        notices.deviceIsInUse(device)
    }

    /// The stream was refusedMembers, or taken away with its device.
    func streamFailed(requested: String?) {
        guard let connection, let library = connection.library else { return }
        let error = connection.error
        // A server that hangs would make the stream when nobody waits for it. A new connection knows nothing of that.
        if error == Int32(PA_ERR_TIMEOUT.rawValue) { return connection.failed(library.message(for: error)) }
        let isMissing = requested != nil && error == Int32(PA_ERR_NOENTITY.rawValue)
        if let requested, isMissing { reportMissingDevice(requested) }
        streamDidFail(library.message(for: error))
        // There may be another one.
        if isMissing { scheduleRetry(milliseconds: 1) }
    }

    func move(_ stream: UInt32, to device: String) {
        guard let connection, let library = connection.library, let context = connection.readyContext else {
            return
        }
        let me = Unmanaged.passUnretained(self).toOpaque()
        let operation = library.functions.context_move_sink_input_by_name(
            context,
            stream,
            device,
            Self.moved,
            me
        )
        if operations.add(operation, library) { moves.append(device) }
    }

    /// To whatever the server's default is now.
    func moveToDefault() {
        guard let connection, let library = connection.library, let context = connection.readyContext else {
            return
        }
        let me = Unmanaged.passUnretained(self).toOpaque()
        operations.add(library.functions.context_get_server_info(context, Self.serverKnown, me), library)
    }

    fileprivate func defaultIsKnown(_ device: String) {
        if let stream { move(stream.index, to: device) }
    }

    fileprivate func moveDidEnd(_ succeeded: Bool) {
        guard !moves.isEmpty else { return }
        let device = moves.removeFirst()
        // Another one may be wanted since.
        guard !succeeded, device == settings.withLock({ $0.device }) else { return }
        reportMissingDevice(device)
        // To the default. A stream that took itself for moved would not be moved when the device comes.
        applyRequests()
    }

    // MARK: What is told

    private func reportMissingDevice(_ device: String) {
        missingDevice = device
        notices.reportMissing(device)
    }

    private func reportUnavailable(_ reason: String) {
        signals.isConnecting.store(false, ordering: .relaxed)
        notices.reportUnavailable(reason)
    }

    // MARK: What libpulse calls

    private static func me(_ data: UnsafeMutableRawPointer?) -> PulseMember? {
        data.map { Unmanaged<PulseMember>.fromOpaque($0).takeUnretainedValue() }
    }
    private static let woken: pa_io_event_cb_t = { _, _, _, _, data in me(data)?.applyRequests() }
    private static let timed: pa_io_event_cb_t = { _, _, _, _, data in me(data)?.timerFired() }
    private static let moved: pa_context_success_cb_t = { _, success, data in
        me(data)?.moveDidEnd(success != 0)
    }
    private static let serverKnown: pa_server_info_cb_t = { _, info, data in
        if let name = info?.pointee.default_sink_name { me(data)?.defaultIsKnown(String(cString: name)) }
    }
}
