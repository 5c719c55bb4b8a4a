// The names of constants are Apple's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CoreMedia
import Foundation
import MediaCore

/// The key of the kind of format: `kAudioFormatLinearPCM`.
public let AVFormatIDKey = "AVFormatIDKey"
/// The key of the number of samples per second.
public let AVSampleRateKey = "AVSampleRateKey"
/// The key of the number of channels.
public let AVNumberOfChannelsKey = "AVNumberOfChannelsKey"
/// The key of the number of bits of a sample: 8, 16 or 32.
public let AVLinearPCMBitDepthKey = "AVLinearPCMBitDepthKey"
/// The key of whether samples are floating-point numbers.
public let AVLinearPCMIsFloatKey = "AVLinearPCMIsFloatKey"
/// The key of whether the bytes of a sample are in big-endian order, which is not supported.
public let AVLinearPCMIsBigEndianKey = "AVLinearPCMIsBigEndianKey"
/// The key of whether each channel is stored by itself.
public let AVLinearPCMIsNonInterleaved = "AVLinearPCMIsNonInterleaved"

/// The requested format of audio samples.
struct AudioOutputSettings: Equatable {
    private let sampleFormat: SampleFormat
    private let sampleRate: Int?
    private let channelCount: Int?

    /// Reads settings. Returns nil if they are not supported.
    init?(_ settings: [String: Any]) {
        func number(_ key: String) -> Int? {
            PixelBufferAttributes.numbers(settings[key]).first.map { Int(clamping: $0) }
        }
        func flag(_ key: String) -> Bool { (settings[key] as? Bool) ?? ((number(key) ?? 0) != 0) }
        guard number(AVFormatIDKey) == Int(kAudioFormatLinearPCM), !flag(AVLinearPCMIsBigEndianKey) else {
            return nil
        }
        let isFloat = flag(AVLinearPCMIsFloatKey)
        let name: String
        switch (number(AVLinearPCMBitDepthKey) ?? (isFloat ? 32 : 16), isFloat) {
        case (8, false): name = "u8"
        case (16, false): name = "s16"
        case (32, false): name = "s32"
        case (32, true): name = "flt"
        case (64, true): name = "dbl"
        default: return nil
        }
        let isPlanar = flag(AVLinearPCMIsNonInterleaved)
        sampleFormat = SampleFormat(rawValue: isPlanar ? name + "p" : name)
        sampleRate = number(AVSampleRateKey)
        channelCount = number(AVNumberOfChannelsKey)
        if let sampleRate, sampleRate <= 0 { return nil }
        if let channelCount, !(1...64 ~= channelCount) { return nil }
    }

    /// Returns the format for a track, whose own rate and channels apply where none were requested.
    func format(of track: AVAssetTrack) -> AudioFormat {
        let own = track.track.audioFormat
        let layout: ChannelLayout =
            switch channelCount {
            case nil: own?.channelLayout ?? .stereo
            case 1?: .mono
            case 2?: .stereo
            case let count?:
                own.map(\.channelLayout).flatMap { $0.channelCount == count ? $0 : nil }
                    ?? ChannelLayout(channelCount: count, name: "\(count) channels")
            }
        return AudioFormat(
            sampleRate: sampleRate ?? own?.sampleRate ?? 44_100,
            channelLayout: layout,
            sampleFormat: sampleFormat
        )
    }
}

extension Track {
    /// The format of the track's audio, or nil for other media.
    fileprivate var audioFormat: AudioFormat? {
        guard sampleRate > 0, channelLayout.channelCount > 0 else { return nil }
        return AudioFormat(
            sampleRate: sampleRate,
            channelLayout: channelLayout,
            sampleFormat: SampleFormat(rawValue: sampleLayout)
        )
    }
}
