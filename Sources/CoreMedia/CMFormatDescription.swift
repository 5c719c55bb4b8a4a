// The names are those of the C functions.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

package import MediaCore

/// The format of video.
public typealias CMVideoFormatDescription = CMFormatDescription
/// The format of audio.
public typealias CMAudioFormatDescription = CMFormatDescription
/// The kind of media, as a code of four characters.
public typealias CMMediaType = FourCharCode
/// Video.
public let kCMMediaType_Video: CMMediaType = 0x7669_6465
/// Audio.
public let kCMMediaType_Audio: CMMediaType = 0x736f_756e

/// A size in pixels.
public struct CMVideoDimensions: Hashable, Sendable {
    /// The width in pixels.
    public var width: Int32
    /// The height in pixels.
    public var height: Int32

    /// Creates a size.
    ///
    /// - Parameters:
    ///   - width: The width in pixels.
    ///   - height: The height in pixels.
    public init(width: Int32 = 0, height: Int32 = 0) {
        self.width = width
        self.height = height
    }
}

/// The format of the samples of a buffer or of a track.
public final class CMFormatDescription: Sendable {
    private enum Content: Sendable {
        case video(FourCharCode, PixelSize)
        case audio
    }
    private let content: Content
    /// A pointer to it is given out, so it is kept in memory of its own.
    private let description: Locked<UnsafeSendablePointer?>

    /// A pointer to a value that is written once, before it is shared.
    ///
    /// `@unchecked Sendable`: see above.
    private struct UnsafeSendablePointer: @unchecked Sendable {
        let pointer: UnsafeMutablePointer<AudioStreamBasicDescription>
    }

    /// Creates the description of video of a kind and size.
    init(_ subType: FourCharCode, _ size: PixelSize) {
        content = .video(subType, size)
        description = Locked(nil)
    }

    /// Creates the description of audio.
    init(_ audio: AudioStreamBasicDescription) {
        content = .audio
        let pointer = UnsafeMutablePointer<AudioStreamBasicDescription>.allocate(capacity: 1)
        pointer.initialize(to: audio)
        description = Locked(UnsafeSendablePointer(pointer: pointer))
    }

    /// Creates the description of decoded video.
    ///
    /// - Parameter format: The format.
    package convenience init(_ format: VideoFormat) {
        self.init(CVPixelFormat.type(of: format), format.size)
    }

    /// Creates the description of decoded audio.
    ///
    /// - Parameter format: The format.
    package convenience init(_ format: AudioFormat) { self.init(AudioStreamBasicDescription(format)) }

    deinit { description.withLock { $0?.pointer.deallocate() } }

    /// The kind of media.
    public var mediaType: CMMediaType {
        if case .video = content { kCMMediaType_Video } else { kCMMediaType_Audio }
    }

    /// The codec or, of decoded video, the layout of the pixels; 0 if there is no code for it.
    public var mediaSubType: FourCharCode {
        switch content {
        case .video(let subType, _): subType
        case .audio: audioStreamBasicDescription?.mFormatID ?? 0
        }
    }

    /// The size of the video in pixels; zero for audio.
    public var dimensions: CMVideoDimensions {
        guard case .video(_, let size) = content else { return CMVideoDimensions() }
        return CMVideoDimensions(width: Int32(clamping: size.width), height: Int32(clamping: size.height))
    }

    /// The format of the audio, or nil for video.
    public var audioStreamBasicDescription: AudioStreamBasicDescription? {
        description.withLock { $0?.pointer.pointee }
    }

    var streamPointer: UnsafePointer<AudioStreamBasicDescription>? {
        description.withLock { $0.map { UnsafePointer($0.pointer) } }
    }
}

extension AudioStreamBasicDescription {
    fileprivate init(_ format: AudioFormat) {
        let isPlanar = format.sampleFormat.isPlanar
        let isFloat = ["flt", "fltp", "dbl", "dblp"].contains(format.sampleFormat.rawValue)
        let bytes = format.sampleFormat.bytesPerSample
        let perFrame = UInt32(clamping: isPlanar ? bytes : format.bytesPerFrame)
        self.init(
            mSampleRate: Double(format.sampleRate),
            mFormatID: kAudioFormatLinearPCM,
            mFormatFlags: (isFloat
                ? kAudioFormatFlagIsFloat : bytes > 1 ? kAudioFormatFlagIsSignedInteger : 0)
                | kAudioFormatFlagIsPacked | (isPlanar ? kAudioFormatFlagIsNonInterleaved : 0),
            mBytesPerPacket: perFrame,
            mFramesPerPacket: 1,
            mBytesPerFrame: perFrame,
            mChannelsPerFrame: UInt32(clamping: format.channelCount),
            mBitsPerChannel: UInt32(bytes * 8),
            mReserved: 0
        )
    }
}

/// Returns the kind of media.
///
/// - Parameter desc: The description.
/// - Returns: The kind.
public func CMFormatDescriptionGetMediaType(_ desc: CMFormatDescription) -> CMMediaType { desc.mediaType }

/// Returns the codec or, of decoded video, the layout of the pixels; 0 if there is no code for it.
///
/// - Parameter desc: The description.
/// - Returns: The code.
public func CMFormatDescriptionGetMediaSubType(_ desc: CMFormatDescription) -> FourCharCode {
    desc.mediaSubType
}

/// Returns the size of video in pixels.
///
/// - Parameter videoDesc: The description.
/// - Returns: The size.
public func CMVideoFormatDescriptionGetDimensions(_ videoDesc: CMVideoFormatDescription) -> CMVideoDimensions
{
    videoDesc.dimensions
}

/// Returns the format of audio, or nil for video.
///
/// - Parameter desc: The description, which owns the result.
/// - Returns: The format.
public func CMAudioFormatDescriptionGetStreamBasicDescription(
    _ desc: CMAudioFormatDescription
) -> UnsafePointer<AudioStreamBasicDescription>? { desc.streamPointer }
