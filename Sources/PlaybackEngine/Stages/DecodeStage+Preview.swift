import MediaCore
import PlayheadBackend

/// Shows a frame near the target of a seek before the one at the target is found, while a user drags the position.
extension DecodeStage {
    /// The largest distance at which a kept frame is shown before it is known how far away the key frame is.
    static let maximumPreviewDistance = MediaTime(value: 1, timescale: 2)

    /// Shows a frame that is kept if it is at most `distance` away from the target and nearer than the frame being
    /// shown. If the frame at the target is kept, no other one is needed.
    func showKeptFrame(within distance: MediaTime) {
        guard current.awaitsPreview, let target = current.target else { return }
        switch decoder.keptFrame(for: target, within: min(distance, current.shownDistance)) {
        case .due?: current.awaitsPreview = false
        case .near(let frame)?: showPreview(frame)
        case nil: break
        }
    }

    /// Shows the key frame before the target, or a kept frame that is at least as near. The decoder receives the packet
    /// afterwards, because it may have to finish packets of the preceding seek first.
    func showKeyFrame(_ packet: Packet) {
        guard current.awaitsPreview, packet.isKeyFrame, let time = packet.presentationTime,
            let target = current.target, time <= target
        else { return }
        showKeptFrame(within: target - time)
        guard current.awaitsPreview, target - time < current.shownDistance,
            let frame = decoder.decodeAlone(packet)
        else { return }
        showPreview(frame)
    }

    /// Shows the last frame that was decoded if the seek awaits a frame, or a kept frame that is at least as near. The
    /// frame that may be due at the target is left to the seek.
    func showNewestFrame() {
        guard current.awaitsPreview else { return }
        defer { current.awaitsPreview = false }
        guard let target = current.target, let newest = history.newestFrame else { return }
        showKeptFrame(within: max(target - newest.presentationTime, .zero))
        guard current.awaitsPreview, let time = ItemTime(target),
            PresentationScheduler.end(of: newest) <= time
        else { return }
        showPreview(newest)
    }

    /// Reports a frame near the target of a seek, once in an epoch.
    func showPreview(_ frame: VideoFrame) {
        current.awaitsPreview = false
        report(.preview(stamped(frame)))
    }
}
