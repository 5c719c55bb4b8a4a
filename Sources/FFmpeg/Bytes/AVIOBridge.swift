internal import CFFmpeg
internal import MediaCore

/// Lets libav read from a `ByteSource`. Owns the AVIOContext and its buffer.
///
/// Used by one thread at a time, like the format context that reads through it.
final class AVIOBridge {
    /// Bytes read at once.
    private static let bufferSize = 64 * 1024

    let source: any ByteSource
    private let cancellation: Cancellation
    private var position: Int64 = 0
    /// The first bytes, read ahead to recognise what they are: a pipe cannot give them twice.
    private var head: [UInt8] = []
    /// What the source said when it failed; libav only passes a number on.
    private(set) var failure: MediaError?
    private(set) var context: UnsafeMutablePointer<AVIOContext>?

    init(source: any ByteSource, cancellation: Cancellation) throws(MediaError) {
        self.source = source
        self.cancellation = cancellation
        guard let buffer = av_malloc(AVIOBridge.bufferSize) else {
            throw MediaError(.resourceLimit, "no memory for reading", isRetryable: true)
        }
        context = avio_alloc_context(
            buffer.assumingMemoryBound(to: UInt8.self),
            Int32(AVIOBridge.bufferSize),
            0,
            Unmanaged.passUnretained(self).toOpaque(),
            { opaque, bytes, count in AVIOBridge.from(opaque)?.read(bytes, count) ?? PH_ERROR_EINVAL },
            nil,
            { opaque, offset, whence in
                AVIOBridge.from(opaque)?.seek(offset, whence) ?? Int64(PH_ERROR_EINVAL)
            }
        )
        guard let context else {
            av_free(buffer)
            throw MediaError(.resourceLimit, "no memory for reading", isRetryable: true)
        }
        context.pointee.seekable = source.isSeekable ? Int32(AVIO_SEEKABLE_NORMAL) : 0
    }

    deinit {
        // libav may have replaced the buffer, so it is freed by where it is now.
        if let context { av_freep(&context.pointee.buffer) }
        avio_context_free(&context)
    }

    /// The first bytes of the source, fewer only where it ends before.
    func readHead(count: Int) throws(MediaError) -> [UInt8] {
        while head.count < count {
            let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: count - head.count, alignment: 1)
            defer { chunk.deallocate() }
            let got = try source.read(at: Int64(head.count), into: chunk)
            guard got > 0 else { break }
            head += chunk.prefix(min(got, chunk.count))
        }
        return head
    }

    func clearFailure() { failure = nil }

    private static func from(_ opaque: UnsafeMutableRawPointer?) -> AVIOBridge? {
        opaque.map { Unmanaged<AVIOBridge>.fromOpaque($0).takeUnretainedValue() }
    }

    private func read(_ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int32) -> Int32 {
        guard let bytes, count > 0 else { return PH_ERROR_EINVAL }
        if cancellation.isCancelled { return PH_ERROR_EXIT }
        if position >= 0 && position < Int64(head.count) {
            let from = Int(position)
            let length = min(Int(count), head.count - from)
            head.withUnsafeBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return }
                bytes.update(from: base + from, count: length)
            }
            position &+= Int64(length)
            return Int32(length)
        }
        do throws(MediaError) {
            let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))
            // A source that claims more than it was asked for must not make libav read behind the buffer.
            let length = min(try source.read(at: position, into: buffer), Int(count))
            guard length > 0 else { return PH_ERROR_EOF }
            position &+= Int64(length)
            return Int32(clamping: length)
        } catch {
            failure = error
            return error.code == .cancelled ? PH_ERROR_EXIT : PH_ERROR_EIO
        }
    }

    private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
        let size = source.byteCount
        let kind = whence & ~AVSEEK_FORCE
        if kind == AVSEEK_SIZE { return size ?? Int64(PH_ERROR_ENOSYS) }
        guard source.isSeekable else { return Int64(PH_ERROR_ENOSYS) }
        let base: Int64? =
            switch kind {
            case SEEK_SET: 0
            case SEEK_CUR: position
            case SEEK_END: size
            default: nil
            }
        guard let base else { return Int64(PH_ERROR_EINVAL) }
        let (target, overflow) = base.addingReportingOverflow(offset)
        guard !overflow, target >= 0 else { return Int64(PH_ERROR_EINVAL) }
        position = target
        return target
    }
}
