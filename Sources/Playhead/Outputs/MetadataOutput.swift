public import Dispatch
public import MediaCore
import PlaybackEngine

/// Metadata that are due for a while.
public struct TimedMetadataGroup: Hashable, Sendable {
    /// Sorted by key. Of a chapter: "chapter" (counted from 1) and "title"; of ID3: a frame's name ("TIT2",
    /// "TXXX:name", "PRIV:owner"), and what is not text in hexadecimal digits.
    public var items: [MetadataItem]
    /// On the item's timeline; its duration is `.indefinite` where only the next group ends it.
    public var timeRange: MediaTimeRange
    /// `Track.id`; nil for chapters.
    public var track: Int?
}

/// Hands out timed metadata as they come due: chapters, and ID3 tags of transport streams. Other tracks of
/// data are not read. Pushed and read as words are; see `LegibleOutput`.
public final class MetadataOutput: PlayerItemOutput, TextOutput {
    /// What a reader is told, in order.
    public enum Notice: Sendable {
        /// A seek, another pass or another direction: what was handed out is no longer due.
        case sequenceWasFlushed
        /// These come due at the item time, in the order in which they begin; after a jump those that are
        /// due there already.
        case groups([TimedMetadataGroup], itemTime: MediaTime)
    }

    private struct State {
        var handler: NoticeHandler<Notice>?
        var suppressesRendering = false
        weak var item: PlayerItem?
    }

    private let state = Locked(State())
    /// Only items with these keys are handed out; nil: all.
    public let identifiers: Set<String>?
    /// By so much item time groups are handed out before they are due.
    public let advanceInterval: MediaTime

    /// It hands out nothing until it is added to an item (`PlayerItem.add(_:)`).
    public init(identifiers: Set<String>? = nil, advanceInterval: MediaTime = .zero) {
        self.identifiers = identifiers
        self.advanceInterval = advanceInterval
    }

    /// The item that it was added to; nil: none, or one that has gone. `PlayerItem` sets it.
    public var item: PlayerItem? {
        get { state.withLock { $0.item } }
        set { state.withLock { $0.item = newValue } }
    }

    /// Kept, and changes nothing: the player shows no metadata by itself.
    public var suppressesPlayerRendering: Bool {
        get { state.withLock { $0.suppressesRendering } }
        set { state.withLock { $0.suppressesRendering = newValue } }
    }

    /// Calls `handler` on `queue` for each notice, in order. Without a queue on the player's callback queue, at
    /// its place among the player's events.
    public func setHandler(queue: DispatchQueue? = nil, _ handler: (@Sendable (Notice) -> Void)?) {
        state.withLock { $0.handler = handler.map { NoticeHandler(queue: queue, call: $0) } }
    }

    var kind: TextKind { .metadata }
    var isReadForOutputs: Bool { true }
    var listener: TextListener {
        TextListener(id: ObjectIdentifier(self), advance: advanceInterval.nanoseconds ?? 0) {
            [weak self] notice in
            guard let self else { return }
            switch notice {
            case .flushed: hand(.sequenceWasFlushed)
            case .due(let cues, let time):
                let groups = cues.compactMap(group)
                if !groups.isEmpty { hand(.groups(groups, itemTime: time)) }
            }
        }
    }

    private func group(_ cue: TextCue) -> TimedMetadataGroup? {
        let items = cue.values.filter { identifiers?.contains($0.key) ?? true }.sorted { $0.key < $1.key }
            .map { MetadataItem(key: $0.key, value: $0.value) }
        guard !items.isEmpty else { return nil }
        return TimedMetadataGroup(
            items: items,
            timeRange: cue.timeRange,
            track: cue.track < 0 ? nil : cue.track
        )
    }

    private func hand(_ notice: Notice) {
        state.withLock { $0.handler }?.hand(notice, of: item)
    }
}

extension PlayerItem {
    /// What the engine reads metadata from; nil: nobody wants them.
    var metadataSource: TextSource? {
        guard !listeners(of: .metadata).isEmpty else { return nil }
        let (asset, backend) = (asset, core?.configuration.backend)
        var source = TextSource.metadata(
            makeDemuxer: { asset.makeDemuxer(backend) },
            listeners: { [weak self] in self?.listeners(of: .metadata) ?? [] }
        )
        source.role = asset.loadingRole
        return source
    }
}
