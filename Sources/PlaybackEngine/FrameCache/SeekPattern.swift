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
    private(set) var expected: [MediaTime] = []

    /// A seek back by at most so many frames is a step.
    private static let mostFramesOfStep = 8
    /// A decoder is ahead of the frame that is shown by about so many. Beyond that playing has gone on.
    private static let mostFramesAhead = 16
    private static let mostExpected = 8

    init(frameDuration: MediaTime) { self.frameDuration = frameDuration }

    /// `newestFrame`: what the decoder gave last.
    mutating func seek(to time: MediaTime, newestFrame: MediaTime?) {
        let place = place(newestFrame: newestFrame)
        let oldStride = stride
        target = time
        stride = nil
        isStepping = false
        expected = []
        guard time.isNumeric, let place, time < place else { return }
        let back = place - time
        stride = back
        isStepping = back <= frameDuration * Self.mostFramesOfStep
        guard !isStepping, let oldStride, isSame(back, oldStride) else { return }
        var next = time
        for _ in 0..<Self.mostExpected {
            next -= back
            guard next >= .zero else { break }
            expected.append(next)
        }
    }

    /// Whether a frame at `time` is one of those that are expected.
    func expects(_ time: MediaTime) -> Bool {
        expected.contains { time <= $0 && $0 - time < frameDuration }
    }

    /// Where the item stood before a seek.
    private func place(newestFrame: MediaTime?) -> MediaTime? {
        guard let target, target.isNumeric else { return newestFrame }
        guard let newestFrame, newestFrame > target + frameDuration * Self.mostFramesAhead else {
            return target
        }
        return newestFrame
    }

    private func isSame(_ a: MediaTime, _ b: MediaTime) -> Bool {
        (a < b ? b - a : a - b) < frameDuration
    }
}
