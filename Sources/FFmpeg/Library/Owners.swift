internal import CFFmpeg
internal import MediaCore
internal import PlayheadBackend

/// Owns one AVPacket and the reference that it holds.
final class PacketOwner {
    let pointer: UnsafeMutablePointer<AVPacket>

    init() throws(MediaError) {
        guard let pointer = av_packet_alloc() else {
            throw MediaError(.resourceLimit, "no memory for a packet", isRetryable: true)
        }
        self.pointer = pointer
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVPacket>? = pointer
        av_packet_free(&pointer)
    }

    func unreference() { av_packet_unref(pointer) }
}

/// Owns one AVFrame and the references that it holds.
final class FrameOwner {
    let pointer: UnsafeMutablePointer<AVFrame>

    init() throws(MediaError) {
        guard let pointer = av_frame_alloc() else {
            throw MediaError(.resourceLimit, "no memory for a frame", isRetryable: true)
        }
        self.pointer = pointer
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVFrame>? = pointer
        av_frame_free(&pointer)
    }
}

extension FrameOwner {
    /// A frame of its own, not written yet.
    convenience init(size: PixelSize, format: AVPixelFormat) throws(MediaError) {
        try self.init()
        pointer.pointee.width = Int32(clamping: size.width)
        pointer.pointee.height = Int32(clamping: size.height)
        pointer.pointee.format = format.rawValue
        let code = av_frame_get_buffer(pointer, 0)
        if code < 0 { throw LibraryError.make(code, "no memory for a picture", fallback: .resourceLimit) }
    }
}

/// Owns an AVDictionary, which libav replaces whenever it changes.
final class OptionDictionary {
    var pointer: OpaquePointer?

    init(_ entries: [(String, String)] = []) {
        for (key, value) in entries { av_dict_set(&pointer, key, value, 0) }
    }

    deinit { av_dict_free(&pointer) }

    /// A Swift copy of any dictionary of libav's. Later entries of the same key win.
    static func read(_ dictionary: OpaquePointer?) -> [String: String] {
        var result: [String: String] = [:]
        var entry: UnsafeMutablePointer<AVDictionaryEntry>?
        while true {
            entry = av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX)
            guard let found = entry else { return result }
            guard let key = found.pointee.key, let value = found.pointee.value else { continue }
            result[String(cString: key)] = String(cString: value)
        }
    }
}

/// A packet's bytes on their way from the demuxer to a decoder.
///
/// Unchecked: the packet is written before this object is made and never again; libav's reference counts,
/// which readers change, are atomic.
final class FFmpegPacketPayload: PacketPayload, @unchecked Sendable {
    let owner: PacketOwner

    init(_ owner: PacketOwner) { self.owner = owner }
}
