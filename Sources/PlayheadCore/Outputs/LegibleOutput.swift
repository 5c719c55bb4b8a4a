public import Dispatch
public import MediaCore
import PlaybackEngine

/// Delivers the cues of the selected subtitle track (`PlayerItem.select(_:in:)`) when they become due.
///
/// Cues are pushed to the handler (`setHandler`), to `notices`, or to both. They are read independently of video and
/// audio, which never wait for them: a track whose next cue is an hour away delays nothing, and cues that could not be
/// read in time are delivered late. After a seek, a cue that began more than 20 seconds before the target and was not
/// read before may be missing.
///
/// All members may be used from any thread.
public final class LegibleOutput: PlayerItemOutput, TextOutput {
    /// A notice to the reader. Notices arrive in order.
    public enum Notice: Sendable {
        /// The cues that were delivered are no longer due: after a seek, with another pass of a loop, another direction
        /// or another track.
        case sequenceWasFlushed
        /// Cues that become due at an item time, in the order in which they begin. After a jump these include the cues
        /// that are due already. Each cue has its end time.
        case cues([TextCue], itemTime: MediaTime)
        /// Delivered cues that are over at an item time. Delivered only if `reportsEnds` is true; cues that begin at
        /// the same time come first.
        case cuesEnded([TextCue], itemTime: MediaTime)
        /// The reader of `notices` was too slow: the given number of notices was omitted before this one.
        case lost(Int)
    }

    /// The properties by which a cue is recognized that is delivered again.
    private struct CueKey: Hashable {
        let start: MediaTime
        let text: String

        init(_ cue: TextCue) {
            start = cue.timeRange.start
            text = cue.text
        }
    }

    private struct State {
        var handler: NoticeHandler<Notice>?
        /// The cues that were delivered since the last flush.
        var recent: [TextCue] = []
        var suppressesRendering = false
        var advanceInterval: MediaTime
        weak var item: PlayerItem?

        /// Ends the cues without an end at the start of the next cue, which may be delivered before it is due.
        mutating func endRecent(at next: MediaTime) {
            for index in recent.indices where recent[index].timeRange.duration.isIndefinite {
                let start = recent[index].timeRange.start
                if start < next { recent[index].timeRange.duration = next - start }
            }
        }
    }

    private let state: Locked<State>
    private let readers = Fanout<Notice>(depth: 256) { .lost($0) }
    /// Whether the ends of cues are delivered.
    public let reportsEnds: Bool

    /// Creates an output. It delivers nothing until it is added to an item (`PlayerItem.add(_:)`).
    ///
    /// - Parameters:
    ///   - advanceInterval: The item time by which cues are delivered before they are due.
    ///   - reportsEnds: Whether the ends of cues are delivered (`Notice.cuesEnded`), ahead of time by the same interval.
    public init(advanceInterval: MediaTime = .zero, reportsEnds: Bool = false) {
        state = Locked(State(advanceInterval: advanceInterval))
        self.reportsEnds = reportsEnds
    }

    /// The item time by which cues are delivered before they are due. A change applies to cues that have not been
    /// delivered.
    public var advanceInterval: MediaTime {
        get { state.withLock { $0.advanceInterval } }
        set {
            let item = state.withLock { state in
                state.advanceInterval = newValue
                return state.item
            }
            item?.reloadCues(kind, reopens: false)
        }
    }

    /// The item that the output was added to, or nil. It is not retained. `PlayerItem` sets the property.
    public var item: PlayerItem? {
        get { state.withLock { $0.item } }
        set {
            state.withLock { $0.item = newValue }
            if newValue == nil { endNotices() }
        }
    }

    /// Whether no subtitles are drawn into the frames of the item, because the output's reader shows them; see
    /// `VideoSink.rendersSubtitles`. The default is false. A change takes effect at once.
    public var suppressesPlayerRendering: Bool {
        get { state.withLock { $0.suppressesRendering } }
        set {
            let item = state.withLock { state in
                state.suppressesRendering = newValue
                return state.item
            }
            item?.reloadCues(kind, reopens: false)
        }
    }

    /// Sets the handler for notices.
    ///
    /// - Parameters:
    ///   - queue: The queue to call the handler on. Nil means the player's callback queue, where notices are
    ///     ordered with the player's events.
    ///   - handler: Called for each notice, in order. Nil removes the handler.
    public func setHandler(queue: DispatchQueue? = nil, _ handler: (@Sendable (Notice) -> Void)?) {
        state.set(\.handler, to: handler.map { NoticeHandler(queue: queue, call: $0) })
    }

