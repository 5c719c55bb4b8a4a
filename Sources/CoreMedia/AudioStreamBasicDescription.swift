// The names are those of the C structure and constants.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// Linear PCM: samples without compression.
public let kAudioFormatLinearPCM: UInt32 = 0x6c70_636d
/// AAC.
public let kAudioFormatMPEG4AAC: UInt32 = 0x6161_6320
/// MP3.
public let kAudioFormatMPEGLayer3: UInt32 = 0x2e6d_7033
/// AC-3.
public let kAudioFormatAC3: UInt32 = 0x6163_2d33
/// Enhanced AC-3.
public let kAudioFormatEnhancedAC3: UInt32 = 0x6563_2d33
/// Apple Lossless.
public let kAudioFormatAppleLossless: UInt32 = 0x616c_6163
/// FLAC.
public let kAudioFormatFLAC: UInt32 = 0x666c_6163
/// Opus.
public let kAudioFormatOpus: UInt32 = 0x6f70_7573
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
    /// The kind of format: `kAudioFormatLinearPCM` for decoded audio; of a track, 0 if there is no code for the codec.
    public var mFormatID: UInt32
    /// The flags of linear PCM. Like all fields but the sample rate, the format and the number of channels, it is 0 for
    /// the compressed audio of a track.
    public var mFormatFlags: UInt32
    /// The number of bytes of a packet.
    public var mBytesPerPacket: UInt32
    /// The number of frames in a packet: 1 for linear PCM.
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
