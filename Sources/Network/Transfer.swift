internal import CCurl
internal import Glibc
internal import MediaCore

/// One request in progress.
///
/// `@unchecked Sendable`: everything except the constants `request` and `receiver` is confined to the thread of the
/// transfer loop.
final class Transfer: @unchecked Sendable {
    let request: TransferRequest
    let receiver: any TransferReceiver

    private var functions: UnsafePointer<ph_curl>?
    /// The clock of the transfer loop.
    private var clock: any HostClock = SystemClock()
    private(set) var handle: OpaquePointer?
    private var headerList: UnsafeMutablePointer<PHCurlList>?
    /// The beginnings of status lines that libcurl accepts besides those of HTTP.
    private var statusLineList: UnsafeMutablePointer<PHCurlList>?
    private let errorBuffer = UnsafeMutablePointer<CChar>.allocate(capacity: PH_CURL_ERROR_SIZE)
    private var head = ResponseHead()
    private var headByteCount = 0
    private var isHeadComplete = false
    private var hasStopped = false
    private var isHeadTooLong = false
    private(set) var isPaused = false
    /// The connected server, or nil before a connection exists.
    private(set) var peer: Peer?
    private var isPeerRefused = false
    /// The `errno` of the last attempt to open a socket, or 0 if it succeeded.
    private var socketFault: Int32 = 0
    /// When bytes arrived last, by the clock of the transfer loop.
    private(set) var lastProgress: Int64 = 0
    /// The number of bytes received since the start of the present interval, to detect servers that are too slow.
    private var rateWindow: (start: Int64, byteCount: Int) = (0, 0)

    init(_ request: TransferRequest, _ receiver: any TransferReceiver) {
        self.request = request
        self.receiver = receiver
        errorBuffer.initialize(repeating: 0, count: PH_CURL_ERROR_SIZE)
    }

    deinit { errorBuffer.deallocate() }

    /// Creates and configures the handle of libcurl. Returns false if memory is exhausted.
    func prepare(_ functions: UnsafePointer<ph_curl>, _ clock: any HostClock) -> Bool {
        guard let handle = functions.pointee.curl_easy_init() else { return false }
        self.functions = functions
        self.handle = OpaquePointer(handle)
        self.clock = clock
        noteProgress()
        rateWindow = (lastProgress, 0)
        let set = Setter(functions: functions, handle: handle)
        let this = Unmanaged.passUnretained(self).toOpaque()
        set.text(PH_CURL_URL, request.address.text)
        // Environment variables and protocols other than HTTP are ignored, whatever a server redirects to.
        set.text(PH_CURL_PROXY, request.proxy?.text ?? "")
        set.text(PH_CURL_NO_PROXY_FOR, "")
        set.number(PH_CURL_SUPPRESS_CONNECT_HEADERS, 1)
        if let user = request.proxy?.user {
            set.number(PH_CURL_PROXY_AUTH, PH_CURL_BASIC)
            set.text(PH_CURL_PROXY_USER_NAME, user)
            set.text(PH_CURL_PROXY_PASSWORD, request.proxy?.password ?? "")
        }
        request.cookies.attach(to: handle, functions)
        let ownCookies = request.ownCookies
        if !ownCookies.isEmpty { set.text(PH_CURL_COOKIE, ownCookies) }
        set.number(PH_CURL_PROTOCOLS, PH_CURL_HTTP_AND_HTTPS)
        set.number(PH_CURL_FOLLOW_LOCATION, 0)
        set.number(PH_CURL_NO_SIGNAL, 1)
        // Do not wait for a resolver thread that hangs. libcurl before 7.87 ignores this option.
        set.number(PH_CURL_QUICK_EXIT, 1)
        set.number(PH_CURL_TCP_KEEP_ALIVE, 1)
        set.number(PH_CURL_BUFFER_SIZE, 64 << 10)
        set.number(PH_CURL_CONNECT_TIMEOUT_MS, max(1, Int(request.timeout / 1_000_000)))
        if let caFile = request.caFile { set.text(PH_CURL_CA_FILE, caFile) }
        if let user = request.address.user {
            set.number(PH_CURL_HTTP_AUTH, PH_CURL_BASIC)
            set.text(PH_CURL_USER_NAME, user)
            set.text(PH_CURL_PASSWORD, request.address.password ?? "")
        }
        var list: UnsafeMutablePointer<PHCurlList>?
        for line in request.headerLines {
            guard let longer = functions.pointee.curl_slist_append(list, line) else { return false }
            list = longer
            headerList = longer
        }
        _ = ph_curl_set_list(functions, handle, Int32(PH_CURL_HEADERS), list)
        guard let statusLines = functions.pointee.curl_slist_append(nil, ResponseHead.shoutcastPrefix) else {
            return false
        }
        statusLineList = statusLines
        _ = ph_curl_set_list(functions, handle, Int32(PH_CURL_STATUS_LINES), statusLines)
        set.pointer(PH_CURL_ERROR_BUFFER, errorBuffer)
        set.pointer(PH_CURL_PRIVATE, this)
        set.pointer(PH_CURL_WRITE_DATA, this)
        set.pointer(PH_CURL_HEADER_DATA, this)
        set.pointer(PH_CURL_BEFORE_REQUEST_DATA, this)
        set.pointer(PH_CURL_OPEN_SOCKET_DATA, this)
        _ = ph_curl_set_data_function(functions, handle, Int32(PH_CURL_WRITE_FUNCTION)) {
            Transfer.from($3)?.body($0, $1 * $2) ?? 0
        }
        _ = ph_curl_set_data_function(functions, handle, Int32(PH_CURL_HEADER_FUNCTION)) {
            Transfer.from($3)?.header($0, $1 * $2) ?? 0
        }
        // Both callbacks are needed: libcurl opens no socket if it reuses a connection.
        _ = ph_curl_set_open_function(functions, handle) { context, _, address in
            guard let address, let transfer = Transfer.from(context), transfer.mayConnect(address) else {
                return PH_CURL_NO_SOCKET
            }
            return transfer.openSocket(address)
        }
        _ = ph_curl_set_before_function(functions, handle) { context, address, _, _, _ in
            let text = address.map { String(cString: $0) }
            return Transfer.from(context)?.maySendRequest(text) ?? false ? 0 : PH_CURL_ABORT_REQUEST
        }
        return true
    }