    /// A stream of the notices from now on, for one reader.
    ///
    /// The stream ends when the item has been played to its end, fails, is replaced or removed, or when the output is
    /// removed from the item; a loop does not end it. If the item plays again, for example after a seek, read another
    /// stream. A reader that falls more than 256 notices behind gets `.lost` with the number of omitted ones.
    public var notices: AsyncStream<Notice> { readers.makeStream() }

    /// Ends the streams of notices.
    func endNotices() { readers.finishStreams() }

    /// Returns the delivered cues that are due at an item time.
    ///
    /// - Parameter time: The item time.
    /// - Returns: The cues.
    public func cues(forItemTime time: MediaTime) -> [TextCue] {
        state.withLock { $0.recent }.filter { cue in
            cue.timeRange.start <= time && (!cue.timeRange.duration.isNumeric || time < cue.timeRange.end)
        }
    }

    var kind: CueKind { .subtitles }
    var isReadForOutputs: Bool { false }
    var listener: CueListener {
        CueListener(
            id: ObjectIdentifier(self),
            advance: advanceInterval.nanoseconds ?? 0,
            reportsEnds: reportsEnds,
            suppressesRendering: suppressesPlayerRendering
        ) { [weak self] notice in
            switch notice {
            case .flushed: self?.deliver(.sequenceWasFlushed)
            case .due(let cues, let time): self?.deliver(.cues(cues, itemTime: time))
            case .ended(let cues, let time): self?.deliver(.cuesEnded(cues, itemTime: time))
            }
        }
    }

    private func deliver(_ notice: Notice) {
        let handler = state.withLock { state in
            switch notice {
            case .sequenceWasFlushed: state.recent = []
            case .lost, .cuesEnded: break
            case .cues(let cues, let time):
                guard let next = cues.map(\.timeRange.start).min() else { break }
                state.endRecent(at: next)
                state.recent.removeAll { $0.timeRange.duration.isNumeric && $0.timeRange.end < time }
                // Cues are delivered again if the output was added again. Most cues begin before the new ones.
                let keys = Set(cues.map(CueKey.init))
                state.recent.removeAll { $0.timeRange.start >= next && keys.contains(CueKey($0)) }
                state.recent += cues
            }
            return state.handler
        }
        readers.yield(notice)
        handler?.deliver(notice, of: item)
    }
}

extension PlayerItem {
    /// The source of subtitles for the engine; nil if no subtitles are selected.
    private var subtitleSource: CueSource? {
        let (chosen, outside, core) = state.withLock {
            ($0.legible, $0.legibleAsset, $0.attachment?.core)
        }
        let choice = core?.choice(chosen, .legible) ?? .none
        guard choice != .none || outside != nil else { return nil }
        let asset = outside ?? asset
        if let core { asset.setDefaultNetworkOptions(core.configuration.network) }
        var source = CueSource.subtitles(
            outside == nil ? choice : .automatic,
            makeDemuxer: { [backend = core?.configuration.backend] in asset.makeDemuxer(backend, $0) },
            listeners: { [weak self] in self?.listeners(of: .subtitles) ?? [] }
        )
        source.role = asset.loadingRole
        if let outside {
            source.location = outside.location
            source.readsOnlySubtitles = false
            state.withLock { $0.subtitleURLs[outside.location] = outside.url }
        }
        return source
    }

    /// The sources of subtitles and timed metadata for the engine.
    var cueSources: [CueKind: CueSource] {
        [CueKind.subtitles: subtitleSource, .metadata: metadataSource].compactMapValues(\.self)
    }

    /// An asset with external subtitles ("film.srt", "film.vtt") that replace the item's own: its first subtitle track
    /// is delivered on the item's timeline. Nil means the item's own tracks. A change takes effect at once, also
    /// during playback.
    public var legibleAsset: Asset? {
        get { state.withLock { $0.legibleAsset } }
        set {
            state.withLock { $0.legibleAsset = newValue }
            reloadCues(.subtitles, reopens: true)
        }
    }

    func reloadCues(_ kind: CueKind, reopens: Bool) {
        guard let attachment = state.withLock({ $0.attachment }), let core = attachment.core else { return }
        core.loop.reloadCues(attachment.id, kind, reopens: reopens)
    }
}
