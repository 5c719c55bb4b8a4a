package import MediaCore
package import PlayheadBackend

/// What flows from the demuxer to a decoder.
package enum PacketElement: Sendable {
    case packet(Packet, pass: Int)
    /// The data of the pass ends here; what follows belongs to the next one. The error says why, where it
    /// was not the natural end.
    case endOfPass(Int, MediaError?)
}

/// What flows from a decoder to the renderer.
package enum FrameElement: Sendable {
    case video(VideoFrame)
    case audio(AudioBuffer)
    /// `end`: where the last frame of the pass stops being due, in nanoseconds of item time; nil when the
    /// track had no frame in this pass.
    case endOfPass(Int, end: Int64?, MediaError?)
}

/// What an element of a frame queue is, without its frame.
enum FrameMark {
    case video(pass: Int, time: MediaTime)
    case audio(pass: Int, time: MediaTime)
    case endOfPass(Int, end: Int64?, MediaError?)

    init(_ element: FrameElement) {
        switch element {
        case .video(let frame): self = .video(pass: frame.pass, time: frame.presentationTime)
        case .audio(let buffer): self = .audio(pass: buffer.pass, time: buffer.presentationTime)
        case .endOfPass(let pass, let end, let error): self = .endOfPass(pass, end: end, error)
        }
    }
}

extension FrameQueue {
    /// The element at `index` from the front; nil: there is none.
    func mark(_ index: Int = 0) -> FrameMark? { look(at: index) { FrameMark($0) } }
}

package typealias PacketQueue = StageQueue<PacketElement>
package typealias FrameQueue = StageQueue<FrameElement>

/// Where an epoch begins.
package struct EpochStart: Hashable, Sendable {
    package var epoch: Epoch
    /// Nothing that ends before this is wanted; the frame due then is the first. nil: whatever comes first.
    package var firstWanted: MediaTime?
    /// Where to send the demuxer; nil leaves it where it is (freshly opened).
    package var demuxTarget: MediaTime?
    /// FirstFrame late is not mended any more: there is no earlier place to try.
    package var isLastAttempt: Bool
    /// Frames are delivered from `firstWanted` backward; there is no audio.
    package var isReverse: Bool

    package init(
        epoch: Epoch,
        firstWanted: MediaTime? = nil,
        demuxTarget: MediaTime? = nil,
        isLastAttempt: Bool = true,
        isReverse: Bool = false
    ) {
        self.epoch = epoch
        self.firstWanted = firstWanted
        self.demuxTarget = demuxTarget
        self.isLastAttempt = isLastAttempt
        self.isReverse = isReverse
    }
}

/// What the stages tell the loop, beyond filling queues. Called on the stage's lane.
package enum StageReport: Sendable {
    /// A decoder's first frame lies after the wanted one: the container's index is inexact.
    case startedLate(Epoch)
    /// One packet could not be read or decoded; playback goes on.
    case fault(MediaError)
    /// The source has nothing at present and will not say when it has: it must be asked again at a later time.
    case starving(Epoch)
    /// Reading waits for bytes, and goes on by itself when they have come. Told once a wait.
    case waiting(Epoch)
    /// Frames were delivered: of use to a loop that waits for some.
    case delivered
    /// Nothing is read at present, for the bounds are reached: of use to a loop that waits for them.
    case blocked
    /// There is something new to look at, whatever the loop waits for.
    case changed
}
