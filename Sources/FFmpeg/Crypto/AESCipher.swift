internal import CFFmpeg
internal import MediaCore
internal import PlayheadBackend

/// AES-128 in CBC mode by libavutil, as used for encrypted HLS segments (RFC 8216).
final class AESCipher: BlockCipher {
    private let context: OpaquePointer
    private var vector: [UInt8]

    init(key: [UInt8], iv: [UInt8]) throws(MediaError) {
        guard key.count == 16, iv.count == 16 else {
            throw MediaError(.encrypted, "invalid AES-128 key: \(key.count) bytes instead of 16")
        }
        guard let context = av_aes_alloc() else {
            throw MediaError(.resourceLimit, "no memory for decryption", isRetryable: true)
        }
        self.context = context
        vector = iv
        _ = av_aes_init(context, key, 128, 1)
    }

    deinit { av_free(UnsafeMutableRawPointer(context)) }

    func decrypt(_ blocks: UnsafeMutableRawBufferPointer) {
        guard let bytes = blocks.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        let count = Int32(clamping: blocks.count / 16)
        vector.withUnsafeMutableBufferPointer {
            av_aes_crypt(context, bytes, bytes, count, $0.baseAddress, 1)
        }
    }
}
