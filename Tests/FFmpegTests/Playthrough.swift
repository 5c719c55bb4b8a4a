import CFFmpeg
import FFmpeg
import Glibc
import MediaCore
import PlayheadBackend
import Testing

/// Plays one track of a file through demuxer and decoder, as an engine does, and keeps what came out.
struct Playthrough {
    struct Picture: Equatable, Sendable {
        var ticks: Int64?
        var time: MediaTime
        var byteCount: Int
        /// MD5; empty where it was not asked for.
        var hash: String
        /// Of the same bytes, several times quicker: for what is compared with another pass, and not with FFmpeg's files.
        var fingerprint: Fingerprint
    }

    struct Fingerprint: Equatable, Sendable {
        var low: UInt64 = 0
        var high: UInt64 = 0
    }

    var pictures: [Picture] = []
    /// Interleaved s16.
    var sound: [UInt8] = []
    var sampleCount = 0
    var errors: [MediaError] = []
    /// The only picture that is kept; nil for all.
    var wanted: MediaTime?
    var hashes = true

    /// A file that is open, with a decoder for its first playable track of a type.
    final class Session {
        let demuxer: FFmpegDemuxer
        let description: MediaDescription
        let track: Track
        let decoder: any Decoder

        init?(_ request: OpenRequest, _ type: MediaType, threads: Int = 0) throws {
            demuxer = FFmpegDemuxer(request)
            description = try demuxer.open()
            let tracks = description.tracks.filter { $0.mediaType == type && !$0.isAttachedPicture }
            guard let track = tracks.first(where: \.isPlayable) else { return nil }
            self.track = track
            demuxer.setEnabledTracks([track.id])
            decoder = try demuxer.makeDecoder(for: track.id, options: DecoderOptions(threadCount: threads))
        }

        /// Everything from where the demuxer is to the end, the decoder drained; or up to one picture, and
        /// then only that is looked at.
        func play(upTo time: MediaTime? = nil, hashes: Bool = true) -> Playthrough {
            var result = Playthrough()
            result.wanted = time
            result.hashes = hashes
            while time == nil || result.pictures.isEmpty {
                let packet: Packet?
                do { packet = try demuxer.read() } catch {
                    result.errors.append(error)
                    break
                }
                guard let packet else { break }
                send(packet, &result)
            }
            send(nil, &result)
            return result
        }

        /// Ready for another pass from the beginning.
        func rewind() throws {
            decoder.flush()
            try demuxer.seek(to: .zero, preference: .atOrBefore)
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
        if let wanted, wanted != frame.presentationTime { return }
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
        pictures.append(
            Picture(
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
        converted.withPlanes { if let plane = $0.first { sound += Array(plane) } }
    }

    /// One pass over one track; nil where the file has none that can be played.
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
