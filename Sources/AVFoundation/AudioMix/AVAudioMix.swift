public import Foundation
import MediaCore
import Playhead

/// The volumes of an item's audio tracks.
///
/// `@unchecked Sendable`: `mix` is guarded by its lock.
open class AVAudioMix: NSObject, NSCopying, NSMutableCopying, @unchecked Sendable {
    fileprivate let mix: Locked<AudioMix>

    init(_ mix: AudioMix) {
        self.mix = Locked(mix)
        super.init()
    }

    /// The value for the player's API.
    var value: AudioMix { mix.withLock { $0 } }

    /// The volume of each track. Parameters of tracks that are not played have no effect.
    public var inputParameters: [AVAudioMixInputParameters] {
        value.inputParameters.map { AVAudioMixInputParameters($0) }
    }

    /// Returns an immutable copy.
    ///
    /// - Parameter zone: Has no effect.
    /// - Returns: An `AVAudioMix`.
    public func copy(with zone: NSZone? = nil) -> Any { AVAudioMix(value) }

    /// Returns a copy that can be changed.
    ///
    /// - Parameter zone: Has no effect.
    /// - Returns: An `AVMutableAudioMix`.
    public func mutableCopy(with zone: NSZone? = nil) -> Any { AVMutableAudioMix(value) }
}

/// The volumes of an item's audio tracks, which can be changed. A change takes effect when the mix is set on an item.
open class AVMutableAudioMix: AVAudioMix, @unchecked Sendable {
    /// Creates a mix that changes no volume.
    public init() { super.init(AudioMix()) }

    override init(_ mix: AudioMix) { super.init(mix) }

    /// The volume of each track.
    public override var inputParameters: [AVAudioMixInputParameters] {
        get { super.inputParameters }
        set { mix.withLock { $0.inputParameters = newValue.map(\.value) } }
    }
}
