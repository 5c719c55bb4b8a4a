public import MediaCore
import PlayheadBackend

/// Media that is defined by numbers: its frames, samples and subtitles, and the faults that occur when it is played.
public struct ScriptedMedia: Sendable {
    /// A video track with a constant frame rate. Each frame contains its own number, counted from 0 in presentation
    /// order.
    public struct Video: Sendable {
        /// The number of frames. The track is `frameCount / frameRate` seconds long.
        public var frameCount: Int
        /// The frames per second.
        public var frameRate: Int32
        /// The distance between key frames, in frames.
        public var keyInterval: Int
        /// The number of B-frames between two reference frames. They are decoded after the later one.
        public var bFrames: Int
        /// The presentation time of the first frame.
        public var start: MediaTime
        /// The number of frames that the decoder holds back beyond what reordering needs.
        public var delay = 0
        /// A Boolean value that indicates whether each frame is marked as interlaced.
        public var isInterlaced = false
        /// A Boolean value that indicates whether the decoder also reports a broken frame when it is drained.
        public var throwsAtDraining = false

        /// Creates a video track. The first frame is a key frame.
        ///
        /// - Parameters:
        ///   - frameCount: The number of frames.
        ///   - frameRate: The frames per second.
        ///   - keyInterval: The distance between key frames, in frames.
        ///   - bFrames: The number of B-frames between two reference frames.
        ///   - start: The presentation time of the first frame.
        public init(
            frameCount: Int,
            frameRate: Int32 = 25,
            keyInterval: Int = 10,
            bFrames: Int = 0,
            start: MediaTime = .zero
        ) {
            self.frameCount = frameCount
            self.frameRate = frameRate
            self.keyInterval = max(1, keyInterval)
            self.bFrames = max(0, bFrames)
            self.start = start
        }
    }

    /// An audio track with one channel. Each sample is the low 16 bits of its own index.
    public struct Audio: Sendable {
        /// The number of samples. The track is `sampleCount / sampleRate` seconds long.
        public var sampleCount: Int
        /// The samples per second.
        public var sampleRate: Int32
        /// The number of samples in a packet.
        public var packetLength: Int

        /// Creates an audio track.
        ///
        /// - Parameters:
        ///   - sampleCount: The number of samples.
        ///   - sampleRate: The samples per second.
        ///   - packetLength: The number of samples in a packet, at least 1.
        public init(sampleCount: Int, sampleRate: Int32 = 48_000, packetLength: Int = 1024) {
            self.sampleCount = sampleCount
            self.sampleRate = sampleRate
            self.packetLength = max(1, packetLength)
        }
    }

    /// A subtitle cue.
    public struct Cue: Sendable {
        /// The text of the cue, without markup.
        public var text: String
        /// The start of the cue, in milliseconds of item time.
        public var start: Int64
        /// The end of the cue in milliseconds of item time, or nil if it lasts until the next one.
        public var end: Int64?
        /// The track of the cue. The first subtitle track is `ScriptedMedia.subtitleTrack`.
        public var track: Int

        /// Creates a cue.
        ///
        /// - Parameters:
        ///   - text: The text of the cue, without markup.
        ///   - start: The start of the cue, in milliseconds of item time.
        ///   - end: The end of the cue in milliseconds of item time, or nil if it lasts until the next one.
        ///   - track: The track of the cue.
        public init(
            _ text: String,
            from start: Int64,
            to end: Int64?,
            track: Int = ScriptedMedia.subtitleTrack
        ) {
            self.text = text
            self.start = start
            self.end = end
            self.track = track
        }
    }

    /// A fault that occurs when the media is played. Packets are counted from 0 in file order, and frames from 0 in
    /// presentation order.
    public enum Fault: Hashable, Sendable {
        /// Opening fails with the given code.
        case openFails(MediaError.Code)
        /// Reading the given packet finds no data until the clock reaches `until` seconds.
        case stall(atPacket: Int, until: Double)
        /// Reading the given packet never succeeds. A seek to another position works.
        case hang(atPacket: Int)
        /// Reading the given packet fails once. Reading can continue after it.
        case unreadable(packet: Int)
        /// Reading fails permanently from the given packet on.
        case lost(fromPacket: Int)
        /// The data ends before the given packet.
        case cutOff(atPacket: Int)
        /// The given video frame cannot be decoded.
        case undecodable(frame: Int)
        /// A seek ends at a key frame that lies the given number of key frames after the right one, unless the target
        /// is the start.
        case seeksLate(keyFrames: Int)
        /// The track of the given type exists but has no decoder.
        case noDecoder(MediaType)
        /// Data arrives at the given number of seconds of media per second, from the clock's zero on.
        case throttled(speed: Double)
    }

