public import Dispatch
public import MediaCore
import PlaybackEngine

/// Metadata that applies to a range of time.
public struct TimedMetadataGroup: Hashable, Sendable {
    /// The entries, sorted by key. A chapter has "chapter" (counted from 1) and "title". An ID3 tag has the names of
    /// its frames ("TIT2", "TXXX:name", "PRIV:owner"); binary values are written in hexadecimal digits.
    public var items: [MetadataItem]
    /// The range on the item's timeline. Its duration is `.indefinite` if the group ends with the next one.
    public var timeRange: MediaTimeRange
    /// The value of `Track.id`; nil for chapters.
    public var track: Int?
}

/// Delivers timed metadata when it becomes due: chapters, and ID3 tags of transport streams. Other data tracks are not
/// read. Metadata is read and pushed as cues are; see `LegibleOutput`.
public final class MetadataOutput: PlayerItemOutput, TextOutput {
    /// A notice to the reader. Notices arrive in order.
    public enum Notice: Sendable {
        /// The groups that were delivered are no longer due: after a seek, with another pass of a loop, or in another
        /// direction.
        case sequenceWasFlushed
        /// Groups that become due at an item time, in the order in which they begin. After a jump these include the
        /// groups that are due already.
        case groups([TimedMetadataGroup], itemTime: MediaTime)
    }

    private struct State {
        var handler: NoticeHandler<Notice>?
        var advanceInterval: MediaTime
        weak var item: PlayerItem?
    }

    private let state: Locked<State>
    /// The keys of the entries that are delivered; nil delivers all entries.
    public let identifiers: Set<String>?

    /// Creates an output. It delivers nothing until it is added to an item (`PlayerItem.add(_:)`).
    ///
    /// - Parameters:
    ///   - identifiers: The keys of the entries to deliver, or nil for all.
    ///   - advanceInterval: The item time by which groups are delivered before they are due.
    public init(identifiers: Set<String>? = nil, advanceInterval: MediaTime = .zero) {
        self.identifiers = identifiers
        state = Locked(State(advanceInterval: advanceInterval))
    }

    /// The item time by which groups are delivered before they are due. A change applies to groups that have not been
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
        set { state.withLock { $0.item = newValue } }
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

    var kind: CueKind { .metadata }
    var isReadForOutputs: Bool { true }
    var listener: CueListener {
        CueListener(id: ObjectIdentifier(self), advance: advanceInterval.nanoseconds ?? 0) {
            [weak self] notice in
            guard let self else { return }
            switch notice {
            case .flushed: deliver(.sequenceWasFlushed)
            case .due(let cues, let time):
                let groups = cues.compactMap(group)
                if !groups.isEmpty { deliver(.groups(groups, itemTime: time)) }
            case .ended: break
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

    private func deliver(_ notice: Notice) {
        state.withLock { $0.handler }?.deliver(notice, of: item)
    }
}

extension PlayerItem {
    /// The source of metadata for the engine; nil if no output requests metadata.
    var metadataSource: CueSource? {
        guard !listeners(of: .metadata).isEmpty else { return nil }
        let (asset, backend) = (asset, core?.configuration.backend)
        var source = CueSource.metadata(
            makeDemuxer: { asset.makeDemuxer(backend, $0) },
            listeners: { [weak self] in self?.listeners(of: .metadata) ?? [] }
        )
        source.role = asset.loadingRole
        return source
    }
}
