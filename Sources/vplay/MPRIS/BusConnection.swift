import CSystemd
@preconcurrency import Dispatch
import Glibc

/// A connection to the session bus. All members are used on its queue, and none waits.
final class BusConnection: @unchecked Sendable {
    // The queue guards the variables; sd-bus may be used on any thread, but on one at a time.

    /// Returns the reply to a call, or nil if there is no such method.
    typealias Handler = (BusMessage) -> BusReply?

    private let library: BusLibrary
    private let queue: DispatchQueue
    private var bus: OpaquePointer?
    private var handler: Handler?
    private var lost: ((BusError) -> Void)?
    /// The names to request, the preferred one first.
    private var names: ArraySlice<String> = []
    private var reading: (any DispatchSourceRead)?
    private var writing: (any DispatchSourceWrite)?
    private var isWaitingToWrite = false
    private var timer: (any DispatchSourceTimer)?
    /// Whether sd-bus calls a handler, which must not call it back.
    private var isProcessing = false

    private var functions: ph_sd_bus { library.functions }

    /// Connects to the bus of the user.
    ///
    /// - Parameter queue: The serial queue on which the connection is used.
    /// - Throws: `BusError` if there is no bus.
    init(queue: DispatchQueue) throws(BusError) {
        library = try BusLibrary.shared.get()
        self.queue = queue
        let code = library.functions.open_user(&bus)
        guard code >= 0, bus != nil else { throw BusError(code: code) }
    }

    deinit { close() }

    /// Serves calls to an object, and requests a name.
    ///
    /// - Parameters:
    ///   - path: The path of the object.
    ///   - names: The names to request until the bus grants one.
    ///   - handler: Called on the queue.
    ///   - lost: Called on the queue when the connection ends. It is closed then.
    /// - Throws: `BusError` if the connection has failed already.
    func serve(
        _ path: String,
        names: [String],
        _ handler: @escaping Handler,
        lost: @escaping (BusError) -> Void
    ) throws(BusError) {
        self.handler = handler
        self.lost = lost
        self.names = names[...]
        let userdata = Unmanaged.passUnretained(self).toOpaque()
        let code = functions.add_object(bus, nil, path, Self.receiveCall, userdata)
        guard code >= 0 else { throw BusError(code: code) }
        try requestName()
        try startSources()
        process()
    }

    /// Sends a signal to all that listen.
    func emit(_ path: String, _ interface: String, _ member: String, _ arguments: [BusValue]) {
        guard let bus else { return }
        var message: OpaquePointer?
        guard functions.message_new_signal(bus, &message, path, interface, member) >= 0, let message else {
            return
        }
        send(message, arguments)
        process()
    }

    /// Ends the connection. Its name is released.
    func close() {
        guard let bus else { return }
        self.bus = nil
        timer?.cancel()
        timer = nil
        guard let reading, let writing else {
            functions.close(bus)
            _ = functions.unref(bus)
            return
        }
        // Both sources must be cancelled before the descriptor is closed, and a cancelled one must not be suspended.
        let group = DispatchGroup()
        for source in [reading, writing] as [any DispatchSourceProtocol] {
            group.enter()
            source.setCancelHandler { group.leave() }
            source.cancel()
        }
        if !isWaitingToWrite { writing.resume() }
        self.reading = nil
        self.writing = nil
        // From here on only the closure below uses the bus.
        nonisolated(unsafe) let closing = bus
        group.notify(queue: queue) { [library] in
            library.functions.close(closing)
            _ = library.functions.unref(closing)
        }
    }

    // MARK: Names

    private func requestName() throws(BusError) {
        guard let name = names.popFirst() else { throw BusError(message: "another program has the name") }
        let userdata = Unmanaged.passUnretained(self).toOpaque()
        let code = functions.request_name_async(bus, nil, name, 0, Self.receiveName, userdata)
        guard code >= 0 else { throw BusError(code: code) }
    }

    private static let receiveName: ph_sd_bus_handler = { pointer, userdata, _ in
        guard let pointer, let userdata else { return 0 }
        let connection = Unmanaged<BusConnection>.fromOpaque(userdata).takeUnretainedValue()
        let message = BusMessage(pointer, connection.library)
        // 1: the name was granted, 4: the connection has it already.
        let isGranted = !message.isError && [1, 4].contains(message.readUInt32() ?? 0)
        if !isGranted {
            do throws(BusError) { try connection.requestName() } catch { connection.fail(error) }
        }
        return 0
    }

    // MARK: Calls

    private static let receiveCall: ph_sd_bus_handler = { pointer, userdata, _ in
        guard let pointer, let userdata else { return 0 }
        return Unmanaged<BusConnection>.fromOpaque(userdata).takeUnretainedValue().receive(pointer)
    }

    /// Returns 1 if a reply was sent, and 0 if sd-bus is to reply that there is no such method.
    private func receive(_ pointer: OpaquePointer) -> Int32 {
        let call = BusMessage(pointer, library)
        guard call.isMethodCall, let reply = handler?(call) else { return 0 }
        switch reply {
        case .values(let values):
            var message: OpaquePointer?
            guard functions.message_new_method_return(pointer, &message) >= 0, let message else { return 0 }
            send(message, values)
        case .error(let name, let sentence):
            name.withCString { name in
                sentence.withCString { sentence in
                    var error = ph_sd_bus_error(name: name, message: sentence, _need_free: 0)
                    _ = functions.reply_method_error(pointer, &error)
                }
            }
        }
        return 1
    }

    /// Sends a message with arguments, and releases it. One that cannot be written is not sent: the caller runs into its
    /// timeout, as with every message that a bus loses.
    private func send(_ pointer: OpaquePointer, _ arguments: [BusValue]) {
        let message = BusMessage(pointer, library)
        if arguments.allSatisfy(message.append) { _ = functions.send(bus, pointer, nil) }
        _ = functions.message_unref(pointer)
    }

    // MARK: Events

    private func startSources() throws(BusError) {
        let descriptor = functions.get_fd(bus)
        // A bus that is reached through a program has two descriptors, and sd-bus gives neither.
        guard descriptor >= 0 else { throw BusError(code: descriptor) }
        let reading = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        let writing = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
        let timer = DispatchSource.makeTimerSource(queue: queue)
        for source in [reading, writing, timer] as [any DispatchSourceProtocol] {
            source.setEventHandler { [weak self] in self?.process() }
        }
        reading.activate()
        timer.activate()
        self.reading = reading
        self.writing = writing
        self.timer = timer
    }

    /// Reads and writes what is pending, and waits for the rest with the sources.
    private func process() {
        guard !isProcessing else { return }
        isProcessing = true
        defer { isProcessing = false }
        while let bus {
            let code = functions.process(bus, nil)
            if code < 0 { return fail(BusError(code: code)) }
            if code == 0 { break }
        }
        guard let bus, let writing else { return }
        let needsToWrite = functions.get_events(bus) & Int32(POLLOUT) != 0
        if needsToWrite != isWaitingToWrite {
            isWaitingToWrite = needsToWrite
            if needsToWrite { writing.resume() } else { writing.suspend() }
        }
        var deadline = UInt64.max
        guard functions.get_timeout(bus, &deadline) >= 0, deadline != .max else {
            timer?.schedule(deadline: .distantFuture)
            return
        }
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let elapsed = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
        timer?.schedule(deadline: .now() + .microseconds(Int(deadline - min(deadline, elapsed))))
    }

    private func fail(_ error: BusError) {
        close()
        let lost = lost
        self.lost = nil
        lost?(error)
    }
}
