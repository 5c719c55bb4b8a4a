public import CoreMedia
public import Foundation
import MediaCore
import Playhead

/// An output of the player's API that an `AVPlayerItemOutput` uses.
protocol AdaptedOutput: PlayerItemOutput {
    var suppressesPlayerRendering: Bool { get set }
}

extension VideoOutput: AdaptedOutput {}
extension LegibleOutput: AdaptedOutput {}
extension MetadataOutput: AdaptedOutput {}

/// A receiver of what an item plays. Add it with `AVPlayerItem.add(_:)`.
///
/// `@unchecked Sendable`: its stored property is a constant of a `Sendable` type. Subclasses must be safe too.
open class AVPlayerItemOutput: NSObject, @unchecked Sendable {
    /// The output of the player's API.
    let output: any AdaptedOutput

    init(_ output: any AdaptedOutput) {
        self.output = output
        super.init()
    }

    /// A Boolean value that indicates whether the player's layers show nothing of the item; false by default. It has no
    /// effect for subtitles and metadata, which layers do not show.
    open var suppressesPlayerRendering: Bool {
        get { output.suppressesPlayerRendering }
        set { output.suppressesPlayerRendering = newValue }
    }

    /// Returns the item time at a host time, provided that playback continues unchanged until then.
    ///
    /// - Parameter hostTimeInSeconds: A time on the clock of `CACurrentMediaTime()`.
    /// - Returns: The item time, or an invalid time if the output belongs to no item.
    open func itemTime(forHostTime hostTimeInSeconds: CFTimeInterval) -> CMTime {
        guard hostTimeInSeconds.isFinite, abs(hostTimeInSeconds) < 9e9 else { return .invalid }
        let host = HostTime(nanoseconds: Int64((hostTimeInSeconds * 1e9).rounded()))
        return output.itemTime(forHostTime: host).map { CMTime($0) } ?? .invalid
    }

    /// Returns the object that an item retains in place of this one.
    func makeRelay() -> any OutputRelay { TextRelay(self) }
}

extension AVPlayerItem {
    /// Adds an output, which the item retains. It gets what is shown at present, if anything, and all that follows. An
    /// output of another item moves.
    ///
    /// - Parameter output: The output.
    nonisolated public func add(_ output: AVPlayerItemOutput) {
        guard !outputs.contains(where: { $0 === output }) else { return }
        if let other = output.output.item { output.removeRelay(from: other) }
        item.add(output.makeRelay())
    }

    /// Removes an output. An output that was not added is ignored.
    ///
    /// - Parameter output: The output.
    nonisolated public func remove(_ output: AVPlayerItemOutput) { output.removeRelay(from: item) }

    /// The outputs in the order in which they were added.
    nonisolated public var outputs: [AVPlayerItemOutput] {
        item.outputs.compactMap { ($0 as? any OutputRelay)?.owner }
    }
}

extension AVPlayerItemOutput {
    fileprivate func removeRelay(from item: PlayerItem) {
        for case let relay as any OutputRelay in item.outputs where relay.owner === self {
            item.remove(relay)
        }
    }
}
