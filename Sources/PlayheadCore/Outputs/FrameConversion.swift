import MediaCore
import PlayheadBackend

/// Converts frames to the pixel formats of an output, one frame at a time. It may be used from any thread.
final class FrameConversion: Sendable {
    private struct Results {
        /// The newest converted frame and its source. It is likely to be requested again.
        var newest: (source: any VideoFrameStorage, frame: VideoFrame)?
        var error: MediaError?
    }
    private let results = Locked(Results())
    /// The converter. The lock is held during a conversion, which takes time. It is never acquired while `results` is
    /// locked, so releasing frames does not wait for a conversion.
    private let converter = Locked<(any VideoConverter)?>(nil)
    private let pixelFormats: [PixelFormat]

    init(_ pixelFormats: [PixelFormat]) { self.pixelFormats = pixelFormats }

    /// Whether frames need to be converted at all.
    var isNeeded: Bool { !pixelFormats.isEmpty }

    /// The error of the newest conversion that failed.
    var error: MediaError? { results.withLock { $0.error } }

    /// Returns the frame itself if its format is one of the requested ones, otherwise a converted frame, or nil if the
    /// conversion fails.
    func callAsFunction(_ frame: VideoFrame, of item: PlayerItem?) -> VideoFrame? {
        guard let wanted = pixelFormats.preferred(for: frame.pixelFormat),
            !pixelFormats.contains(frame.pixelFormat)
        else { return frame }
        return converter.withLock { converter in
            let newest = results.withLock { $0.newest }
            if let newest, newest.source === frame.storage { return newest.frame }
            guard let current = converter ?? item.map(Self.makeConverter) else { return nil }
            converter = current
            do throws(MediaError) {
                let toSDR = DynamicRangePolicy.auto.requiresToneMapping(
                    frame.format,
                    isForDisplay: wanted.isRGB
                )
                let result =
                    toSDR
                    ? try current.convertToSDR(frame, to: wanted, geometry: nil, background: .clear)
                    : try current.convert(frame, to: wanted, size: frame.size)
                results.withLock { $0.newest = (frame.storage, result) }
                return result
            } catch {
                results.withLock { $0.error = error }
                return nil
            }
        }
    }

    /// Releases the cached frame when frames are no longer due.
    func removeCachedFrame() { results.withLock { $0.newest = nil } }

    private static func makeConverter(for item: PlayerItem) -> any VideoConverter {
        (item.core?.configuration.backend ?? item.asset.backend).makeVideoConverter()
    }
}
