public import Dispatch
public import MediaCore
import PlaybackEngine

/// Hands out the words of the text track that is chosen (`PlayerItem.select(_:in:)`), as they come due.
///
/// Cues are pushed: to `setHandler`, to `notices`, or to both. They are read by themselves, beside frame and
/// audio, which never wait for them: a track whose next words are an hour away holds up nothing, and words that
/// could not be read in time come late. A cue that began more than 20 seconds before a place that was sought
/// to, and was not read before, may be missing there.
public final class LegibleOutput: PlayerItemOutput, TextOutput {
    /// What a reader is told, in order.
    public enum Notice: Sendable {
        /// A seek, another pass, another direction or another track: what was handed out is no longer due.
        case sequenceWasFlushed
        /// These come due at the item time, in the order in which they begin; after a jump those that are due
        /// there already. Each says itself when it ends.
        case cues([TextCue], itemTime: MediaTime)
    }

    private struct State {
        var handler: NoticeHandler<Notice>?
        /// Handed out since the last flush.
        var recent: [TextCue] = []
        var suppressesRendering = false
        weak var item: PlayerItem?
    }

    private let state = Locked(State())
    private let readers = Fanout<Notice>(depth: 256)
    /// By so much item time cues are handed out before they are due.
    public let advanceInterval: MediaTime

    /// It hands out nothing until it is added to an item (`PlayerItem.add(_:)`).
    public init(advanceInterval: MediaTime = .zero) { self.advanceInterval = advanceInterval }

    /// The item that it was added to; nil: none, or one that has gone. `PlayerItem` sets it.
    public var item: PlayerItem? {
        get { state.withLock { $0.item } }
        set { state.withLock { $0.item = newValue } }
    }

    /// Kept, and changes nothing: the player shows no words by itself.
    public var suppressesPlayerRendering: Bool {
        get { state.withLock { $0.suppressesRendering } }
        set { state.withLock { $0.suppressesRendering = newValue } }
    }

    /// Calls `handler` on `queue` for each notice, in order. Without a queue on the player's callback queue, at
    /// its place among the player's events.
    public func setHandler(queue: DispatchQueue? = nil, _ handler: (@Sendable (Notice) -> Void)?) {
        state.withLock { $0.handler = handler.map { NoticeHandler(queue: queue, call: $0) } }
    }

    /// Every notice from now on; a reader that lags gets the newest.
    public var notices: AsyncStream<Notice> { readers.makeStream() }

    /// Of the cues handed out so far, those that are due at `time`.
    public func cues(forItemTime time: MediaTime) -> [TextCue] {
        state.withLock { $0.recent }.filter { cue in
            cue.timeRange.start <= time && (!cue.timeRange.duration.isNumeric || time < cue.timeRange.end)
        }
    }

    var kind: TextKind { .subtitles }
    var isReadForOutputs: Bool { false }
    var listener: TextListener {
        TextListener(id: ObjectIdentifier(self), advance: advanceInterval.nanoseconds ?? 0) {
            [weak self] notice in
            switch notice {
            case .flushed: self?.take(.sequenceWasFlushed)
            case .due(let cues, let time): self?.take(.cues(cues, itemTime: time))
            }
        }
    }

    private func take(_ notice: Notice) {
        let handler = state.withLock { state in
            switch notice {
            case .sequenceWasFlushed: state.recent = []
            case .cues(let cues, let time):
                // What only the next cue ends has ended.
                state.recent.removeAll { $0.timeRange.duration.isIndefinite || $0.timeRange.end < time }
                // Told again, because it was added again.
                state.recent.removeAll { cues.contains($0) }
                state.recent += cues
            }
            return state.handler
        }
        readers.yield(notice)
        handler?.hand(notice, of: item)
    }
}

extension PlayerItem {
    /// What the engine reads words from; nil: none are chosen.
    private var textSource: TextSource? {
        let (chosen, outside, core) = state.withLock {
            ($0.legible, $0.legibleAsset, $0.attachment?.core)
        }
        let choice = core?.choice(chosen, .legible) ?? .none
        guard choice != .none || outside != nil else { return nil }
        let asset = outside ?? asset
        var source = TextSource.subtitles(
            outside == nil ? choice : .automatic,
            makeDemuxer: { [backend = core?.configuration.backend] in asset.makeDemuxer(backend) },
            listeners: { [weak self] in self?.listeners(of: .subtitles) ?? [] }
        )
        source.role = asset.loadingRole
        return source
    }

    /// All that is read beside frame and audio.
    var textSources: [TextKind: TextSource] {
        [TextKind.subtitles: textSource, .metadata: metadataSource].compactMapValues(\.self)
    }

    /// Words from a file of their own ("film.srt", "film.vtt"), instead of the item's own tracks: the first
    /// track of text in it, on the item's timeline. nil: the item's own again. Counts at once, also while
    /// playing.
    public var legibleAsset: Asset? {
        get { state.withLock { $0.legibleAsset } }
        set {
            state.withLock { $0.legibleAsset = newValue }
            reloadText(.subtitles, reopens: true)
        }
    }

    func reloadText(_ kind: TextKind, reopens: Bool) {
        guard let attachment = state.withLock({ $0.attachment }), let core = attachment.core else { return }
        core.loop.reloadText(attachment.id, kind, reopens: reopens)
    }
}
