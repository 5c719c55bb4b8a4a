public import Foundation

/// The devices in use. They are not known: the audio server chooses them for each program.
///
/// `@unchecked Sendable`: its stored properties are constants of `Sendable` types.
open class AVAudioSessionRouteDescription: NSObject, @unchecked Sendable {
    /// The devices that record: always empty.
    public let inputs: [AVAudioSessionPortDescription] = []
    /// The devices that play: always empty.
    public let outputs: [AVAudioSessionPortDescription] = []

    override init() { super.init() }
}
