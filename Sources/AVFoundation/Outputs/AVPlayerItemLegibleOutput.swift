import CoreMedia
public import Foundation
import MediaCore
import Playhead

/// Delivers the subtitles of the selected option to a delegate when they become due, and when they are over.
///
/// `@unchecked Sendable`: `delegation` and `shown` are guarded by their locks; the other stored properties are constants
/// of `Sendable` types.
open class AVPlayerItemLegibleOutput: AVPlayerItemOutput, @unchecked Sendable {
    /// Which styles the attributed strings have. They have none here.
    public struct TextStylingResolution: RawRepresentable, Hashable, Sendable {
        /// The text of the value.
        public let rawValue: String
        /// Creates a value.
        ///
        /// - Parameter rawValue: The text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The styles of the media and of the user.
        public static let `default` = TextStylingResolution(rawValue: "default")
        /// The styles of the media alone.
        public static let sourceAndRulesOnly = TextStylingResolution(rawValue: "sourceAndRulesOnly")
    }

    private let legible = LegibleOutput(reportsEnds: true)
    private let delegation = Locked(OutputDelegate())
    private let resolution = Locked(TextStylingResolution.default)
    /// The subtitles that the delegate shows.
    private let shown = Locked<[TextCue]>([])

    /// Creates an output.
    public init() { super.init(legible) }

    /// Creates an output.
    ///
    /// - Parameter subtypes: Has no effect: subtitles are delivered as text.
    public convenience init(mediaSubtypesForNativeRepresentation subtypes: [NSNumber]) { self.init() }

    /// Sets the delegate, which is not retained.
    ///
    /// - Parameters:
    ///   - delegate: The delegate, or nil.
    ///   - delegateQueue: The serial queue on which the delegate is called; nil for the main queue.
    open func setDelegate(
        _ delegate: (any AVPlayerItemLegibleOutputPushDelegate)?,
        queue delegateQueue: DispatchQueue?
    ) {
        delegation.withLock { $0 = OutputDelegate(object: delegate, queue: delegateQueue) }
        legible.setHandler(queue: delegateQueue) { [weak self] in self?.receive($0, on: delegateQueue) }
    }

    /// The delegate, or nil.
    open var delegate: (any AVPlayerItemLegibleOutputPushDelegate)? {
        delegation.withLock { $0.object } as? any AVPlayerItemLegibleOutputPushDelegate
    }
    /// The queue on which the delegate is called, as it was set.
    open var delegateQueue: DispatchQueue? { delegation.withLock { $0.queue } }

    /// The seconds of item time by which the delegate is called before subtitles are due or over.
    open var advanceIntervalForDelegateInvocation: TimeInterval {
        get { legible.advanceInterval.seconds }
        set { legible.advanceInterval = MediaTime(CMTime(seconds: newValue, preferredTimescale: 1_000_000)) }
    }

    /// Has no effect: the strings have no attributes.
    open var textStylingResolution: TextStylingResolution {
        get { resolution.withLock { $0 } }
        set { resolution.withLock { $0 = newValue } }
    }

    override func makeRelay() -> any OutputRelay {
        // The subtitles that are shown belong to the item that the output was added to before.
        shown.withLock { $0 = [] }
        return super.makeRelay()
    }

    private func receive(_ notice: LegibleOutput.Notice, on queue: DispatchQueue?) {
        // Another delegate may have been set since, with a queue of its own.
        let own = delegateQueue
        guard own === queue else {
            return (own ?? .main).async { [weak self] in self?.receive(notice, on: own) }
        }
        switch notice {
        case .sequenceWasFlushed:
            shown.withLock { $0 = [] }
            delegate?.outputSequenceWasFlushed(self)
        case .cues(let cues, let now):
            // With an advance interval the cues begin later.
            let time = cues.map(\.timeRange.start).reduce(now, max)
            update(at: time) { shown in
                // An item that the player is given again reports its cues again.
                shown.filter { cue in
                    cue.timeRange.start <= time && (!cue.timeRange.end.isNumeric || time < cue.timeRange.end)
                        && !cues.contains { $0.isSame(as: cue) }
                } + cues
            }
        case .cuesEnded(let cues, let now):
            let ends = cues.map(\.timeRange).filter { $0.start <= now && $0.end.isNumeric }.map(\.end)
            update(at: ends.reduce(now, max)) { shown in
                shown.filter { cue in !cues.contains { $0.isSame(as: cue) } }
            }
        case .lost: break
        }
    }

    private func update(at time: MediaTime, _ change: ([TextCue]) -> [TextCue]) {
        let strings = shown.withLock { shown -> [NSAttributedString]? in
            let changed = change(shown).sorted { $0.timeRange.start < $1.timeRange.start }
            defer { shown = changed }
            return changed == shown ? nil : changed.map { NSAttributedString(string: $0.text) }
        }
        guard let strings else { return }
        delegate?.legibleOutput(
            self,
            didOutputAttributedStrings: strings,
            nativeSampleBuffers: [],
            forItemTime: CMTime(time)
        )
    }
}

extension TextCue {
    /// Whether both are the same cue, whose end may have become known.
    fileprivate func isSame(as other: TextCue) -> Bool {
        timeRange.start == other.timeRange.start && text == other.text && track == other.track
    }
}
