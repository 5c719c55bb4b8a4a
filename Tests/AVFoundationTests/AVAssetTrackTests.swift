import CoreMedia
import MediaCore
import TestSupport
import Testing

@testable import AVFoundation

@Suite("AVAssetTrack")
struct AVAssetTrackTests {
    private static func track(_ type: MediaType, _ codec: String) -> Track {
        var track = Track(id: 0, mediaType: type, codec: codec, timeBase: Rational(1, 1000))
        track.naturalSize = PixelSize(width: 1920, height: 1080)
        track.sampleRate = 48_000
        track.channelLayout = .stereo
        return track
    }

    /// A code of four characters as text.
    private static func text(_ code: FourCharCode) -> String {
        String([24, 16, 8, 0].map { Character(Unicode.Scalar(UInt8(truncatingIfNeeded: code >> $0))) })
    }

    @Test(
        "The format of video has the code of the codec, or that of the file",
        arguments: [
            ("h264", nil, "avc1"), ("hevc", nil, "hvc1"), ("hevc", 0x6865_7631, "hev1"),
            ("av1", nil, "av01"), ("vp9", nil, "vp09"), ("mpeg4", nil, "mp4v"), ("mjpeg", nil, "jpeg"),
            ("prores", 0x6170_636e, "apcn"), ("theora", nil, "\0\0\0\0"),
        ] as [(String, UInt32?, String)]
    )
    func video(_ codec: String, _ entry: UInt32?, _ code: String) throws {
        var track = Self.track(.video, codec)
        track.sampleEntryType = entry
        let format = try #require(CMFormatDescription(track))
        #expect(CMFormatDescriptionGetMediaType(format) == kCMMediaType_Video)
        #expect(Self.text(CMFormatDescriptionGetMediaSubType(format)) == code)
        #expect(CMVideoFormatDescriptionGetDimensions(format) == CMVideoDimensions(width: 1920, height: 1080))
        #expect(CMAudioFormatDescriptionGetStreamBasicDescription(format) == nil)
    }

    @Test(
        "The format of audio has the code of the codec; the layout of the samples is that of linear PCM",
        arguments: [
            ("aac", "aac ", 0, 0), ("mp3", ".mp3", 0, 0), ("ac3", "ac-3", 0, 0), ("eac3", "ec-3", 0, 0),
            ("alac", "alac", 0, 0), ("flac", "flac", 0, 0), ("opus", "opus", 0, 0),
            ("vorbis", "\0\0\0\0", 0, 0), ("pcm_s16le", "lpcm", 16, 12),
            ("pcm_s24be", "lpcm", 24, 14), ("pcm_f32le", "lpcm", 32, 9), ("pcm_u8", "lpcm", 8, 8),
        ] as [(String, String, UInt32, UInt32)]
    )
    func audio(_ codec: String, _ code: String, _ bits: UInt32, _ flags: UInt32) throws {
        let format = try #require(CMFormatDescription(Self.track(.audio, codec)))
        #expect(CMFormatDescriptionGetMediaType(format) == kCMMediaType_Audio)
        #expect(Self.text(CMFormatDescriptionGetMediaSubType(format)) == code)
        let stream = try #require(CMAudioFormatDescriptionGetStreamBasicDescription(format)?.pointee)
        #expect(stream == format.audioStreamBasicDescription && Self.text(stream.mFormatID) == code)
        #expect(stream.mSampleRate == 48_000 && stream.mChannelsPerFrame == 2)
        #expect(stream.mBitsPerChannel == bits && stream.mFormatFlags == flags)
        #expect(stream.mBytesPerFrame == bits / 4 && stream.mBytesPerPacket == bits / 4)
        #expect(stream.mFramesPerPacket == (bits > 0 ? 1 : 0) && format.dimensions == CMVideoDimensions())
    }

    @Test("A format that is not known, and that of subtitles, is missing")
    func missing() {
        #expect(CMFormatDescription(Self.track(.subtitle, "webvtt")) == nil)
        var track = Self.track(.video, "h264")
        track.naturalSize = .zero
        #expect(CMFormatDescription(track) == nil)
        track = Self.track(.audio, "aac")
        track.sampleRate = 0
        #expect(CMFormatDescription(track) == nil)
    }

