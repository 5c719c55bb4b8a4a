public import MediaCore
import PlayheadBackend

/// Media that exists only as numbers: which frames there are, and what goes wrong with them.
public struct ScriptedMedia: Sendable {
    /// A track of frames at a fixed rate. Each holds its own number, counted from 0 in the order in which
    /// they are shown.
    public struct Video: Sendable {
        /// Frames of one pass; the track is `frameCount / frameRate` seconds long.
        public var frameCount: Int
        /// Frames per second.
        public var frameRate: Int32
        /// Every how many frames a key frame stands.
        public var keyInterval: Int
        /// Frames between two that are needed by others; they are decoded after the later one.
        public var bFrames: Int
        /// Time of the first frame.
        public var start: MediaTime
        /// Frames that the decoder holds back although it could show them.
        public var delay = 0
        /// Each frame says that it is made of two fields.
        public var isInterlaced = false
        /// A frame that cannot be decoded is told of when the decoder is drained, too.
        public var throwsAtDraining = false

        /// A key frame every `keyInterval` frames, from the first one on; `bFrames` between two that others
        /// need.
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

    /// A track of one channel. Each sample holds the low 16 bits of its own index.
    public struct Audio: Sendable {
        /// Samples of one pass; the track is `sampleCount / sampleRate` seconds long.
        public var sampleCount: Int
        /// Samples per second.
        public var sampleRate: Int32
        /// Samples in a packet.
        public var packetLength: Int

        /// `packetLength`: samples in a packet, at least 1.
        public init(sampleCount: Int, sampleRate: Int32 = 48_000, packetLength: Int = 1024) {
            self.sampleCount = sampleCount
            self.sampleRate = sampleRate
            self.packetLength = max(1, packetLength)
        }
    }

    /// Words, in the order in which they lie in the file.
    public struct Text: Sendable {
        /// What is said, as plain text.
        public var words: String
        /// Milliseconds of item time; no end: until the next one.
        public var start: Int64
        /// Milliseconds of item time; nil: until the next one.
        public var end: Int64?
        /// The track, from `ScriptedMedia.textTrack` on.
        public var track: Int

        /// `start` and `end` in milliseconds of item time.
        public init(_ words: String, from start: Int64, to end: Int64?, track: Int = ScriptedMedia.textTrack)
        {
            self.words = words
            self.start = start
            self.end = end
            self.track = track
        }
    }

    /// What goes wrong. Packets are counted from 0 in file order, frames in the order in which they are
    /// shown.
    public enum Fault: Hashable, Sendable {
        /// Opening fails.
        case openFails(MediaError.Code)
        /// Reading packet `index` (in file order, counted from the start) finds nothing until the clock shows
        /// `until` seconds.
        case stall(atPacket: Int, until: Double)
        /// Reading packet `index` finds nothing, for ever. A seek to another place goes on.
        case hang(atPacket: Int)
        /// Reading packet `index` fails and can be tried again behind it.
        case unreadable(packet: Int)
        /// Reading packet `index` fails for good.
        case lost(fromPacket: Int)
        /// The data ends before packet `index`.
        case cutOff(atPacket: Int)
        /// Video frame `index` cannot be decoded.
        case undecodable(frame: Int)
        /// A seek lands this many key frames behind its target, unless it is to the start.
        case seeksLate(keyFrames: Int)
        /// Nothing decodes the track of this kind: it is there, and cannot be played.
        case noDecoder(MediaType)
        /// Data comes at so many seconds of media a second from the clock's zero on.
        case trickles(speed: Double)
    }

    /// Its track is `videoTrack`; nil: there is none.
    public var video: Video?
    /// Its track is `audioTrack`; nil: there is none.
    public var audio: Audio?
    /// In file order; each names its track.
    public var texts: [Text]
    /// As the container would have them.
    public var chapters: [Chapter] = []
    /// All that goes wrong; the order means nothing.
    public var faults: [Fault]
    /// Nanoseconds by which a `ManualClock` goes on for each frame that is decoded.
    public var decodingTime: Int64 = 0
    /// The same for each frame by itself, by its number and the time at which decoding it begins; nil: as
    /// `decodingTime` has it.
    public var decodingTimes: (@Sendable (_ frame: Int, _ now: HostTime) -> Int64)?
    /// How long it is taken to last, by guess (or indefinite: nobody knows); nil: it says the truth.
    public var estimatedDuration: MediaTime?
    /// How long the container says outright that it lasts, right or wrong; nil: the truth.
    public var declaredDuration: MediaTime?
    /// False: as if it came over a network.
    public var isLocal = true

    /// Tracks that are left out are not there. By default nothing goes wrong.
    public init(
        video: Video? = nil,
        audio: Audio? = nil,
        texts: [Text] = [],
        faults: [Fault] = []
    ) {
        self.video = video
        self.audio = audio
        self.texts = texts
        self.faults = faults
    }

    /// Two seconds with audio: 50 frames, 25 a second, a key frame every ten and two B-frames between others;
    /// 96,000 samples at 48 kHz.
    public static func clip(_ faults: [Fault] = []) -> ScriptedMedia {
        ScriptedMedia(
            video: Video(frameCount: 50, bFrames: 2),
            audio: Audio(sampleCount: 96_000),
            faults: faults
        )
    }

    /// Two seconds without audio: 50 frames, 25 a second, a key frame every ten. A packet is a frame, in the order
    /// in which they are shown, so that faults are easily placed.
    public static func silentClip(_ faults: [Fault] = []) -> ScriptedMedia {
        ScriptedMedia(video: Video(frameCount: 50), faults: faults)
    }

    /// `Track.id` of the frames.
    public static let videoTrack = 0
    /// `Track.id` of the samples.
    public static let audioTrack = 1
    /// Of the first track of text.
    public static let textTrack = 2

    var duration: MediaTime {
        let picture = video.map { $0.start + MediaTime(value: Int64($0.frameCount), timescale: $0.frameRate) }
        let sound = audio.map { MediaTime(value: Int64($0.sampleCount), timescale: $0.sampleRate) }
        return max(picture ?? .zero, sound ?? .zero)
    }
}

/// One packet of a script: which frame, or which samples.
final class ScriptedPayload: PacketPayload {
    let index: Int
    let length: Int

    init(index: Int, length: Int) {
        self.index = index
        self.length = length
    }
}

extension ScriptedMedia {
    /// All packets in file order: by decode time, frames first.
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
        texts.enumerated().map { index, text in
            let time = MediaTime(value: text.start, timescale: 1000)
            return Packet(
                track: text.track,
                presentationTime: time,
                decodeTime: time,
                duration: text.end.map { MediaTime(value: $0 - text.start, timescale: 1000) },
                byteCount: text.words.utf8.count,
                isKeyFrame: true,
                payload: ScriptedPayload(index: index, length: 1)
            )
        }
    }

    /// Closed groups: no frame refers across a key frame.
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
        for id in Set(texts.map(\.track)).sorted() {
            var track = Track(id: id, mediaType: .subtitle, codec: "script", timeBase: Rational(1, 1000))
            track.language = id == Self.textTrack ? "eng" : "deu"
            description.tracks.append(track)
        }
        return description
    }
}