    /// Frees the handle after it was removed from the transfer loop.
    func finish() {
        guard let functions, let handle else { return }
        functions.pointee.curl_easy_cleanup(UnsafeMutableRawPointer(handle))
        functions.pointee.curl_slist_free_all(headerList)
        functions.pointee.curl_slist_free_all(statusLineList)
        self.handle = nil
        headerList = nil
        statusLineList = nil
    }

    /// Continues a paused transfer. The bytes that were not accepted are delivered again, perhaps during this call.
    func resume() {
        guard isPaused, let functions, let handle else { return }
        isPaused = false
        noteProgress()
        rateWindow = (lastProgress, 0)
        // The transfer loop receives the error of a failed transfer by itself.
        _ = functions.pointee.curl_easy_pause(UnsafeMutableRawPointer(handle), PH_CURL_CONTINUE)
    }

    /// The time at which the transfer fails if no more bytes arrive.
    var deadline: Int64 { min(lastProgress + request.timeout, rateWindow.start + request.rateInterval) }

    /// Returns the reason if the transfer has timed out or is too slow, or nil if it may continue.
    func timeoutReason(now: Int64) -> TransferEnd.Reason? {
        if now - lastProgress >= request.timeout { return .timedOut }
        guard now - rateWindow.start >= request.rateInterval else { return nil }
        // The timeout alone applies while the connection is being established.
        guard peer == nil || rateWindow.byteCount >= request.minimumBytesPerInterval else { return .tooSlow }
        rateWindow = (now, 0)
        return nil
    }

    /// Returns the end of a transfer that libcurl has reported with a result code.
    func end(forCode code: Int32) -> TransferEnd {
        let message =
            errorBuffer.pointee == 0
            ? functions?.pointee.curl_easy_strerror(code).map { String(cString: $0) }
            : String(cString: errorBuffer)
        return TransferEnd(reason: reason(code), libraryMessage: message ?? "", code: code)
    }

    private func reason(_ code: Int32) -> TransferEnd.Reason {
        if hasStopped { return isHeadTooLong ? .headersTooLong : .stopped }
        return switch Int(code) {
        case PH_CURL_OK: .complete
        case PH_CURL_ABORTED where isPeerRefused: .privateAddress
        case PH_CURL_NO_CONNECTION where isPeerRefused: .privateAddress
        case PH_CURL_NO_CONNECTION where socketFault != 0: .noSocket(String(cString: strerror(socketFault)))
        case PH_CURL_TIMED_OUT: .timedOut
        case PH_CURL_NO_HOST: .noHost
        case PH_CURL_NO_PROXY_HOST: .noProxy
        case PH_CURL_NO_CONNECTION: .noConnection
        case PH_CURL_UNTRUSTED: .untrusted
        case PH_CURL_BAD_CA_FILE, PH_CURL_BAD_URL: .refused(.invalidArgument)
        case PH_CURL_NO_MEMORY: .refused(.resourceLimit)
        default: proxyStatus.map { .refusedByProxy($0) } ?? .broken
        }
    }

