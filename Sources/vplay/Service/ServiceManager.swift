import Glibc
import Synchronization

/// The service manager (systemd) that has started the process, as `sd_notify(3)` describes it. No library is needed: a
/// notice is one datagram. No call waits.
final class ServiceManager: Sendable {
    private let descriptor: Int32
    private let address: sockaddr_un
    private let addressLength: socklen_t
    /// The interval in which a sign of life is expected, or nil if there is no watchdog.
    let watchdogInterval: Duration?
    private let isReady = Once()
    private let lastStatus = Mutex("")

    /// Connects to the manager that an environment names.
    ///
    /// - Parameter environment: Returns the value of an environment variable.
    /// - Returns: Nil if the environment names none.
    init?(environment: (String) -> String? = { name in getenv(name).map { String(cString: $0) } }) {
        guard let path = environment("NOTIFY_SOCKET"), let (address, length) = Self.address(path) else {
            return nil
        }
        let descriptor = socket(
            AF_UNIX,
            Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue),
            0
        )
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
        self.address = address
        addressLength = length
        let isOwn = environment("WATCHDOG_PID").map { Int32($0) == getpid() } ?? true
        let microseconds = environment("WATCHDOG_USEC").flatMap { Int64($0) } ?? 0
        watchdogInterval = isOwn && microseconds > 0 ? .microseconds(microseconds) : nil
    }

    deinit { Glibc.close(descriptor) }

    /// Reports that the first frame is shown, or that the command waits for something to play. Only the first call has an
    /// effect.
    func ready() { if isReady.claim() { send("READY=1") } }

    /// Reports a sign of life.
    func keepAlive() { if watchdogInterval != nil { send("WATCHDOG=1") } }

    /// Reports that the command ends.
    func stopping() { send("STOPPING=1\nSTATUS=stopping") }

    /// Shows a line in `systemctl status`, if it has changed.
    func setStatus(_ status: String) {
        let line = oneLine(status)
        let hasChanged = lastStatus.withLock { last in
            defer { last = line }
            return last != line
        }
        if hasChanged { send("STATUS=" + line) }
    }

    /// Sends a datagram. A manager that does not read loses it, and the command must not wait for it.
    private func send(_ text: String) {
        let bytes = Array(text.utf8)
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = sendto(
                    descriptor,
                    bytes,
                    bytes.count,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT),
                    address,
                    addressLength
                )
            }
        }
    }

    /// Returns the address of a path, or of a name in the abstract namespace, which begins with "@".
    private static func address(_ path: String) -> (sockaddr_un, socklen_t)? {
        var bytes = Array(path.utf8)
        guard let first = bytes.first, bytes.count > 1,
            first == UInt8(ascii: "/") || first == UInt8(ascii: "@")
        else { return nil }
        let isAbstract = first == UInt8(ascii: "@")
        if isAbstract { bytes[0] = 0 }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard bytes.count < capacity else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        // The length ends an abstract name; a path ends with a zero.
        let offset = MemoryLayout<sockaddr_un>.size - capacity
        return (address, socklen_t(offset + bytes.count + (isAbstract ? 0 : 1)))
    }
}
