import Foundation
import Playhead
import Synchronization

/// A clip that is played while it is downloaded into a file. A read of a missing part requests that part and does not block a thread.
/// Parts that have been received are read from the file. The remaining parts are downloaded afterwards.
final class Download: ByteSource {
    /// Requests a part from the application's server and delivers it once it has been received.
    typealias Fetch = @Sendable (Range<Int64>, @escaping @Sendable (Data) -> Void) -> Void

    private struct State {
        var parts: Set<Int64> = []
        var asked: Set<Int64> = []
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

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, context: ReadContext)
        throws(MediaError) -> Int
    {
        guard let byteCount, offset < byteCount else { return 0 }
        let part = offset / Self.partSize
        let isThere = state.withLock { state in
            if !state.parts.contains(part) { state.waiting.append(context) }
            return state.parts.contains(part)
        }
        guard isThere else {
            ask(for: part)
            throw MediaError(.notReady, "it has not come yet", isRetryable: true)
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

    private func ask(for part: Int64) {
        guard part < partCount, state.withLock({ $0.asked.insert(part).inserted }) else { return }
        let start = part * Self.partSize
        fetch(start..<min(byteCount ?? 0, start + Self.partSize)) { [weak self] data in self?.take(data, part)
        }
    }

    private func take(_ data: Data, _ part: Int64) {
        let written = data.withUnsafeBytes {
            pwrite(file.fileDescriptor, $0.baseAddress, $0.count, off_t(part * Self.partSize))
        }
        guard written == data.count else { return }
        let waiting = state.withLock { state in
            state.parts.insert(part)
            defer { state.waiting = [] }
            return state.waiting
        }
        for context in waiting { context.wake() }
        // Request the next missing part, so that the download completes.
        let missing = state.withLock { state in (0..<partCount).first { !state.asked.contains($0) } }
        if let missing { ask(for: missing) }
    }
}