    /// The status code with which the proxy has refused to connect to the server.
    private var proxyStatus: Int? {
        guard request.proxy != nil, head.status == 0, let functions, let handle else { return nil }
        let status = ph_curl_connect_status(functions, UnsafeMutableRawPointer(handle))
        return (400..<600).contains(status) ? status : nil
    }

    // MARK: Called by libcurl

    private static func from(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Returns true if the request may connect to an address.
    private func mayConnect(_ address: UnsafeMutablePointer<PHCurlAddress>) -> Bool {
        // The application has chosen the proxy, so its address may be private.
        guard request.proxy == nil else { return true }
        let length = Int(address.pointee.length)
        // The address is longer than its declared field: libcurl allocates space for every family.
        let start = UnsafeRawPointer(address) + (MemoryLayout<PHCurlAddress>.offset(of: \.address) ?? 0)
        guard let peer = PeerAddress(start.assumingMemoryBound(to: sockaddr.self), length: length) else {
            return !request.isPublicOnly
        }
        guard request.allows(.address(peer)) else {
            isPeerRefused = true
            return false
        }
        return true
    }

    private func openSocket(_ address: UnsafeMutablePointer<PHCurlAddress>) -> Int32 {
        let socket = ph_curl_open_socket(address)
        socketFault = socket < 0 ? errno : 0
        return socket
    }

    /// Returns true if the request may be sent over the connection, which another request may have opened.
    private func maySendRequest(_ address: String?) -> Bool {
        noteProgress()
        peer =
            request.proxy == nil
            ? address.flatMap { PeerAddress($0) }.map { .address($0) } : Peer(behindProxy: request.address)
        rateWindow = (lastProgress, 0)
        guard request.allows(peer) else {
            isPeerRefused = true
            return false
        }
        return true
    }

    private func noteProgress() { lastProgress = clock.now.nanoseconds }

    private func header(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        noteProgress()
        guard let bytes, !isHeadComplete else { return count }
        headByteCount += count
        rateWindow.byteCount += count
        guard headByteCount <= ResponseHead.byteLimit else {
            isHeadTooLong = true
            return stop()
        }
        let line = UnsafeRawBufferPointer(start: bytes, count: count)
        let text = String(decoding: line, as: UTF8.self)
        let stripped = text.drop { $0.isNewline }.prefix { !$0.isNewline }
        if !stripped.isEmpty {
            head.parse(stripped)
            let isCookie = stripped.prefix(11).lowercased() == "set-cookie:"
            if isCookie { request.cookies.hasCookies.withLock { $0 = true } }
            return count
        }
        guard head.status >= 200 else { return count }
        isHeadComplete = true
        rateWindow = (lastProgress, 0)
        return receiver.received(head, of: self) ? count : stop()
    }

    private func body(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        noteProgress()
        guard let bytes, count > 0 else { return count }
        rateWindow.byteCount += count
        switch receiver.received(UnsafeRawBufferPointer(start: bytes, count: count), of: self) {
        case .accept: return count
        case .pause:
            isPaused = true
            return PH_CURL_PAUSE_WRITING
        case .stop: return stop()
        }
    }

    /// Makes libcurl end the transfer: a callback that returns fewer bytes than it received is an error.
    private func stop() -> Int {
        hasStopped = true
        return 0
    }
}

/// Sets options of a handle. Options that the installed libcurl does not support are ignored.
private struct Setter {
    let functions: UnsafePointer<ph_curl>
    let handle: UnsafeMutableRawPointer

    func number(_ option: Int, _ value: Int) {
        _ = ph_curl_set_long(functions, handle, Int32(option), value)
    }

    /// Sets a string option. libcurl copies the string.
    func text(_ option: Int, _ value: String) {
        _ = ph_curl_set_text(functions, handle, Int32(option), value)
    }

    func pointer(_ option: Int, _ value: UnsafeMutableRawPointer) {
        _ = ph_curl_set_pointer(functions, handle, Int32(option), value)
    }
}
