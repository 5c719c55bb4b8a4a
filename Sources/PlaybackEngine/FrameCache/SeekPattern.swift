import MediaCore

/// Predicts the targets of an item's next seeks from the preceding ones.
///
/// It halves the mean time of seeks back in even steps of half a second, as `docs/performance.md` measures.
struct SeekPattern {
    private let frameDuration: MediaTime
    private var target: MediaTime?
    private var stride: MediaTime?

    /// True if the last seek moved back by a few frames. Each frame before the target may then be the next one.
    private(set) var isStepping = false
    /// The targets of the next seeks if the last two moved back by the same stride and the pattern continues.
    /// The nearest one is first.
    private(set) var predictedTargets: [MediaTime] = []

    /// The largest number of frames by which a step moves back.
    private static let maximumStepFrames = 8
    /// The number of frames by which a decoder is usually ahead of the frame that is shown. A greater distance
    /// means that playback has continued.
    private static let maximumDecodeAheadFrames = 16
    private static let maximumPredictionCount = 8

    init(frameDuration: MediaTime) { self.frameDuration = frameDuration }

    /// Records a seek.
    ///
    /// - Parameters:
    ///   - time: The target of the seek.
    ///   - newestFrame: The time of the last frame that the decoder returned.
    mutating func seek(to time: MediaTime, newestFrame: MediaTime?) {
        let position = position(newestFrame: newestFrame)
        let oldStride = stride
        target = time
        stride = nil
        isStepping = false
        predictedTargets = []
        guard time.isNumeric, let position, time < position else { return }
        let distance = position - time
        stride = distance
        isStepping = distance <= frameDuration * Self.maximumStepFrames
        guard !isStepping, let oldStride, isSame(distance, oldStride) else { return }
        var next = time
        for _ in 0..<Self.maximumPredictionCount {
            next -= distance
            guard next >= .zero else { break }
            predictedTargets.append(next)
        }
    }

    /// Returns whether a frame at `time` is due at one of the predicted targets.
    func predicts(_ time: MediaTime) -> Bool {
        predictedTargets.contains { time <= $0 && $0 - time < frameDuration }
    }

    /// Returns the position of the item before a seek.
    private func position(newestFrame: MediaTime?) -> MediaTime? {
        guard let target, target.isNumeric else { return newestFrame }
        guard let newestFrame, newestFrame > target + frameDuration * Self.maximumDecodeAheadFrames else {
            return target
        }
        return newestFrame
    }

    private func isSame(_ a: MediaTime, _ b: MediaTime) -> Bool {
        (a < b ? b - a : a - b) < frameDuration
    }
}
