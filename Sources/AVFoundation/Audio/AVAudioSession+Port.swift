// The names of constants are Apple's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

extension AVAudioSession {
    /// The kind of a device. No device is reported.
    public struct Port: RawRepresentable, Hashable, Sendable {
        /// The name of the kind.
        public let rawValue: String
        /// Creates a kind from its name.
        ///
        /// - Parameter rawValue: The name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Headphones with a cable.
        public static let headphones = Port(rawValue: "Headphones")
        /// The speaker of the machine.
        public static let builtInSpeaker = Port(rawValue: "Speaker")
        /// The receiver that is held to the ear.
        public static let builtInReceiver = Port(rawValue: "Receiver")
        /// An analog output.
        public static let lineOut = Port(rawValue: "LineOut")
        /// A display.
        public static let HDMI = Port(rawValue: "HDMIOutput")
        /// A device with USB.
        public static let usbAudio = Port(rawValue: "USBAudio")
        /// A device that plays music over Bluetooth.
        public static let bluetoothA2DP = Port(rawValue: "BluetoothA2DPOutput")
        /// A device for calls over Bluetooth.
        public static let bluetoothHFP = Port(rawValue: "BluetoothHFP")
        /// A device with low energy over Bluetooth.
        public static let bluetoothLE = Port(rawValue: "BluetoothLE")
        /// A device with AirPlay.
        public static let airPlay = Port(rawValue: "AirPlay")
        /// A car.
        public static let carAudio = Port(rawValue: "CarAudio")
        /// The microphone of the machine.
        public static let builtInMic = Port(rawValue: "MicrophoneBuiltIn")
        /// The microphone of headphones with a cable.
        public static let headsetMic = Port(rawValue: "MicrophoneWired")
        /// An analog input.
        public static let lineIn = Port(rawValue: "LineIn")
    }
}
