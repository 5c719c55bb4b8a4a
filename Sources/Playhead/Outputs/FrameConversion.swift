import MediaCore

/// Makes frames of the pixel formats that an output was made for. Any thread; one frame at a time.
final class FrameConversion: Sendable {
    private struct State {
        var converter: (any VideoConverter)?
        /// The newest one that was made, and of what: it is likely to be asked for again.
        var newest: (source: any VideoFrameStorage, frame: VideoFrame)?
        var error: MediaError?
    }
    private let state = Locked(State())
    private let pixelFormats: [PixelFormat]

    init(_ pixelFormats: [PixelFormat]) { self.pixelFormats = pixelFormats }

    /// False: every frame is handed out as it is.
    var isNeeded: Bool { !pixelFormats.isEmpty }

    /// Why the newest frame that could not be converted could not.
    var error: MediaError? { state.withLock { $0.error } }

    /// The very same frame where its format is one of those wanted; nil where it cannot be converted.
    func callAsFunction(_ frame: VideoFrame, of item: PlayerItem?) -> VideoFrame? {
        guard let wanted = pixelFormats.first, !pixelFormats.contains(frame.pixelFormat) else { return frame }
        return state.withLock { state in
            if let newest = state.newest, newest.source === frame.storage { return newest.frame }
            guard let converter = state.converter ?? item.map(Self.makeConverter) else { return nil }
            state.converter = converter
            do throws(MediaError) {
                let made = try converter.convert(frame, to: wanted, size: frame.size)
                state.newest = (frame.storage, made)
                return made
            } catch {
                state.error = error
                return nil
            }
        }
    }

    /// What was made is of frames that are not due any more.
    func forget() { state.withLock { $0.newest = nil } }

    private static func makeConverter(for item: PlayerItem) -> any VideoConverter {
        (item.core?.configuration.backend ?? item.asset.backend).makeVideoConverter()
    }
}
