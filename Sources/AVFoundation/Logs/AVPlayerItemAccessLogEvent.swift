public import Foundation
import MediaCore
import Playhead

/// The playback of an item in one player. Numbers that are not known are negative.
///
/// `@unchecked Sendable`: its stored properties are constants of `Sendable` types.
public final class AVPlayerItemAccessLogEvent: NSObject, NSCopying, @unchecked Sendable {
    private let event: AccessLog.Event
    private let asset: Asset

    init(_ event: AccessLog.Event, of asset: Asset) {
        self.event = event
        self.asset = asset
        super.init()
    }

    /// Returns the entry itself, which is immutable.
    ///
    /// - Parameter zone: Has no effect.
    /// - Returns: The entry.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The URL of the asset.
    public var uri: String? { asset.url.absoluteString }
    /// "FILE" for a file, also one that is downloaded, "VOD" for a playlist, "LIVE" if the duration is not known.
    public var playbackType: String? {
        guard let media = asset.media else { return nil }
        if media.duration == .indefinite { return "LIVE" }
        return media.variants.isEmpty ? "FILE" : "VOD"
    }
    /// The number of stalls.
    public var numberOfStalls: Int { event.stalls }
    /// The number of bytes that were read.
    public var numberOfBytesTransferred: Int64 { Int64(event.bytesRead) }
    /// The number of frames that were not shown because they were late.
    public var numberOfDroppedVideoFrames: Int { event.framesDropped }
    /// The time in seconds from the assignment of the item to its first frame.
    public var startupTime: TimeInterval { event.startupTime.map { $0 / .seconds(1) } ?? -1 }
    /// The throughput of the network in bits per second.
    public var observedBitrate: Double { event.observedBitRate > 0 ? event.observedBitRate : -1 }
    /// The bit rate that the playlist declares for the variant that was played last, in bits per second.
    public var indicatedBitrate: Double { event.indicatedBitRate > 0 ? event.indicatedBitRate : -1 }
    /// The time in seconds for which the item was played, if its rate was 1, by the number of its audio samples; -1 without
    /// audio.
    public var durationWatched: TimeInterval {
        let rate = asset.tracks.first { $0.mediaType == .audio }?.sampleRate ?? 0
        return rate > 0 && event.audioSamples > 0 ? Double(event.audioSamples) / Double(rate) : -1
    }
    /// -1: it is not counted.
    public var numberOfMediaRequests: Int { -1 }
    /// -1: it is not counted.
    public var numberOfServerAddressChanges: Int { -1 }
    /// Always nil: the value is not known.
    public var serverAddress: String? { nil }
    /// Always nil: no such number exists.
    public var playbackSessionID: String? { nil }
    /// Always nil: the value is not known.
    public var playbackStartDate: Date? { nil }
    /// -1: it is not known.
    public var playbackStartOffset: TimeInterval { -1 }
    /// -1: it is not counted.
    public var segmentsDownloadedDuration: TimeInterval { -1 }
    /// -1: it is not counted.
    public var transferDuration: TimeInterval { -1 }
    /// -1: it is not counted.
    public var downloadOverdue: Int { -1 }
    /// -1: it is not known.
    public var switchBitrate: Double { -1 }
    /// -1: it is not known.
    public var indicatedAverageBitrate: Double { -1 }
    /// -1: it is not known.
    public var averageVideoBitrate: Double { -1 }
    /// -1: it is not known.
    public var averageAudioBitrate: Double { -1 }
}
