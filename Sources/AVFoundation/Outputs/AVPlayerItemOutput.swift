public import CoreMedia
public import Foundation
import MediaCore
import Playhead

/// A receiver of what an item plays. Add it with `AVPlayerItem.add(_:)`.
///
/// `@unchecked Sendable`: its stored property is a constant of a `Sendable` type. Subclasses must be safe too.
open class AVPlayerItemOutput: NSObject, @unchecked Sendable {
    /// The output of the player's API.
    let output: VideoOutput

    init(_ output: VideoOutput) {
        self.output = output
        super.init()
    }

    /// Whether the player's layers show nothing of the item; false by default.
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

    /// Receives a frame when it becomes due, on the player's control lane.
    func didReceive(_ frame: VideoFrame, afterJump: Bool) {}
}

extension AVPlayerItem {
    /// Adds an output, which the item retains. It gets the frame that is shown at present, if any, and all following ones.
    /// An output of another item moves.
    ///
    /// - Parameter output: The output.
    nonisolated public func add(_ output: AVPlayerItemOutput) {
        guard !outputs.contains(where: { $0 === output }) else { return }
        if let other = output.output.item { OutputRelay.remove(output, from: other) }
        item.add(OutputRelay(output))
    }

    /// Removes an output. An output that was not added is ignored.
    ///
    /// - Parameter output: The output.
    nonisolated public func remove(_ output: AVPlayerItemOutput) { OutputRelay.remove(output, from: item) }

    /// The outputs in the order in which they were added.
    nonisolated public var outputs: [AVPlayerItemOutput] {
        item.outputs.compactMap { ($0 as? OutputRelay)?.owner }
    }
}
