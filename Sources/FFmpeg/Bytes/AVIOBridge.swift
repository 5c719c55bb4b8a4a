internal import CFFmpeg
internal import MediaCore

/// An AVIOContext that reads from a `ByteSource`. The bridge owns the context and its buffer.
///
/// It is used by one thread at a time, like the format context that reads through it.
final class AVIOBridge {
    /// The number of bytes in one read.
    private static let bufferSize = 64 * 1024
    /// The number of first bytes that are kept of a source that cannot seek.
    private static let keptByteCount = 4096

    let reader: SourceReader
    var source: any ByteSource { reader.source }
    private var position: Int64 = 0
    /// The first bytes. Some are read in advance to detect the format. They are kept because a pipe cannot deliver them
    /// twice.
    private var head: [UInt8] = []
    /// Bytes that were read before libav requested them, and the offset of the first one.
    private var prefetched: (start: Int64, bytes: [UInt8]) = (0, [])
    /// The error of the last failed read. libav passes on only an error number.
    private(set) var failure: MediaError?
    private(set) var failureCount = 0
    private(set) var context: UnsafeMutablePointer<AVIOContext>?

    init(_ reader: SourceReader) throws(MediaError) {
        self.reader = reader
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
        guard context != nil else {
            av_free(buffer)
            throw MediaError(.resourceLimit, "no memory for reading", isRetryable: true)
        }
        updateSeekability()
    }

    /// Updates whether libav may seek. A network source may know this only after its first bytes.
    func updateSeekability() {
        context?.pointee.seekable = source.isSeekable ? Int32(AVIO_SEEKABLE_NORMAL) : 0
    }

    deinit {
        // libav may have replaced the buffer, so the pointer in the context is freed.
        if let context { av_freep(&context.pointee.buffer) }
        avio_context_free(&context)
    }

    /// Returns the first bytes of the source. There are fewer than `count` only if the source ends earlier.
    func readHead(count: Int) throws(MediaError) -> [UInt8] {
        while head.count < count {
            let rest = min(count - head.count, Self.bufferSize)
            let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: rest, alignment: 1)
            defer { chunk.deallocate() }
            let got = try reader.read(at: Int64(head.count), into: chunk)
            guard got > 0 else { break }
            head += chunk.prefix(got)
        }
        return head
    }

    /// Reads up to `count` bytes again, without an effect on libav. Of a source that cannot seek, only the first bytes
    /// are available.
    func bytes(at offset: Int64, count: Int) -> [UInt8] {
        if source.isSeekable { return reader.bytes(at: offset, count: count) }
        guard (0..<Int64(head.count)).contains(offset) else { return [] }
        return Array(head[Int(offset)...].prefix(count))
    }

    /// Reads the bytes that libav will request next, if libav has used up its buffer.
    ///
    /// Does nothing for a source whose bytes have always been available, or if no caller repeats the call.
    ///
    /// - Returns: False if no bytes are available, or if the read was interrupted. Nothing is lost then, because libav
    ///   has not been called.
    func readAhead() -> Bool {
        guard reader.wasPending || !source.isLocal, let context,
            context.pointee.buf_ptr >= context.pointee.buf_end, buffered(at: position) == nil,
            reader.interruption.context.hasNoticeHandler
        else { return true }
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bufferSize, alignment: 1)
        defer { chunk.deallocate() }
        do throws(MediaError) {
            guard let count = try reader.readIfAvailable(at: position, into: chunk) else { return false }
            prefetched = (position, Array(chunk.prefix(count)))
            return true
        } catch {
            // libav requests the same bytes next, and its caller receives any other error.
            return error.code != .cancelled || reader.interruption.isCancelled
        }
    }

    /// Whether libav seeks directly. Otherwise it reads forward to a position up to 32 KB after its buffer, which may
    /// mean waiting for bytes that are not needed.
    var seeksDirectly: Bool {
        get { context?.pointee.direct != 0 }
        set { context?.pointee.direct = newValue ? 1 : 0 }
    }

    /// Discards libav's position before a seek. Otherwise libav would read forward to a position up to 32 KB after its
    /// buffer, or start reading up to 32 KB before a position that precedes it. Those bytes are not needed, and waiting
    /// for them can take long. Bytes that libav has read are kept, so nothing is read twice.
    ///
    /// It is meant only for containers whose demuxer always seeks to an absolute offset.
    func discardPosition() {
        guard source.isSeekable, let context, let start = context.pointee.buffer else { return }
        let offset = context.pointee.pos
        let count = context.pointee.buf_end - start
        if count > 0, offset >= Int64(count) {
            prefetched = (offset - Int64(count), Array(UnsafeBufferPointer(start: start, count: count)))
        }
        // An offset beyond everything makes the next seek a real one. This call reads nothing.
        let (farOffset, overflow) = max(offset, source.knownByteCount ?? 0).addingReportingOverflow(1 << 20)
        if !overflow { avio_seek(context, farOffset, SEEK_SET) }
    }

    /// Prepares for a source whose next byte is byte 0 of other content. All buffered bytes are discarded.
    func restart() {
        head = []
        prefetched = (0, [])
        position = 0
        clearFailure()
        guard let context else { return }
        context.pointee.buf_end = context.pointee.buffer
        context.pointee.buf_ptr = context.pointee.buffer
        context.pointee.pos = 0
    }

    /// Clears a failure or an interruption, which libav would otherwise treat as the end of the file from then on.
    func clearFailure() {
        failure = nil
        context?.pointee.error = 0
        context?.pointee.eof_reached = 0
    }

    private static func from(_ opaque: UnsafeMutableRawPointer?) -> AVIOBridge? {
        opaque.map { Unmanaged<AVIOBridge>.fromOpaque($0).takeUnretainedValue() }
    }

    private func read(_ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int32) -> Int32 {
        guard let bytes, count > 0 else { return PH_ERROR_EINVAL }
        if reader.interruption.mustAbort() { return PH_ERROR_EXIT }
        let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))
        if let buffered = buffered(at: position) {
            let part = buffered.prefix(buffer.count)
            buffer.copyBytes(from: part)
            position &+= Int64(part.count)
            return Int32(part.count)
        }
        prefetched = (0, [])
        do throws(MediaError) {
            let length = try reader.read(at: position, into: buffer)
            guard length > 0 else { return PH_ERROR_EOF }
            if !source.isSeekable, position == Int64(head.count) {
                head += buffer.prefix(min(length, max(0, Self.keptByteCount - head.count)))
            }
            position &+= Int64(length)
            return Int32(clamping: length)
        } catch {
            if error.code == .cancelled { return PH_ERROR_EXIT }
            failure = error
            failureCount += 1
            return PH_ERROR_EIO
        }
    }

    /// Returns the buffered bytes from `offset` on, or nil if there are none.
    private func buffered(at offset: Int64) -> ArraySlice<UInt8>? {
        if offset >= 0, offset < Int64(head.count) { return head[Int(offset)...] }
        let index = offset &- prefetched.start
        guard index >= 0, index < Int64(prefetched.bytes.count) else { return nil }
        return prefetched.bytes[Int(index)...]
    }

    private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
        let size = source.knownByteCount
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
