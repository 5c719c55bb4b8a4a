package import MediaCore
import PlaybackEngine

/// Decoded media of an asset for a caller that waits on its own thread.
///
/// No thread of Swift's pool is needed meanwhile, so a caller that blocks one of them cannot prevent itself from receiving
/// the next element. Reading begins with the first call of `next()`. All members may be used from any thread; one thread
/// may call `next()` at a time.
package final class MediaReader<Element: Sendable>: Sendable {
    private enum State {
        case idle
        case reading(ReaderSession<Element>)
        case ended
        case cancelled
    }

    private let asset: Asset
    private let begin: @Sendable () -> ReaderStart<Element>
    private let state = Locked(State.idle)

    init(_ asset: Asset, _ begin: @escaping @Sendable () -> ReaderStart<Element>) {
        self.asset = asset
        self.begin = begin
    }

    /// Returns the next element, or nil after the last one. Blocks its thread until there is one.
    ///
    /// - Throws: `PlaybackError` if the asset cannot be opened, read, decoded or converted, or with the code `.cancelled`
    ///   after `cancel()`. The next result after an error is nil.
    package func next() throws(PlaybackError) -> Element? {
        do throws(MediaError) {
            guard let session = try session() else { return nil }
            if let element = try session.waitForNext() { return element }
            end()
            return nil
        } catch {
            end()
            throw PlaybackError(error, url: asset.url)
        }
    }

    private func session() throws(MediaError) -> ReaderSession<Element>? {
        // Starting a reader waits for nothing.
        try state.withLock { state throws(MediaError) in
            switch state {
            case .reading(let session): return session
            case .ended: return nil
            case .cancelled:
                state = .ended
                throw MediaError(.cancelled, "reading was cancelled")
            case .idle: break
            }
            switch begin() {
            case .session(let session):
                state = .reading(session)
                return session
            case .empty:
                state = .ended
                return nil
            case .failed(let error): throw error
            }
        }
    }

    private func end() { replace(.ended) }

    /// Stops reading: a call that waits throws an error at once, and so does the next one.
    package func cancel() {
        let session = state.withLock { state -> ReaderSession<Element>? in
            switch state {
            case .reading(let session): return session
            case .idle: state = .cancelled
            case .ended, .cancelled: break
            }
            return nil
        }
        session?.cancel()
    }

    private func replace(_ new: State) {
        // The session is released outside the lock.
        let old = state.withLock { state in
            defer { state = new }
            return state
        }
        withExtendedLifetime(old) {}
    }
}

extension Asset {
    /// Returns a reader of all frames of a video track.
    ///
    /// - Parameters:
    ///   - track: The value of `Track.id`.
    ///   - pixelFormat: The pixel format, or nil for the decoder's.
    ///   - size: The size, or nil for that of the video.
    ///   - range: The range of item time, or nil for the whole asset.
    package func frameReader(
        track: Int,
        pixelFormat: PixelFormat?,
        size: PixelSize?,
        in range: MediaTimeRange?
    ) -> MediaReader<VideoFrame> {
        let reader = AssetReader(self, clock: .host)
        let shape = FrameShape(size: size, gravity: .resize, pixelFormat: pixelFormat)
        return MediaReader(self) { reader.frames(.all, shape, range, track: .track(track)) }
    }

    /// Returns a reader of the samples of an audio track.
    ///
    /// - Parameters:
    ///   - track: The value of `Track.id`.
    ///   - format: The format of the samples, or nil for that of the track.
    ///   - range: The range of item time, or nil for the whole asset.
    package func audioReader(
        track: Int,
        format: AudioFormat?,
        in range: MediaTimeRange?
    ) -> MediaReader<AudioBuffer> {
        let reader = AssetReader(self, clock: .host)
        return MediaReader(self) { reader.audio(format, range, track: .track(track)) }
    }
}
