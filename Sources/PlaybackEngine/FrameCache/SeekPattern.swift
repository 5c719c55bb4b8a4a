import MediaCore

/// How the seeks of an item follow each other, and so where the next ones will probably lead.
struct SeekPattern {
    private let frameDuration: MediaTime
    private var target: MediaTime?
    private var stride: MediaTime?

    /// The last seek led back by a few frames: each frame before it may be the next.
    private(set) var isStepping = false
    /// The last two seeks led back by the same stride: where the next ones will lead if they go on so. The
    /// nearest comes first.
    private(set) var predictedTargets: [MediaTime] = []

    /// A seek back by at most so many frames is a step.
    private static let maximumStepFrames = 8
    /// A decoder is ahead of the frame that is shown by about so many. Beyond that playing has gone on.
    private static let maximumDecodeAheadFrames = 16
    private static let maximumPredictionCount = 8

    init(frameDuration: MediaTime) { self.frameDuration = frameDuration }

    /// `newestFrame`: what the decoder gave last.
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

    /// Whether a frame at `time` is one of those that are expected.
    func predicts(_ time: MediaTime) -> Bool {
        predictedTargets.contains { time <= $0 && $0 - time < frameDuration }
    }

    /// Where the item stood before a seek.
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
