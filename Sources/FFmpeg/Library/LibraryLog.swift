internal import CFFmpeg
internal import Glibc
import MediaCore

/// The last error lines that libav wrote on behalf of one owner: a demuxer, a decoder or a converter.
///
/// libav has one log callback per process. A line is attributed to the owner whose code runs on the current thread. On
/// libav's own threads, it is attributed to the owner in the `opaque` field of the codec context, which libav copies to
/// the contexts of its frame threads. Lines without an owner are dropped. Nothing is printed.
final class LibraryLog: Sendable {
    /// The number of lines that are kept. Older lines are dropped, so a file with many errors costs nothing.
    private static let capacity = 4
    /// The number of bytes of a line that are kept.
    private static let lineLength = 300

    private let lines = Locked<[String]>([])

    init() { LibraryLog.install }

    /// The lines since the last `clear()`, oldest first, or nil if there are none.
    var text: String? {
        lines.withLock { $0.isEmpty ? nil : $0.joined(separator: "; ") }
    }

    func clear() { lines.withLock { $0.removeAll(keepingCapacity: true) } }

    /// Runs `body` and records the lines that libav writes on this thread meanwhile.
    func capture<R, E>(_ body: () throws(E) -> R) throws(E) -> R {
        let before = pthread_getspecific(LibraryLog.currentOwner)
        pthread_setspecific(LibraryLog.currentOwner, Unmanaged.passUnretained(self).toOpaque())
        defer { pthread_setspecific(LibraryLog.currentOwner, before) }
        return try body()
    }

    /// Runs `body` without an owner. It is used for fibers, where `body` may end on another thread than it began on.
    static func withoutOwner<R>(_ body: () -> R) -> R {
        let before = pthread_getspecific(LibraryLog.currentOwner)
        pthread_setspecific(LibraryLog.currentOwner, nil)
        defer { pthread_setspecific(LibraryLog.currentOwner, before) }
        return body()
    }

    private func append(_ line: String) {
        lines.withLock {
            if $0.last == line { return }
            if $0.count >= LibraryLog.capacity { $0.removeFirst() }
            $0.append(line)
        }
    }

    /// The thread-specific key of the current owner.
    private static let currentOwner: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// Installs the log callback once, when the first log is created.
    private static let install: Void = av_log_set_callback { object, level, format, arguments in
        guard level <= AV_LOG_ERROR, let format, let arguments else { return }
        let owner = LibraryLog.owner(of: object)
        guard let owner else { return }
        var buffer = [CChar](repeating: 0, count: LibraryLog.lineLength)
        let length = vsnprintf(&buffer, buffer.count, format, arguments)
        guard length > 0 else { return }
        let kept = buffer.prefix(min(Int(length), buffer.count - 1)).map { UInt8(bitPattern: $0) }
        let line = Redaction.redact(String(decoding: kept, as: UTF8.self))
        owner.append(LibraryLog.name(of: object) + line)
    }

    private static func owner(of object: UnsafeMutableRawPointer?) -> LibraryLog? {
        if let current = pthread_getspecific(currentOwner) {
            return Unmanaged<LibraryLog>.fromOpaque(current).takeUnretainedValue()
        }
        guard let object, let type = objectClass(object), type == avcodec_get_class() else { return nil }
        let context = object.assumingMemoryBound(to: AVCodecContext.self)
        return CodecContextInfo.of(context)?.log
    }

    /// Returns the prefix of a line: the name of the object, for example "h264: ", or an empty string.
    private static func name(of object: UnsafeMutableRawPointer?) -> String {
        guard let object, let type = objectClass(object), let itemName = type.pointee.item_name,
            let name = itemName(object)
        else { return "" }
        return String(cString: name) + ": "
    }

    /// Returns the class of an object. Every object that logs begins with a pointer to its class.
    private static func objectClass(_ object: UnsafeMutableRawPointer) -> UnsafePointer<AVClass>? {
        object.load(as: UnsafePointer<AVClass>?.self)
    }
}