    @Test("A track has the characteristics of its media type and of its marks in the container")
    func characteristics() {
        var track = Self.track(.audio, "aac")
        track.dispositions = ["default", "visual_impaired"]
        let own = AVAssetTrack(track, of: AVURLAsset(url: URL(fileURLWithPath: "/clip.mp4")))
        #expect(own.hasMediaCharacteristic(.audible) && !own.hasMediaCharacteristic(.visual))
        #expect(own.hasMediaCharacteristic(.isMainProgramContent))
        #expect(own.hasMediaCharacteristic(.describesVideoForAccessibility))
        #expect(!own.hasMediaCharacteristic(.isAuxiliaryContent))
        #expect(!own.hasMediaCharacteristic(.describesMusicAndSoundForAccessibility))
        track.dispositions = []
        let unmarked = AVAssetTrack(track, of: AVURLAsset(url: URL(fileURLWithPath: "/clip.mp4")))
        #expect(unmarked.hasMediaCharacteristic(.isMainProgramContent))
        track.dispositions = ["default", "comment"]
        let commentary = AVAssetTrack(track, of: AVURLAsset(url: URL(fileURLWithPath: "/clip.mp4")))
        #expect(commentary.hasMediaCharacteristic(.isAuxiliaryContent))
        #expect(!commentary.hasMediaCharacteristic(.isMainProgramContent))
        var captions = Self.track(.subtitle, "webvtt")
        captions.dispositions = ["hearing_impaired"]
        let described = AVAssetTrack(captions, of: AVURLAsset(url: URL(fileURLWithPath: "/clip.mp4")))
        #expect(described.hasMediaCharacteristic(.transcribesSpokenDialogForAccessibility))
        #expect(described.hasMediaCharacteristic(.describesMusicAndSoundForAccessibility))
        #expect(!own.hasMediaCharacteristic(AVMediaCharacteristic(rawValue: "unknown")))
    }

    @Test(
        "Video with the transfer function of HDR contains HDR",
        arguments: [("smpte2084", true), ("arib-std-b67", true), ("bt709", false)]
    )
    func dynamicRange(transfer: String, isHDR: Bool) {
        var track = Self.track(.video, "hevc")
        track.color.transfer = transfer
        let own = AVAssetTrack(track, of: AVURLAsset(url: URL(fileURLWithPath: "/clip.mp4")))
        #expect(own.hasMediaCharacteristic(.containsHDRVideo) == isHDR)
    }

    @Test("Types of files have the identifiers that resource loader delegates report")
    func fileTypes() {
        let types: [AVFileType] = [.mp4, .mov, .m4a, .mp3]
        #expect(
            types.map(\.rawValue)
                == ["public.mpeg-4", "com.apple.quicktime-movie", "com.apple.m4a-audio", "public.mp3"]
        )
        #expect(AVFileType("public.mpeg-4") == .mp4)
    }

    @Test("The tracks of a file have formats", .enabled(if: Fixture.areThere, "make fixtures"))
    func file() async throws {
        let asset = AVURLAsset(url: Fixture.url("clip-h264-aac.mp4"))
        let video = try #require(try await asset.loadTracks(withMediaType: .video).first)
        let format = try #require(try await video.load(.formatDescriptions).first)
        #expect(Self.text(format.mediaSubType) == "avc1" && video.formatDescriptions.count == 1)
        #expect(video.track.sampleEntryType == kCMVideoCodecType_H264)
        #expect(format.dimensions == CMVideoDimensions(width: 320, height: 180))
        let audio = try #require(try await asset.loadTracks(withMediaType: .audio).first)
        let description = try #require(audio.formatDescriptions.first as? CMAudioFormatDescription)
        let stream = try #require(description.audioStreamBasicDescription)
        #expect(stream.mFormatID == kAudioFormatMPEG4AAC)
        #expect(stream.mSampleRate == 48_000 && stream.mChannelsPerFrame == 2)
    }
}
