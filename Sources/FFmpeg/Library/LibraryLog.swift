internal import CFFmpeg
internal import Glibc
import MediaCore

/// The last error lines that libav wrote while it worked for one owner (a demuxer, a decoder, a converter).
///
/// libav has one log callback per process. A line is attributed to the owner whose code is being run on the
/// current thread, or, on libav's own threads, to the one that a codec context names in its `opaque` field,
/// which libav copies to the contexts of its frame threads. Lines of nobody are dropped; nothing is printed.
final class LibraryLog: Sendable {
    /// Lines kept; older ones are dropped, so a noisy file costs nothing.
    private static let capacity = 4
    /// Longest line kept, in bytes.
    private static let lineLength = 300

    private let lines = Locked<[String]>([])

    init() { LibraryLog.install }

    /// What was written since the last `clear()`, oldest first; nil for nothing.
    var text: String? {
        lines.withLock { $0.isEmpty ? nil : $0.joined(separator: "; ") }
    }

    func clear() { lines.withLock { $0.removeAll(keepingCapacity: true) } }

    /// Runs `body` with the lines that libav writes on this thread going here.
    func capture<R, E>(_ body: () throws(E) -> R) throws(E) -> R {
        let before = pthread_getspecific(LibraryLog.currentOwner)
        pthread_setspecific(LibraryLog.currentOwner, Unmanaged.passUnretained(self).toOpaque())
        defer { pthread_setspecific(LibraryLog.currentOwner, before) }
        return try body()
    }

    /// Runs `body`, which may end on another thread than it began on, with no owner: for a call that stands still
    /// meanwhile, and for the thread that it left.
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

    /// The owner that libav works for on this thread.
    private static let currentOwner: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// Installed once, by the first log that is made.
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

    /// "h264: ", or nothing for lines of no object.
    private static func name(of object: UnsafeMutableRawPointer?) -> String {
        guard let object, let type = objectClass(object), let itemName = type.pointee.item_name,
            let name = itemName(object)
        else { return "" }
        return String(cString: name) + ": "
    }

    /// Each object that logs begins with a pointer to its class.
    private static func objectClass(_ object: UnsafeMutableRawPointer) -> UnsafePointer<AVClass>? {
        object.load(as: UnsafePointer<AVClass>?.self)
    }
}
