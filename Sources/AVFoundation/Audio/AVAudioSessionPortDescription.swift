public import Foundation

/// A device of a route. None is reported.
///
/// `@unchecked Sendable`: its stored properties are constants of `Sendable` types.
open class AVAudioSessionPortDescription: NSObject, @unchecked Sendable {
    /// The kind of the device.
    public let portType: AVAudioSession.Port
    /// The name of the device for users.
    public let portName: String
    /// The identifier of the device.
    public let uid: String

    init(portType: AVAudioSession.Port, portName: String, uid: String) {
        self.portType = portType
        self.portName = portName
        self.uid = uid
        super.init()
    }
}
