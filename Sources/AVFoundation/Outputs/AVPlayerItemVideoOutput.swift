public import CoreMedia
public import Foundation
import MediaCore
import Playhead

/// Provides the frames of an item on request, by item time.
///
/// Each output tracks by itself which frame was copied last. The newest four frames are kept. A frame is converted when it
/// is copied, on the thread that copies it; frames that are not copied cost nothing. No call blocks otherwise.
///
/// `@unchecked Sendable`: `delegation` and `isNoticeRequested` are guarded by their locks; the other stored properties are constants.
open class AVPlayerItemVideoOutput: AVPlayerItemOutput, @unchecked Sendable {
    private let delegation = Locked(OutputDelegate())
    private let isNoticeRequested = Locked(false)
    /// The output of the player's API.
    let video: VideoOutput
    /// The size of the buffers, or nil for the size of the video.
    private let size: PixelSize?

    /// Creates an output.
    ///
    /// - Parameter pixelBufferAttributes: The layout of the pixels (`kCVPixelBufferPixelFormatTypeKey`: a number, or an array
    ///   of numbers) and their size (`kCVPixelBufferWidthKey`, `kCVPixelBufferHeightKey`). Other keys have no effect. By
    ///   default the buffers have a plane of Y and a plane of U and V, in the size of the video.
    public init(pixelBufferAttributes: [String: Any]? = nil) {
        let attributes = PixelBufferAttributes(pixelBufferAttributes ?? [:])
        size = attributes.size
        video = VideoOutput(pixelFormats: attributes.formats)
        super.init(video)
    }

    /// Creates an output.
    ///
    /// - Parameter outputSettings: The attributes of pixel buffers, as for `init(pixelBufferAttributes:)`.
    public convenience init(outputSettings: [String: Any]?) {
        self.init(pixelBufferAttributes: outputSettings)
    }

    /// Returns whether `copyPixelBuffer(forItemTime:itemTimeForDisplay:)` would return a frame other than the last one.
    ///
    /// - Parameter itemTime: The item time.
    /// - Returns: True if there is a new frame.
    open func hasNewPixelBuffer(forItemTime itemTime: CMTime) -> Bool {
        video.hasNewFrame(forItemTime: MediaTime(itemTime))
    }

    /// Returns the frame that is due at an item time. It is not rotated as the track declares it, unless another size than
    /// that of the coded picture was requested.
    ///
    /// - Parameters:
    ///   - itemTime: The item time.
    ///   - outItemTimeForDisplay: Receives the time of the frame.
    /// - Returns: The frame, or nil if no such frame is known.
    open func copyPixelBuffer(
        forItemTime itemTime: CMTime,
        itemTimeForDisplay outItemTimeForDisplay: UnsafeMutablePointer<CMTime>?
    ) -> CVPixelBuffer? {
        guard let (frame, time) = video.copyFrame(forItemTime: MediaTime(itemTime)) else { return nil }
        outItemTimeForDisplay?.pointee = CMTime(time)
        guard let size, size != frame.size else { return CVPixelBuffer(frame) }
        do throws(PlaybackError) {
            return CVPixelBuffer(try frame.converted(to: frame.pixelFormat, size: size))
        } catch {
            Misuse.report("copyPixelBuffer(forItemTime:): \(error.message)")
            return nil
        }
    }

    // MARK: Delegate

    /// Sets the delegate, which is not retained.
    ///
    /// - Parameters:
    ///   - delegate: The delegate, or nil.
    ///   - delegateQueue: The queue on which the delegate is called; nil for the main queue.
    open func setDelegate(
        _ delegate: (any AVPlayerItemOutputPullDelegate)?,
        queue delegateQueue: DispatchQueue?
    ) {
        delegation.withLock { $0 = OutputDelegate(object: delegate, queue: delegateQueue) }
    }

    /// The delegate, or nil.
    open var delegate: (any AVPlayerItemOutputPullDelegate)? {
        delegation.withLock { $0.object } as? any AVPlayerItemOutputPullDelegate
    }
    /// The queue on which the delegate is called, as it was set.
    open var delegateQueue: DispatchQueue? { delegation.withLock { $0.queue } }

    /// Requests one call of `outputMediaDataWillChange(_:)` when the next frame is available: at once if the newest frame
    /// has not been copied.
    ///
    /// - Parameter interval: Has no effect: frames are available when they are due.
    open func requestNotificationOfMediaDataChange(withAdvanceInterval interval: TimeInterval) {
        isNoticeRequested.withLock { $0 = true }
        if video.hasNewFrame(forItemTime: .positiveInfinity) { notifyOfData() }
    }

    override func makeRelay() -> any OutputRelay { FrameRelay(self) }

    /// Receives a frame when it becomes due, on the player's control lane.
    func didReceive(_ frame: VideoFrame, afterJump: Bool) {
        if afterJump {
            notify { [weak self] delegate in
                if let self { delegate.outputSequenceWasFlushed(self) }
            }
        }
        notifyOfData()
    }

    private func notifyOfData() {
        let isRequested = isNoticeRequested.withLock { isRequested in
            defer { isRequested = false }
            return isRequested
        }
        guard isRequested else { return }
        notify { [weak self] delegate in
            if let self { delegate.outputMediaDataWillChange(self) }
        }
    }

    private func notify(_ body: @escaping @Sendable (any AVPlayerItemOutputPullDelegate) -> Void) {
        let (queue, hasDelegate) = delegation.withLock { ($0.queue ?? .main, $0.object != nil) }
        guard hasDelegate else { return }
        queue.async { [weak self] in
            guard let self else { return }
            // Another delegate may have been set since, with a queue of its own.
            let (object, own) = delegation.withLock { ($0.object, $0.queue ?? .main) }
            guard own === queue else { return notify(body) }
            if let delegate = object as? any AVPlayerItemOutputPullDelegate { body(delegate) }
        }
    }
}
