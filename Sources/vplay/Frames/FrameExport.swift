import PlaybackEngine
import PlayheadCore

/// Writes the frames of one command.
struct FrameExport: Sendable {
    private let options: FramesOptions
    private let asset: Asset
    private let replaced = ReplacedFiles()

    init(_ options: FramesOptions) {
        self.options = options
        asset = options.input.asset(network: options.network)
    }

    func write() async throws {
        defer { replaced.report() }
        let size = try await size()
        if case .times(let times) = options.sampling {
            asset.warnOfTimesPastEnd(times, of: options.input)
        }
        let frames = asset.frames(
            options.sampling,
            pixelFormat: options.layout.format,
            size: size,
            gravity: options.gravity
        )
        switch options.output {
        case .images(let names): try await writeImages(names, frames)
        case .raw(let path): try await writeRaw(path, size, frames)
        case .array(let path):
            guard let channels = options.layout.channels else { return }
            var file = try NumPyFile(path: path, size: size, options.layout, channels: channels)
            do {
                for try await frame in frames { try frame.withPackedBytes { try file.write($0) } }
                try file.close()
                replaced.add(file.output)
            } catch {
                file.discard()
                throw error
            }
        }
    }

    private func writeRaw(_ path: String, _ size: PixelSize, _ frames: FrameSequence) async throws {
        let output = try ByteOutput(replacing: path)
        do {
            var needsHeader = options.hasHeader
            for try await frame in frames {
                try frame.withPackedBytes { bytes in
                    if needsHeader { try output.write(header(size, byteCount: bytes.count).text + "\n") }
                    needsHeader = false
                    try output.write(bytes)
                }
            }
            if needsHeader { try output.write(header(size, byteCount: nil).text + "\n") }
            // Closing would keep what was written before an error.
            try output.flush()
            try output.close()
            replaced.add(output)
        } catch {
            output.discard()
            throw error
        }
    }

    private func writeImages(_ names: ImageNames, _ frames: FrameSequence) async throws {
        try await withThrowingTaskGroup(of: ImageEncoder.self) { group in
            var files = ImageFiles(names, quality: nil, replaced: replaced, group)
            var number = 1
            for try await frame in frames {
                try await files.add(frame, number)
                number += 1
            }
            try await files.finish()
        }
    }

    /// Returns the size of the frames: that of `--size`, or the one at which the video is displayed.
    private func size() async throws -> PixelSize {
        if options.input.isPipe {
            // The bytes that are read to find the size could not be read again.
            guard let size = options.size else {
                let sentence = "\(options.input.name): the input can be read only once; --size is needed"
                throw SnapshotFailure(sentence: sentence)
            }
            return size
        }
        try await asset.load()
        let tracks = asset.media?.tracks.filter { $0.mediaType == .video && !$0.isAttachedPicture } ?? []
        // If no track can be played, reading reports the reason.
        let track = tracks.first { $0.id == asset.media?.imageTrack?.id } ?? tracks.first
        guard let displayed = track?.presentationSize, !displayed.isEmpty else {
            throw SnapshotFailure(sentence: "\(options.input.name): no playable video track")
        }
        return options.size ?? displayed
    }

    // MARK: Header

    /// - Parameters:
    ///   - size: The size of the frames.
    ///   - byteCount: The size of each frame in bytes, or nil if there is no frame.
    private func header(_ size: PixelSize, byteCount: Int?) throws -> JSONValue {
        let times = try times()
        let layout = options.layout
        return .object([
            ("count", times.map { .integer($0.count) } ?? .null),
            ("width", .integer(size.width)), ("height", .integer(size.height)),
            ("pixelFormat", .string(layout.format.rawValue)),
            ("channels", layout.channels.map { .integer($0) } ?? .null),
            ("dtype", layout.channels == nil ? .null : .string(layout.component.rawValue)),
            ("byteCount", byteCount.map { .integer($0) } ?? .null),
            ("times", times.map { .array($0.map { .time($0) }) } ?? .null),
        ])
    }

    /// The requested times, or nil if they are those of the frames.
    private func times() throws -> [MediaTime]? {
        switch options.sampling {
        case .all, .keyFrames: return nil
        case .times(let times): return times
        case .uniform(let count):
            let times = SampleTimes(
                middlesOf: count,
                from: .zero,
                length: try asset.knownDuration(of: options.input)
            )
            return try list(times)
        case .rate(let rate, let limit):
            _ = try asset.knownDuration(of: options.input)
            // An input that cannot be sought, or whose duration is estimated, is read to its end, wherever that is.
            guard let media = asset.media, media.isSeekable, !media.durationIsEstimate,
                let track = media.imageTrack
            else {
                throw SnapshotFailure(
                    sentence: "\(options.input.name): --fps with --header needs a known duration"
                )
            }
            let selection = FrameSelection.rate(rate, limit: limit)
            let count = try selection.times(from: .zero, to: nil, of: media, track).count
            // The times themselves, without the tolerance for those of the frames.
            return try list(SampleTimes(rate: rate, from: .zero, length: nil, limit: count))
        }
    }

    private func list(_ times: SampleTimes) throws -> [MediaTime] {
        guard times.count <= FramesOptions.maximumFrameCount else {
            throw SnapshotFailure(
                sentence: "\(options.input.name): too many frames for --header; use --limit"
            )
        }
        return (0..<times.count).map { times[$0] }
    }
}
