import MediaCore
import PlayheadBackend

/// Makes frames of the pixel formats that an output was made for. Any thread; one frame at a time.
final class FrameConversion: Sendable {
    private struct Made {
        /// The newest one that was made, and of what: it is likely to be asked for again.
        var newest: (source: any VideoFrameStorage, frame: VideoFrame)?
        var error: MediaError?
    }
    private let made = Locked(Made())
    /// Held while a frame is converted, which takes a while. Never taken where `made` is held, so that who lets go of
    /// frames does not wait for it.
    private let converter = Locked<(any VideoConverter)?>(nil)
    private let pixelFormats: [PixelFormat]

    init(_ pixelFormats: [PixelFormat]) { self.pixelFormats = pixelFormats }

    /// False: every frame is handed out as it is.
    var isNeeded: Bool { !pixelFormats.isEmpty }

    /// Why the newest frame that could not be converted could not.
    var error: MediaError? { made.withLock { $0.error } }

    /// The very same frame where its format is one of those wanted; nil where it cannot be converted.
    func callAsFunction(_ frame: VideoFrame, of item: PlayerItem?) -> VideoFrame? {
        guard let wanted = pixelFormats.first, !pixelFormats.contains(frame.pixelFormat) else { return frame }
        return converter.withLock { converter in
            let newest = made.withLock { $0.newest }
            if let newest, newest.source === frame.storage { return newest.frame }
            guard let tool = converter ?? item.map(Self.makeConverter) else { return nil }
            converter = tool
            do throws(MediaError) {
                let toSDR = DynamicRangePolicy.auto.maps(frame.format, isSeen: wanted.isRGB)
                let result =
                    toSDR
                    ? try tool.convertToSDR(frame, to: wanted, geometry: nil, background: .clear)
                    : try tool.convert(frame, to: wanted, size: frame.size)
                made.withLock { $0.newest = (frame.storage, result) }
                return result
            } catch {
                made.withLock { $0.error = error }
                return nil
            }
        }
    }

    /// What was made is of frames that are not due any more.
    func forget() { made.withLock { $0.newest = nil } }

    private static func makeConverter(for item: PlayerItem) -> any VideoConverter {
        (item.core?.configuration.backend ?? item.asset.backend).makeVideoConverter()
    }
}
