import Playhead
import PlayheadTesting
import Testing

/// Scripts contain samples of 16 bits with their own index, 48,000 per second, in packets of 1,024.
@Suite("Audio sequence")
struct AudioSequenceTests {
    private func make(_ media: ScriptedMedia? = nil) -> Asset {
        var script = ScriptedMedia.clip()
        script.audio = ScriptedMedia.Audio(sampleCount: 96_000)
        return ScriptedBackend(media ?? script, driver: ManualDriver()).makeAsset()
    }

    /// The first index and the count of consecutive samples, or the code of the error.
    private func read(_ audio: AudioSequence) async -> String {
        var first: Int?
        var count = 0
        do throws(PlaybackError) {
            for try await buffer in audio {
                let samples = buffer.withPlanes { planes in
                    planes.first.map { Array($0.bindMemory(to: UInt16.self)) } ?? []
                }
                let start = first ?? Int(samples.first ?? 0)
                first = start
                for (offset, sample) in samples.enumerated() {
                    #expect(sample == UInt16(truncatingIfNeeded: start + count + offset))
                }
                let time = MediaTime(value: Int64(start + count), timescale: 48_000)
                #expect(buffer.presentationTime == time)
                count += buffer.frameCount
            }
        } catch {
            return error.code.rawValue
        }
        return "\(first ?? -1)+\(count)"
    }

    @Test("All samples arrive once, in order")
    func all() async { #expect(await read(make().audio(clock: .virtual)) == "0+96000") }

    @Test("A range is exact to the sample")
    func ranges() async {
        let cases: [(Int64, Int64, String)] = [
            (0, 1, "0+1"), (1000, 5000, "1000+4000"), (1023, 1025, "1023+2"),
            (60_000, 200_000, "60000+36000"),
            (5000, 5000, "-1+0"), (96_000, 97_000, "-1+0"), (-50, 10, "0+10"), (10, 5, "invalidArgument"),
        ]
        for (start, end, expected) in cases {
            let range = MediaTimeRange(
                start: MediaTime(value: start, timescale: 48_000),
                end: MediaTime(value: end, timescale: 48_000)
            )
            #expect(await read(make().audio(in: range, clock: .virtual)) == expected, "\(start)..<\(end)")
        }
    }

    @Test("An asset without audio, and a format that is none, have an error")
    func errors() async {
        var media = ScriptedMedia.clip()
        media.audio = nil
        #expect(await read(make(media).audio(clock: .virtual)) == "noPlayableTracks")
        let format = AudioFormat(sampleRate: 0, channelLayout: .mono, sampleFormat: .s16)
        #expect(await read(make().audio(format: format, clock: .virtual)) == "invalidArgument")
    }

    @Test("Leaving the loop cancels the demuxer at once")
    func leaving() async throws {
        var script = ScriptedMedia.clip()
        script.audio = ScriptedMedia.Audio(sampleCount: 96_000)
        let backend = ScriptedBackend(script, driver: ManualDriver())
        for try await _ in backend.makeAsset().audio(clock: .virtual) { break }
        #expect(backend.counts.cancelled == 1)
    }
}
