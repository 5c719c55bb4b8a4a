internal import CFFmpeg
internal import MediaCore

/// Converts libav's error codes to errors with messages.
enum LibraryError {
    /// Returns libav's description of an error code.
    static func message(for code: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        guard av_strerror(code, &buffer, buffer.count) >= 0 else { return "error \(code)" }
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns an error for a code. `fallback` applies to codes whose meaning depends on the operation.
    static func make(
        _ code: Int32,
        _ doing: String,
        fallback: MediaError.Code,
        location: String? = nil,
        track: Int? = nil,
        log: LibraryLog? = nil
    ) -> MediaError {
        let kind: MediaError.Code =
            switch code {
            case PH_ERROR_EXIT: .cancelled
            case PH_ERROR_ENOMEM: .resourceLimit
            case PH_ERROR_EIO: .io
            case PH_ERROR_ENOENT: .notFound
            case PH_ERROR_EACCES: .permissionDenied
            case PH_ERROR_ETIMEDOUT: .timedOut
            case PH_ERROR_DECODER_NOT_FOUND: .decoderNotFound
            default: fallback
            }
        let reason = kind == .cancelled ? "cancelled" : message(for: code)
        return MediaError(
            kind,
            "\(doing): \(reason)",
            location: location,
            track: track,
            libraryLog: log?.text,
            underlyingCode: code,
            isRetryable: kind == .io || kind == .timedOut || kind == .resourceLimit
        )
    }

    static func cancelled(_ location: String? = nil) -> MediaError {
        MediaError(.cancelled, "cancelled", location: location)
    }
}
