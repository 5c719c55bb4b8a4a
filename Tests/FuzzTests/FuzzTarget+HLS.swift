import FFmpeg
import MediaCore
import PlayheadBackend

@testable import HLS

extension FuzzTarget {
    /// A playlist: parsed, and listed as the tracks and variants of a presentation.
    static let playlist = FuzzTarget("playlist", maximumLength: 16 << 10) { input in
        for base in ["https://host.test/films/one/master.m3u8?token=1", "/films/one/master.m3u8"] {
            do throws(MediaError) {
                switch try PlaylistParser.parse(input, at: base) {
                case .master(let master):
                    let presentation = HLSPresentation(master)
                    for variant in master.variants { _ = presentation.needed(for: variant) }
                    for entry in presentation.entries { _ = entry.tracks(zero: .zero) }
                case .media(let media):
                    if media.duration < 0 { return "a negative duration" }
                    if media.segments.contains(where: { $0.resource.range?.isEmpty ?? false }) {
                        return "an empty byte range"
                    }
                    if base.hasPrefix("https"),
                        !media.segments.allSatisfy({
                            $0.resource.reference.url.lowercased().hasPrefix("https:")
                        })
                    {
                        return "a reference to another protocol"
                    }
                }
            } catch {
                if error.message.isEmpty { return "an error without a message" }
            }
        }
        return nil
    }

    /// A presentation of a playlist and other files, opened and read. Each file but the first one follows a line
    /// "%%NAME".
    static let presentation = FuzzTarget("presentation", maximumLength: 64 << 10) { input in
        let resource = InputResource(input)
        let demuxer = DetectingDemuxer(
            OpenRequest(location: resource.location, source: resource, maximumPixelCount: 1 << 20),
            resource,
            backend: FFmpegBackend(),
            resources: PresentationResources(root: resource)
        )
        do throws(MediaError) {
            var run = DemuxerRun(demuxer)
            try run.run()
        } catch {
            return error.message.isEmpty ? "an error without a message" : nil
        }
        return nil
    }
}
