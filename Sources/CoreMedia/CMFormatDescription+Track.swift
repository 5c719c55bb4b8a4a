// The names are those of the C constants.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

package import MediaCore

/// A video codec, as a code of four characters.
public typealias CMVideoCodecType = FourCharCode
/// H.264.
public let kCMVideoCodecType_H264: CMVideoCodecType = 0x6176_6331
/// HEVC.
public let kCMVideoCodecType_HEVC: CMVideoCodecType = 0x6876_6331
/// MPEG-4 Part 2.
public let kCMVideoCodecType_MPEG4Video: CMVideoCodecType = 0x6d70_3476
/// JPEG.
public let kCMVideoCodecType_JPEG: CMVideoCodecType = 0x6a70_6567
/// VP9.
public let kCMVideoCodecType_VP9: CMVideoCodecType = 0x7670_3039
/// AV1.
public let kCMVideoCodecType_AV1: CMVideoCodecType = 0x6176_3031

extension CMFormatDescription {
    /// Creates the description of the samples of a video or audio track, as they are in the container. Returns nil for
    /// other tracks, and if the size or the sample rate is not known.
    ///
    /// - Parameter track: The track.
    package convenience init?(_ track: Track) {
        switch track.mediaType {
        case .video where !track.naturalSize.isEmpty:
            let type = track.sampleEntryType ?? Self.videoCodecs[track.codec]
            self.init(type ?? 0, track.naturalSize)
        case .audio where track.sampleRate > 0: self.init(AudioStreamBasicDescription(track))
        default: return nil
        }
    }

    /// The codes by FFmpeg's names.
    private static let videoCodecs: [String: CMVideoCodecType] = [
        "h264": kCMVideoCodecType_H264,
        "hevc": kCMVideoCodecType_HEVC,
        "mpeg4": kCMVideoCodecType_MPEG4Video,
        "mjpeg": kCMVideoCodecType_JPEG,
        "vp9": kCMVideoCodecType_VP9,
        "av1": kCMVideoCodecType_AV1,
    ]
}

extension AudioStreamBasicDescription {
    fileprivate init(_ track: Track) {
        self.init()
        mSampleRate = Double(track.sampleRate)
        mChannelsPerFrame = UInt32(clamping: track.channelCount)
        guard let (bits, flags) = Self.linearFormats[track.codec] else {
            mFormatID = Self.codecs[track.codec] ?? 0
            return
        }
        mFormatID = kAudioFormatLinearPCM
        mFormatFlags = flags | kAudioFormatFlagIsPacked
        mBitsPerChannel = bits
        mFramesPerPacket = 1
        mBytesPerFrame = UInt32(clamping: Int(bits / 8) * track.channelCount)
        mBytesPerPacket = mBytesPerFrame
    }

    /// The codes by FFmpeg's names.
    private static let codecs: [String: UInt32] = [
        "aac": kAudioFormatMPEG4AAC,
        "mp3": kAudioFormatMPEGLayer3,
        "ac3": kAudioFormatAC3,
        "eac3": kAudioFormatEnhancedAC3,
        "alac": kAudioFormatAppleLossless,
        "flac": kAudioFormatFLAC,
        "opus": kAudioFormatOpus,
    ]

    /// The bits of a sample and the flags of linear PCM by FFmpeg's names.
    private static let linearFormats: [String: (bits: UInt32, flags: UInt32)] = [
        "pcm_u8": (8, 0),
        "pcm_s8": (8, kAudioFormatFlagIsSignedInteger),
        "pcm_s16le": (16, kAudioFormatFlagIsSignedInteger),
        "pcm_s16be": (16, kAudioFormatFlagIsSignedInteger | kAudioFormatFlagIsBigEndian),
        "pcm_s24le": (24, kAudioFormatFlagIsSignedInteger),
        "pcm_s24be": (24, kAudioFormatFlagIsSignedInteger | kAudioFormatFlagIsBigEndian),
        "pcm_s32le": (32, kAudioFormatFlagIsSignedInteger),
        "pcm_s32be": (32, kAudioFormatFlagIsSignedInteger | kAudioFormatFlagIsBigEndian),
        "pcm_f32le": (32, kAudioFormatFlagIsFloat),
        "pcm_f32be": (32, kAudioFormatFlagIsFloat | kAudioFormatFlagIsBigEndian),
        "pcm_f64le": (64, kAudioFormatFlagIsFloat),
        "pcm_f64be": (64, kAudioFormatFlagIsFloat | kAudioFormatFlagIsBigEndian),
    ]
}