    /// The video track, whose identifier is `videoTrack`, or nil if there is none.
    public var video: Video?
    /// The audio track, whose identifier is `audioTrack`, or nil if there is none.
    public var audio: Audio?
    /// The subtitle cues of all tracks, in file order.
    public var cues: [Cue]
    /// The chapters that the container declares.
    public var chapters: [Chapter] = []
    /// The faults, in any order.
    public var faults: [Fault]
    /// The nanoseconds by which a `ManualClock` advances for each frame that is decoded.
    public var decodingTime: Int64 = 0
    /// A closure that returns the decoding time of a frame in nanoseconds, from its number and the time at which
    /// decoding begins. If nil, `decodingTime` applies.
    public var decodingTimes: (@Sendable (_ frame: Int, _ now: HostTime) -> Int64)?
    /// The duration that the demuxer reports as an estimate; `.indefinite` if it reports none. If nil, the duration is
    /// exact.
    public var estimatedDuration: MediaTime?
    /// The duration that the container declares, which may be wrong. If nil, it is the real one.
    public var declaredDuration: MediaTime?
    /// A Boolean value that indicates whether the media behaves like a local file. With false it behaves like a network
    /// resource.
    public var isLocal = true

    /// Creates media. Tracks that are omitted do not exist, and by default there are no faults.
    ///
    /// - Parameters:
    ///   - video: The video track.
    ///   - audio: The audio track.
    ///   - cues: The subtitle cues of all tracks, in file order.
    ///   - faults: The faults that occur when the media is played.
    public init(
        video: Video? = nil,
        audio: Audio? = nil,
        cues: [Cue] = [],
        faults: [Fault] = []
    ) {
        self.video = video
        self.audio = audio
        self.cues = cues
        self.faults = faults
    }

    /// Returns two seconds of video and audio: 50 frames at 25 per second, with a key frame every ten frames and two
    /// B-frames between reference frames, and 96,000 samples at 48 kHz.
    ///
    /// - Parameter faults: The faults that occur when the media is played.
    /// - Returns: The media.
    public static func clip(_ faults: [Fault] = []) -> ScriptedMedia {
        ScriptedMedia(
            video: Video(frameCount: 50, bFrames: 2),
            audio: Audio(sampleCount: 96_000),
            faults: faults
        )
    }

    /// Returns two seconds of video without audio: 50 frames at 25 per second, with a key frame every ten frames.
    ///
    /// Each packet is a frame, and packets are in presentation order, so the position of a fault is easy to choose.
    ///
    /// - Parameter faults: The faults that occur when the media is played.
    /// - Returns: The media.
    public static func silentClip(_ faults: [Fault] = []) -> ScriptedMedia {
        ScriptedMedia(video: Video(frameCount: 50), faults: faults)
    }

    /// The `Track.id` of the video track.
    public static let videoTrack = 0
    /// The `Track.id` of the audio track.
    public static let audioTrack = 1
    /// The `Track.id` of the first subtitle track.
    public static let subtitleTrack = 2

    var duration: MediaTime {
        let videoEnd = video.map {
            $0.start + MediaTime(value: Int64($0.frameCount), timescale: $0.frameRate)
        }
        let audioEnd = audio.map { MediaTime(value: Int64($0.sampleCount), timescale: $0.sampleRate) }
        return max(videoEnd ?? .zero, audioEnd ?? .zero)
    }
}

/// A packet of a script: the index of a frame, or of the first sample and the number of samples.
final class ScriptedPayload: PacketPayload {
    let index: Int
    let length: Int

    init(index: Int, length: Int) {
        self.index = index
        self.length = length
    }
}

extension ScriptedMedia {
    /// Returns all packets in file order: by decode time, video before audio.
    func packets() -> [Packet] {
        (videoPackets() + audioPackets() + textPackets()).sorted {
            let (a, b) = ($0.decodeTime ?? .zero, $1.decodeTime ?? .zero)
            return a == b ? $0.track < $1.track : a < b
        }
    }

