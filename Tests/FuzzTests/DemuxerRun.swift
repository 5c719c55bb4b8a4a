import MediaCore
import PlayheadBackend

/// Opens a demuxer, reads and decodes the beginning of its tracks, and seeks.
struct DemuxerRun {
    private let demuxer: any Demuxer
    private var decoders: [Int: any Decoder] = [:]
    private var textDecoders: [Int: any TextDecoder] = [:]
    private var outputs = 0

    /// The limits keep a run short: the number of packets after each seek, and of frames and buffers of audio.
    private static let packetLimit = 24
    private static let outputLimit = 24

    init(_ demuxer: any Demuxer) { self.demuxer = demuxer }

    /// - Throws: The error of opening. Other errors are expected in a damaged file.
    mutating func run() throws(MediaError) {
        defer { demuxer.cancel() }
        let description = try demuxer.open().get()
        demuxer.setEnabledTracks(Set(description.tracks.map(\.id)))
        for track in description.tracks.prefix(4) {
            Self.attempt { () throws(MediaError) in try prepare(track) }
        }
        read()
        for time in [description.duration.multiplied(by: 1, over: 2), .zero, description.duration] {
            guard time.isNumeric else { continue }
            Self.attempt { () throws(MediaError) in
                try demuxer.seek(to: time, preference: .atOrBefore).get()
            }
            for decoder in decoders.values { decoder.flush() }
            read()
        }
    }

    private mutating func prepare(_ track: Track) throws(MediaError) {
        switch track.mediaType {
        case .video, .audio:
            let options = DecoderOptions(threadCount: 1, maximumPixelCount: 1 << 20)
            decoders[track.id] = try demuxer.makeDecoder(for: track.id, options: options).get()
        default: textDecoders[track.id] = try demuxer.makeTextDecoder(for: track.id).get()
        }
    }

    private mutating func read() {
        for _ in 0..<Self.packetLimit {
            var packet: Packet?
            Self.attempt { () throws(MediaError) in packet = try demuxer.read().get() }
            guard let packet else { return }
            if let decoder = textDecoders[packet.track] {
                Self.attempt { () throws(MediaError) in _ = try decoder.decode(packet) }
            }
            if let decoder = decoders[packet.track] { decode(packet, decoder) }
        }
    }

    private mutating func decode(_ packet: Packet, _ decoder: any Decoder) {
        Self.attempt { () throws(MediaError) in _ = try decoder.send(packet) }
        while outputs < Self.outputLimit {
            var output = DecoderOutput.needsInput
            Self.attempt { () throws(MediaError) in output = try decoder.receive() }
            switch output {
            case .needsInput, .ended: return
            case .video, .audio: outputs += 1
            }
        }
    }

    /// Calls `body`. A damaged file may have any error, and reading continues.
    private static func attempt(_ body: () throws(MediaError) -> Void) {
        do throws(MediaError) { try body() } catch { return }
    }
}
