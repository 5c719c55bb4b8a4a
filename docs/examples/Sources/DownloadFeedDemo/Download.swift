import Foundation
import Playhead
import Synchronization

/// A clip that is played while it is downloaded into a file. A read of a missing part requests that part and does not block a thread.
/// Parts that have been received are read from the file, and the rest is downloaded afterwards. When its last reader is closed, the
/// download stops; what has been received is kept.
final class Download: ByteSource {
    /// Requests a part from the application's server, delivers it once it has been received, and returns a closure that cancels it.
    typealias Fetch = @Sendable (Range<Int64>, @escaping @Sendable (Data) -> Void) -> @Sendable () -> Void

    private struct State {
        var parts: Set<Int64> = []
        var requests: [Int64: @Sendable () -> Void] = [:]
        var readers: Set<ObjectIdentifier> = []
        var waiting: [ReadContext] = []
    }
    private let state = Mutex(State())
    private let file: FileHandle
    private let fetch: Fetch
    private static let partSize: Int64 = 8 << 10

    let byteCount: Int64?
    let isSeekable = true
    let isLocal = false

    init(_ byteCount: Int64, to url: URL, fetch: @escaping Fetch) throws {
        try Data().write(to: url)
        file = try FileHandle(forUpdating: url)
        (self.byteCount, self.fetch) = (byteCount, fetch)
    }

    private var partCount: Int64 { ((byteCount ?? 0) + Self.partSize - 1) / Self.partSize }
    var progress: String { "\(state.withLock { $0.parts.count })/\(partCount)" }
    var isDownloading: Bool { state.withLock { !$0.requests.isEmpty } }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, context: ReadContext)
        throws(MediaError) -> Int
    {
        guard let byteCount, offset < byteCount else { return 0 }
        let part = offset / Self.partSize
        let reader = ObjectIdentifier(context)
        let (isNew, isThere) = state.withLock { state in
            if !state.parts.contains(part) { state.waiting.append(context) }
            return (state.readers.insert(reader).inserted, state.parts.contains(part))
        }
        if isNew { context.onClose(of: self) { [weak self] in self?.close(reader) } }
        guard isThere else {
            request(part)
            throw MediaError(.notReady, "this part has not been downloaded yet", isRetryable: true)
        }
        let end = min(byteCount, (part + 1) * Self.partSize)
        let count = pread(
            file.fileDescriptor,
            buffer.baseAddress,
            min(buffer.count, Int(end - offset)),
            off_t(offset)
        )
        guard count >= 0 else { throw MediaError(.io, "the download cannot be read", underlyingCode: errno) }
        return count
    }

    /// Reads without a context, for a caller that does not wait for missing data.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        try read(at: offset, into: buffer, context: ReadContext())
    }

    func cancel() {}

    /// Cancels all requests when no reader is left.
    private func close(_ reader: ObjectIdentifier) {
        let requests = state.withLock { state -> [@Sendable () -> Void] in
            state.readers.remove(reader)
            guard state.readers.isEmpty else { return [] }
            defer { (state.requests, state.waiting) = ([:], []) }
            return Array(state.requests.values)
        }
        for cancel in requests { cancel() }
    }

    private func request(_ part: Int64) {
        guard part < partCount, state.withLock({ !$0.parts.contains(part) && $0.requests[part] == nil })
        else { return }
        let start = part * Self.partSize
        let cancel = fetch(start..<min(byteCount ?? 0, start + Self.partSize)) { [weak self] data in
            self?.store(data, part)
        }
        state.withLock { state in
            if !state.parts.contains(part) { state.requests[part] = cancel }
        }
    }

    private func store(_ data: Data, _ part: Int64) {
        let written = data.withUnsafeBytes {
            pwrite(file.fileDescriptor, $0.baseAddress, $0.count, off_t(part * Self.partSize))
        }
        let (waiting, next) = state.withLock { state -> ([ReadContext], Int64?) in
            state.requests[part] = nil
            if written == data.count { state.parts.insert(part) }
            defer { state.waiting = [] }
            // The next missing part, so that the download completes while somebody reads.
            let missing = (0..<partCount).first { !state.parts.contains($0) && state.requests[$0] == nil }
            return (state.waiting, state.readers.isEmpty ? nil : missing)
        }
        for context in waiting { context.wake() }
        if let next { request(next) }
    }
}
