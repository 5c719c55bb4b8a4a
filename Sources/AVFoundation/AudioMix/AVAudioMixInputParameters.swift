public import CoreMedia
public import Foundation
import MediaCore
import Playhead

/// The volume of an audio track over item time.
///
/// `@unchecked Sendable`: `parameters` is guarded by its lock.
open class AVAudioMixInputParameters: NSObject, NSCopying, NSMutableCopying, @unchecked Sendable {
    fileprivate let parameters: Locked<AudioMixInputParameters>

    init(_ parameters: AudioMixInputParameters) {
        self.parameters = Locked(parameters)
        super.init()
    }

    /// The value for the player's API.
    var value: AudioMixInputParameters { parameters.withLock { $0 } }

    /// The identifier of the track, or `kCMPersistentTrackID_Invalid` for none.
    public var trackID: CMPersistentTrackID { CMPersistentTrackID(clamping: value.trackID + 1) }

    /// Returns the change of the volume that applies at a time.
    ///
    /// - Parameters:
    ///   - time: The item time.
    ///   - startVolume: Receives the volume at the start of the change.
    ///   - endVolume: Receives the volume at its end.
    ///   - timeRange: Receives its range, which is empty for a step.
    /// - Returns: False if no change has begun at that time.
    public func getVolumeRamp(
        for time: CMTime,
        startVolume: UnsafeMutablePointer<Float>?,
        endVolume: UnsafeMutablePointer<Float>?,
        timeRange: UnsafeMutablePointer<CMTimeRange>?
    ) -> Bool {
        guard let ramp = value.volumeRamp(for: MediaTime(time)) else { return false }
        startVolume?.pointee = ramp.start
        endVolume?.pointee = ramp.end
        timeRange?.pointee = CMTimeRange(ramp.timeRange)
        return true
    }

    /// Returns an immutable copy.
    ///
    /// - Parameter zone: Has no effect.
    /// - Returns: An `AVAudioMixInputParameters`.
    public func copy(with zone: NSZone? = nil) -> Any { AVAudioMixInputParameters(value) }

    /// Returns a copy that can be changed.
    ///
    /// - Parameter zone: Has no effect.
    /// - Returns: An `AVMutableAudioMixInputParameters`.
    public func mutableCopy(with zone: NSZone? = nil) -> Any { AVMutableAudioMixInputParameters(value) }
}

/// The volume of an audio track over item time, which can be changed.
open class AVMutableAudioMixInputParameters: AVAudioMixInputParameters, @unchecked Sendable {
    /// Creates parameters for no track.
    public convenience init() { self.init(track: nil) }

    /// Creates parameters with the volume 1.
    ///
    /// - Parameter track: The track, or nil for none; `trackID` then selects one.
    public init(track: AVAssetTrack?) { super.init(AudioMixInputParameters(trackID: track?.track.id ?? -1)) }

    override init(_ parameters: AudioMixInputParameters) { super.init(parameters) }

    /// The identifier of the track, or `kCMPersistentTrackID_Invalid` for none.
    public override var trackID: CMPersistentTrackID {
        get { super.trackID }
        set { parameters.withLock { $0.trackID = Int(newValue) - 1 } }
    }

    /// Sets the volume from a time on.
    ///
    /// - Parameters:
    ///   - volume: The volume from 0 to 1.
    ///   - time: The item time. The call has no effect if it is not numeric; Apple's raises an exception.
    public func setVolume(_ volume: Float, at time: CMTime) {
        guard time.isNumeric else { return Misuse.report("setVolume(_:at:): \(time) is not a time") }
        parameters.withLock { $0.setVolume(volume, at: MediaTime(time)) }
    }

    /// Sets a linear change of the volume.
    ///
    /// - Parameters:
    ///   - startVolume: The volume at the start of the range, from 0 to 1.
    ///   - endVolume: The volume at its end, from 0 to 1.
    ///   - timeRange: The range in item time. The call has no effect if its start is not numeric; Apple's raises an
    ///     exception.
    public func setVolumeRamp(
        fromStartVolume startVolume: Float,
        toEndVolume endVolume: Float,
        timeRange: CMTimeRange
    ) {
        guard timeRange.start.isNumeric else {
            return Misuse.report(
                "setVolumeRamp(fromStartVolume:toEndVolume:timeRange:): the range has no start"
            )
        }
        parameters.withLock {
            $0.setVolumeRamp(from: startVolume, to: endVolume, timeRange: MediaTimeRange(timeRange))
        }
    }
}
