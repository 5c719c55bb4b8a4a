// The names are those of the C structure and constants.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// Linear PCM: samples without compression.
public let kAudioFormatLinearPCM: UInt32 = 0x6c70_636d
/// The samples are floating-point numbers.
public let kAudioFormatFlagIsFloat: UInt32 = 1
/// The bytes of a sample are in big-endian order.
public let kAudioFormatFlagIsBigEndian: UInt32 = 2
/// The samples are signed integers.
public let kAudioFormatFlagIsSignedInteger: UInt32 = 4
/// All bits of a sample are used.
public let kAudioFormatFlagIsPacked: UInt32 = 8
/// Each channel is stored by itself.
public let kAudioFormatFlagIsNonInterleaved: UInt32 = 32

/// The format of audio samples.
public struct AudioStreamBasicDescription: Hashable, Sendable {
    /// The number of samples per second and channel.
    public var mSampleRate: Double
    /// The kind of format; here always `kAudioFormatLinearPCM`.
    public var mFormatID: UInt32
    /// The flags of the format.
    public var mFormatFlags: UInt32
    /// The number of bytes of a packet.
    public var mBytesPerPacket: UInt32
    /// The number of frames in a packet, which is 1.
    public var mFramesPerPacket: UInt32
    /// The number of bytes of a frame: of all channels, or of one if each is stored by itself.
    public var mBytesPerFrame: UInt32
    /// The number of channels.
    public var mChannelsPerFrame: UInt32
    /// The number of bits of a sample.
    public var mBitsPerChannel: UInt32
    /// A field that is not used.
    public var mReserved: UInt32

    /// Creates a description with zeros.
    public init() {
        self.init(
            mSampleRate: 0,
            mFormatID: 0,
            mFormatFlags: 0,
            mBytesPerPacket: 0,
            mFramesPerPacket: 0,
            mBytesPerFrame: 0,
            mChannelsPerFrame: 0,
            mBitsPerChannel: 0,
            mReserved: 0
        )
    }

    /// Creates a description.
    ///
    /// - Parameters:
    ///   - mSampleRate: The number of samples per second and channel.
    ///   - mFormatID: The kind of format.
    ///   - mFormatFlags: The flags of the format.
    ///   - mBytesPerPacket: The number of bytes of a packet.
    ///   - mFramesPerPacket: The number of frames in a packet.
    ///   - mBytesPerFrame: The number of bytes of a frame.
    ///   - mChannelsPerFrame: The number of channels.
    ///   - mBitsPerChannel: The number of bits of a sample.
    ///   - mReserved: Not used.
    public init(
        mSampleRate: Double,
        mFormatID: UInt32,
        mFormatFlags: UInt32,
        mBytesPerPacket: UInt32,
        mFramesPerPacket: UInt32,
        mBytesPerFrame: UInt32,
        mChannelsPerFrame: UInt32,
        mBitsPerChannel: UInt32,
        mReserved: UInt32
    ) {
        self.mSampleRate = mSampleRate
        self.mFormatID = mFormatID
        self.mFormatFlags = mFormatFlags
        self.mBytesPerPacket = mBytesPerPacket
        self.mFramesPerPacket = mFramesPerPacket
        self.mBytesPerFrame = mBytesPerFrame
        self.mChannelsPerFrame = mChannelsPerFrame
        self.mBitsPerChannel = mBitsPerChannel
        self.mReserved = mReserved
    }
}
