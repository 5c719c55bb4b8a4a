import CFFmpeg
import FFmpeg
import Glibc
import MediaCore
import PlayheadBackend
import Testing

/// The result of playing one track of a file through demuxer and decoder, as an engine does.
struct Playthrough {
    struct Frame: Equatable, Sendable {
        var ticks: Int64?
        var time: MediaTime
        var byteCount: Int
        /// The MD5, or an empty string if it was not requested.
        var hash: String
        /// A digest of the same bytes that is several times faster. It is used for comparisons between passes, not with
        /// ffmpeg's results.
        var fingerprint: Fingerprint
    }

    struct Fingerprint: Equatable, Sendable {
        var low: UInt64 = 0
        var high: UInt64 = 0
    }

    var frames: [Frame] = []
    /// The samples as interleaved s16.
    var audio: [UInt8] = []
    var sampleCount = 0
    var errors: [MediaError] = []
    /// The time of the only frame to keep, or nil to keep all.
    var wantedTime: MediaTime?
    var hashes = true

    /// An open file with a decoder for its first playable track of a type.
    final class Session {
        let demuxer: any Demuxer
        let description: MediaDescription
        let track: Track
        let decoder: any Decoder

        init?(_ request: OpenRequest, _ type: MediaType, threads: Int = 0) throws {
            demuxer = Corpus.makeDemuxer(request)
            description = try demuxer.open().get()
            let tracks = description.tracks.filter { $0.mediaType == type && !$0.isAttachedPicture }
            guard let track = tracks.first(where: \.isPlayable) else { return nil }
            self.track = track
            demuxer.setEnabledTracks([track.id])
            decoder = try demuxer.makeDecoder(for: track.id, options: DecoderOptions(threadCount: threads))
                .get()
        }

        /// Plays from the current position to the end and drains the decoder. With a time, plays up to one frame, which
        /// is the only one examined.
        func play(upTo time: MediaTime? = nil, hashes: Bool = true) -> Playthrough {
            var result = Playthrough()
            result.wantedTime = time
            result.hashes = hashes
            while time == nil || result.frames.isEmpty {
                let packet: Packet?
                do { packet = try demuxer.read().get() } catch {
                    result.errors.append(error)
                    break
                }
                guard let packet else { break }
                send(packet, &result)
            }
            send(nil, &result)
            return result
        }

        /// Prepares another pass from the beginning.
        func rewind() throws {
            decoder.flush()
            try demuxer.seek(to: .zero, preference: .atOrBefore).get()
        }

        private func send(_ packet: Packet?, _ result: inout Playthrough) {
            while true {
                var isTaken = true
                do { isTaken = try decoder.send(packet) } catch { result.errors.append(error) }
                receive(&result)
                if isTaken { return }
            }
        }

        private func receive(_ result: inout Playthrough) {
            while result.errors.count < 10_000 {
                do {
                    switch try decoder.receive() {
                    case .needsInput, .ended: return
                    case .video(let frame): result.add(frame)
                    case .audio(let buffer): try result.add(buffer)
                    }
                } catch let error as MediaError {
                    result.errors.append(error)
                } catch {
                    return
                }
            }
        }
    }

    mutating func add(_ frame: VideoFrame) {
        if let wantedTime, wantedTime != frame.presentationTime { return }
        var size = 0
        let digest = hashes ? FrameDigest() : nil
        let murmur = av_murmur3_alloc()
        defer { av_free(UnsafeMutableRawPointer(murmur)) }
        av_murmur3_init(murmur)
        withPackedRows(of: frame) { rows in
            size += rows.count
            digest?.update(rows)
            av_murmur3_update(murmur, rows.baseAddress?.assumingMemoryBound(to: UInt8.self), rows.count)
        }
        var fingerprint = Fingerprint()
        withUnsafeMutableBytes(of: &fingerprint) {
            av_murmur3_final(murmur, $0.baseAddress?.assumingMemoryBound(to: UInt8.self))
        }
        frames.append(
            Frame(
                ticks: frame.sourceTime.ticks,
                time: frame.presentationTime,
                byteCount: size,
                hash: digest?.finish() ?? "",
                fingerprint: fingerprint
            )
        )
    }

    mutating func add(_ buffer: AudioBuffer) throws {
        sampleCount += buffer.frameCount
        var format = buffer.format
        format.sampleFormat = .s16
        guard let converted = try FFmpegAudioConverter(to: format).convert(buffer) else { return }
        converted.withPlanes { if let plane = $0.first { audio += Array(plane) } }
    }

    /// Plays one track once. Returns nil if the file has no playable track of that type.
    static func play(
        _ location: String,
        _ type: MediaType,
        probesFully: Bool = true,
        threads: Int = 0
    ) throws -> Playthrough? {
        let request = OpenRequest(location: location, probesFully: probesFully)
        return try Session(request, type, threads: threads)?.play()
    }
}
