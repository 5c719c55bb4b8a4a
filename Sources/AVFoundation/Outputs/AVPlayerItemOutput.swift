public import CoreMedia
public import Foundation
import MediaCore
import Playhead

/// An output of the player's API that can suppress what the player shows.
protocol SuppressingOutput: PlayerItemOutput {
    var suppressesPlayerRendering: Bool { get set }
}

extension VideoOutput: SuppressingOutput {}
extension LegibleOutput: SuppressingOutput {}

/// A receiver of what an item plays. Add it with `AVPlayerItem.add(_:)`.
///
/// `@unchecked Sendable`: its stored properties are constants of `Sendable` types. Subclasses must be safe too.
open class AVPlayerItemOutput: NSObject, @unchecked Sendable {
    /// The output of the player's API.
    let output: any PlayerItemOutput
    /// The value of `suppressesPlayerRendering` if the output suppresses nothing.
    private let storedSuppression = Locked(false)

    init(_ output: any PlayerItemOutput) {
        self.output = output
        super.init()
    }

    /// A Boolean value that indicates whether the player's layers show nothing of the item; false by default. An output
    /// for subtitles suppresses the drawing of subtitles instead. The value has no effect for metadata.
    open var suppressesPlayerRendering: Bool {
        get {
            guard let output = output as? any SuppressingOutput else {
                return storedSuppression.withLock { $0 }
            }
            return output.suppressesPlayerRendering
        }
        set {
            guard let output = output as? any SuppressingOutput else {
                storedSuppression.withLock { $0 = newValue }
                return
            }
            output.suppressesPlayerRendering = newValue
        }
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