    private func videoPackets() -> [Packet] {
        guard let video else { return [] }
        let tick = MediaTime(value: 1, timescale: video.frameRate)
        return decodeOrder(video).enumerated().map { position, frame in
            let decode = video.start + MediaTime(value: Int64(position), timescale: video.frameRate)
            return Packet(
                track: Self.videoTrack,
                presentationTime: video.start + MediaTime(value: Int64(frame), timescale: video.frameRate),
                decodeTime: video.bFrames > 0 ? decode - tick : decode,
                duration: tick,
                byteCount: 1000,
                isKeyFrame: frame % video.keyInterval == 0,
                payload: ScriptedPayload(index: frame, length: 1)
            )
        }
    }

    private func textPackets() -> [Packet] {
        cues.enumerated().map { index, cue in
            let time = MediaTime(value: cue.start, timescale: 1000)
            return Packet(
                track: cue.track,
                presentationTime: time,
                decodeTime: time,
                duration: cue.end.map { MediaTime(value: $0 - cue.start, timescale: 1000) },
                byteCount: cue.text.utf8.count,
                isKeyFrame: true,
                payload: ScriptedPayload(index: index, length: 1)
            )
        }
    }

    /// Returns the frames in decode order. Groups of pictures are closed, so no frame refers across a key frame.
    private func decodeOrder(_ video: Video) -> [Int] {
        var order: [Int] = []
        for first in stride(from: 0, to: video.frameCount, by: video.keyInterval) {
            let end = min(first + video.keyInterval, video.frameCount)
            order.append(first)
            var next = first + 1
            while next < end {
                let anchor = min(next + video.bFrames, end - 1)
                order.append(anchor)
                order.append(contentsOf: next..<anchor)
                next = anchor + 1
            }
        }
        return order
    }

    private func audioPackets() -> [Packet] {
        guard let audio else { return [] }
        return stride(from: 0, to: audio.sampleCount, by: audio.packetLength).map { first in
            let length = min(audio.packetLength, audio.sampleCount - first)
            let time = MediaTime(value: Int64(first), timescale: audio.sampleRate)
            return Packet(
                track: Self.audioTrack,
                presentationTime: time,
                decodeTime: time,
                duration: MediaTime(value: Int64(length), timescale: audio.sampleRate),
                byteCount: length / 8,
                isKeyFrame: true,
                payload: ScriptedPayload(index: first, length: length)
            )
        }
    }

    func describe() -> MediaDescription {
        var description = MediaDescription(formatName: "script")
        description.duration = estimatedDuration ?? declaredDuration ?? duration
        description.durationIsEstimate = estimatedDuration?.isNumeric ?? false
        description.isLocal = isLocal
        if let video {
            let base = Rational(1, video.frameRate)
            var track = Track(id: Self.videoTrack, mediaType: .video, codec: "script", timeBase: base)
            track.nominalFrameRate = Rational(video.frameRate, 1)
            track.naturalSize = PixelSize(width: 16, height: 8)
            track.sampleLayout = "gray"
            let length = MediaTime(value: Int64(video.frameCount), timescale: video.frameRate)
            track.timeRange = MediaTimeRange(start: video.start, duration: length)
            if faults.contains(.noDecoder(.video)) { track.unplayableReason = "no decoder in the script" }
            description.tracks.append(track)
        }
        if let audio {
            let base = Rational(1, audio.sampleRate)
            var track = Track(id: Self.audioTrack, mediaType: .audio, codec: "script", timeBase: base)
            track.sampleRate = Int(audio.sampleRate)
            track.channelLayout = .mono
            track.sampleLayout = "s16"
            let length = MediaTime(value: Int64(audio.sampleCount), timescale: audio.sampleRate)
            track.timeRange = MediaTimeRange(start: .zero, duration: length)
            if faults.contains(.noDecoder(.audio)) { track.unplayableReason = "no decoder in the script" }
            description.tracks.append(track)
        }
        description.chapters = chapters
        for id in Set(cues.map(\.track)).sorted() {
            var track = Track(id: id, mediaType: .subtitle, codec: "script", timeBase: Rational(1, 1000))
            track.language = id == Self.subtitleTrack ? "eng" : "deu"
            description.tracks.append(track)
        }
        return description
    }
}
