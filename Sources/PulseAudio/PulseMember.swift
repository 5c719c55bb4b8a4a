internal import CPulse
internal import MediaCore
internal import Synchronization

/// One sink's part of a connection: its stream, the device that it wants, and what it is told.
///
/// `@unchecked Sendable`: from `enter` to `leave` what is mutable is confined to the main loop's thread, or to its lock;
/// before and after that, to the connection's queue.
final class PulseMember: @unchecked Sendable {
    let address: PulseConnection.Address
    let settings: Locked<PulseAudioSink.Settings>
    let signals: PulseSignals
    let clock: any HostClock
    private let notices: PulseNotices

    private enum Place {
        case outside
        case inside(PulseConnection)
        case left
    }
    private let place = Locked(Place.outside)

    /// Both are made in `init`, so that a poke before `enter` is not lost.
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
    private var wasHeard = false
    /// The next stream is due at a time that is set.
    private var isRetrySet = false
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
    func poke() { waker.wake() }

    /// Takes effect once.
    func open() {
        place.withLock { place in
            guard case .outside = place else { return }
            signals.isConnecting.store(true, ordering: .relaxed)
            place = .inside(PulseConnections.shared.join(self))
        }
    }

    /// Once it has taken effect, nothing is called back any more. It cannot be opened again.
    func close() {
        place.withLock { place in
            if case .inside(let connection) = place { PulseConnections.shared.leave(self, connection) }
            place = .left
        }
    }

    var isFinished: Bool { settings.withLock { $0.isFinished } }

    // MARK: On the connection's queue

    /// There is no thread to be on, or nothing to be woken by.
    func isRefused(_ reason: String) { tellOfSilence(reason) }

    /// Before `enter`. False: it cannot be woken.
    func prepare() -> Bool { waker.open() && timer.open() }

    /// With the main loop's lock.
    func enter(_ connection: PulseConnection, _ api: UnsafeMutablePointer<pa_mainloop_api>) {
        self.connection = connection
        let me = Unmanaged.passUnretained(self).toOpaque()
        events = [waker.watch(api, Self.woken, me), timer.watch(api, Self.timed, me)].compactMap { $0 }
    }

    /// With the main loop's lock.
    func leave(_ api: UnsafeMutablePointer<pa_mainloop_api>) {
        loseStream()
        for event in events { api.pointee.io_free(event) }
        events = []
        connection = nil
    }

    // MARK: From the connection, on the main loop's thread

    func serverIsReady() {
        cancelRetry()
        openStream()
    }

    func serverIsGone(_ reason: String) {
        mayHaveMissedDevices = true
        tellOfSilence(reason)
    }

    /// What had none, or not the one that it wants, may have one now.
    func deviceCame() {
        guard missingDevice != nil || stream == nil else { return }
        missingDevice = nil
        cancelRetry()
        attend()
    }

    func loseStream() {
        if let stream {
            signals.isAway.store(true, ordering: .releasing)
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
        if stream == nil { noteFailure(library.words(connection.error)) }
    }

    private func noteFailure(_ reason: String) {
        loseStream()
        tellOfSilence(reason)
        setRetry(milliseconds: PulseConnection.retryDelay(attempts, wasHeard: wasHeard))
        attempts += 1
    }

    private func setRetry(milliseconds: Int64) {
        isRetrySet = true
        timer.set(milliseconds: milliseconds)
    }

    private func cancelRetry() {
        guard isRetrySet else { return }
        isRetrySet = false
        timer.set(milliseconds: nil)
    }

    fileprivate func timerFired() {
        // It may have been set anew since it rang.
        guard timer.drain() else { return }
        if let stream { return stream.waited() }
        isRetrySet = false
        openStream()
    }

    /// `PulseStream.waited` is called once after this.
    func beginWait() { timer.set(milliseconds: Int64(Self.waitMilliseconds)) }

    /// Of the tenth of a second with which a stream begins the device takes the larger part at once.
    static let waitMilliseconds = 20

    /// What was asked for since the last time.
    fileprivate func attend() {
        waker.drain()
        if signals.deviceIsNew.exchange(false, ordering: .acquiring) {
            missingDevice = nil
            notices.forgetDevice()
        }
        if stream == nil, !isRetrySet { openStream() }
        let (wanted, title, isPaused) = settings.withLock { ($0.device, $0.title, $0.isPaused) }
        stream?.attend(device: wanted == missingDevice ? nil : wanted, title: title, isPaused: isPaused)
    }

    // MARK: From the stream

    func end(_ stream: OpaquePointer) { connection?.end(stream) }

    func streamIsReady(device: String) {
        attempts = 0
        wasHeard = true
        connection?.memberIsHeard()
        signals.deviceName.withLock { $0 = device }
        signals.isAway.store(false, ordering: .releasing)
        notices.isHeard(from: device)
        if mayHaveMissedDevices {
            mayHaveMissedDevices = false
            deviceCame()
        }
        attend()
    }

    /// From now on it is known how soon something can be heard.
    func streamIsMeasured() { signals.isConnecting.store(false, ordering: .relaxed) }

    func streamMoved(to device: String) {
        signals.deviceName.withLock { $0 = device }
        notices.noteDevice(device)
    }

    /// The stream was refused, or taken away with its device.
    func streamFailed(wanted: String?) {
        guard let connection, let library = connection.library else { return }
        let error = connection.error
        // A server that hangs would make the stream when nobody waits for it. A new connection knows nothing of that.
        if error == Int32(PA_ERR_TIMEOUT.rawValue) { return connection.failed(library.words(error)) }
        let isMissing = wanted != nil && error == Int32(PA_ERR_NOENTITY.rawValue)
        if let wanted, isMissing { noteMissing(wanted) }
        noteFailure(library.words(error))
        // There may be another one.
        if isMissing { setRetry(milliseconds: 1) }
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

    fileprivate func moveEnded(_ succeeded: Bool) {
        guard !moves.isEmpty else { return }
        let device = moves.removeFirst()
        // Another one may be wanted since.
        guard !succeeded, device == settings.withLock({ $0.device }) else { return }
        noteMissing(device)
        // To the default. A stream that took itself for moved would not be moved when the device comes.
        attend()
    }

    // MARK: What is told

    private func noteMissing(_ device: String) {
        missingDevice = device
        notices.isMissing(device)
    }

    private func tellOfSilence(_ reason: String) {
        signals.isConnecting.store(false, ordering: .relaxed)
        notices.isSilent(reason)
    }

    // MARK: What libpulse calls

    private static func me(_ data: UnsafeMutableRawPointer?) -> PulseMember? {
        data.map { Unmanaged<PulseMember>.fromOpaque($0).takeUnretainedValue() }
    }
    private static let woken: pa_io_event_cb_t = { _, _, _, _, data in me(data)?.attend() }
    private static let timed: pa_io_event_cb_t = { _, _, _, _, data in me(data)?.timerFired() }
    private static let moved: pa_context_success_cb_t = { _, success, data in
        me(data)?.moveEnded(success != 0)
    }
    private static let serverKnown: pa_server_info_cb_t = { _, info, data in
        if let name = info?.pointee.default_sink_name { me(data)?.defaultIsKnown(String(cString: name)) }
    }
}
