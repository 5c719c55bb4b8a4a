internal import FFmpeg
package import Playhead

/// The frames and samples that the sequences of an asset deliver, in the form of `PlaybackTranscript`.
package struct PulledMedia: Equatable, Sendable {
    /// The time and hash of each frame.
    package var frames: [String] = []
    /// The hash of all samples in the decoder's format.
    package var audio = ""
    package var sampleCount = 0
    /// "end", or the code of the error that ended the sequence that was read last.
    package var ending = "end"

    /// Reads the frames of an asset to their end.
    package static func frames(
        of asset: Asset,
        _ sampling: FrameSampling = .all,
        in range: MediaTimeRange? = nil
    ) async -> PulledMedia {
        var media = PulledMedia()
        do throws(PlaybackError) {
            for try await frame in asset.frames(sampling, in: range) { media.frames.append(line(frame)) }
        } catch {
            media.ending = "\(error.code)"
        }
        return media
    }

    /// Reads the audio of an asset to its end.
    package static func audio(of asset: Asset, in range: MediaTimeRange? = nil) async -> PulledMedia {
        var media = PulledMedia()
        let digest = FrameDigest()
        do throws(PlaybackError) {
            for try await buffer in asset.audio(in: range) {
                media.sampleCount += buffer.frameCount
                buffer.withPlanes { planes in for plane in planes { digest.update(plane) } }
            }
        } catch {
            media.ending = "\(error.code)"
        }
        media.audio = digest.finish()
        return media
    }

    package static func line(_ frame: VideoFrame) -> String {
        "\(frame.presentationTime.seconds) \(FrameDigest.digest(of: frame))"
    }
}
