import CoreMedia
public import Foundation
import MediaCore
import Playhead

/// Delivers timed metadata to a delegate when it becomes due: ID3 tags of HLS, and chapters.
///
/// `@unchecked Sendable`: `delegation` is guarded by its lock; the other stored properties are constants of `Sendable`
/// types.
open class AVPlayerItemMetadataOutput: AVPlayerItemOutput, @unchecked Sendable {
    private let metadata = MetadataOutput()
    private let identifiers: Set<String>?
    private let delegation = Locked(OutputDelegate())

    /// Creates an output.
    ///
    /// - Parameter identifiers: The identifiers of the entries to deliver (`AVMetadataIdentifier.rawValue`), or nil for
    ///   all.
    public init(identifiers: [String]? = nil) {
        self.identifiers = identifiers.map { Set($0) }
        super.init(metadata)
    }

    /// Sets the delegate, which is not retained.
    ///
    /// - Parameters:
    ///   - delegate: The delegate, or nil.
    ///   - delegateQueue: The serial queue on which the delegate is called; nil for the main queue.
    open func setDelegate(
        _ delegate: (any AVPlayerItemMetadataOutputPushDelegate)?,
        queue delegateQueue: DispatchQueue?
    ) {
        delegation.withLock { $0 = OutputDelegate(object: delegate, queue: delegateQueue) }
        metadata.setHandler(queue: delegateQueue) { [weak self] in self?.receive($0, on: delegateQueue) }
    }

    /// The delegate, or nil.
    open var delegate: (any AVPlayerItemMetadataOutputPushDelegate)? {
        delegation.withLock { $0.object } as? any AVPlayerItemMetadataOutputPushDelegate
    }
    /// The queue on which the delegate is called, as it was set.
    open var delegateQueue: DispatchQueue? { delegation.withLock { $0.queue } }

    /// The seconds of item time by which the delegate is called before metadata is due.
    open var advanceIntervalForDelegateInvocation: TimeInterval {
        get { metadata.advanceInterval.seconds }
        set { metadata.advanceInterval = MediaTime(CMTime(seconds: newValue, preferredTimescale: 1_000_000)) }
    }

    private func receive(_ notice: MetadataOutput.Notice, on queue: DispatchQueue?) {
        // Another delegate may have been set since, with a queue of its own.
        let own = delegateQueue
        guard own === queue else {
            return (own ?? .main).async { [weak self] in self?.receive(notice, on: own) }
        }
        switch notice {
        case .sequenceWasFlushed: delegate?.outputSequenceWasFlushed(self)
        case .groups(let groups, _):
            var rest = groups[...]
            while let first = rest.first {
                let ofTrack = rest.prefix { $0.track == first.track }
                rest = rest.dropFirst(ofTrack.count)
                let delivered = ofTrack.compactMap { group($0) }
                guard !delivered.isEmpty else { continue }
                delegate?.metadataOutput(
                    self,
                    didOutputTimedMetadataGroups: delivered,
                    from: first.track.flatMap { track($0) }
                )
            }
        }
    }

    /// Returns the group with the requested entries, or nil if there are none.
    private func group(_ group: TimedMetadataGroup) -> AVTimedMetadataGroup? {
        let items = group.items.map { entry in
            AVMetadataItem(entry.key, entry.value, during: group.timeRange, isID3: group.track != nil)
        }
        .filter { item in identifiers.map { $0.contains(item.identifier?.rawValue ?? "") } ?? true }
        return items.isEmpty
            ? nil : AVTimedMetadataGroup(items: items, timeRange: CMTimeRange(group.timeRange))
    }

    private func track(_ id: Int) -> AVPlayerItemTrack? {
        guard let item = metadata.item, let track = item.tracks.first(where: { $0.assetTrack.id == id })
        else { return nil }
        return AVPlayerItemTrack(track, of: item, AVPlayerItem.representing(item).ownAsset)
    }
}
