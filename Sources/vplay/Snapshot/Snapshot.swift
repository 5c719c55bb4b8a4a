import FoundationEssentials
import PlaybackEngine
import PlayheadCore

/// The reason why images are missing, as a sentence.
struct SnapshotFailure: Error {
    let sentence: String
}

/// Writes the images of one command in one pass over the file.
struct Snapshot: Sendable {
    private let options: SnapshotOptions
    private let asset: Asset
    private let generator: ImageGenerator
    private let replaced = ReplacedFiles()

    /// The default width in pixels of the images in sheets.
    private static let tileWidth = 160
    /// The largest number of pixels of a sheet. FFmpeg encodes no larger image.
    private static let maximumSheetPixelCount = 1 << 28

    init(_ options: SnapshotOptions) {
        self.options = options
        asset = options.input.asset(network: options.network)
        generator = Self.makeGenerator(asset, options)
    }

    private static func makeGenerator(_ asset: Asset, _ options: SnapshotOptions) -> ImageGenerator {
        let generator = ImageGenerator(asset: asset)
        if !options.isFast {
            generator.requestedTimeToleranceBefore = .zero
            generator.requestedTimeToleranceAfter = .zero
        }
        generator.appliesPreferredTrackTransform = true
        generator.targetSize = options.size
        generator.videoGravity = options.gravity
        generator.acceptedPixelFormats = options.names.format.pixelFormats
        generator.dynamicRangePolicy = options.dynamicRange
        if case .file(let file) = options.subtitles {
            generator.legibleAsset = options.asset(ofSubtitles: file)
        }
        return generator
    }

    func write() async throws {
        defer { replaced.report() }
        let subtitleTrack = try await subtitleTrack()
        generator.subtitleTrack = subtitleTrack
        switch options.choice {
        case .best:
            let frame = try await poster()
            try await writingImages { try await $0.add(frame, 1) }
        case .at(let times):
            try await write(times, subtitleTrack)
        case .count(let count):
            let duration = try await duration()
            let middles = SampleTimes(middlesOf: count, from: .zero, length: duration)
            let times = (0..<middles.count).map { middles[$0] }
            if let sheet = options.sheet {
                try await writeSheets(sheet, times, duration)
            } else {
                try await write(times, subtitleTrack)
            }
        }
    }

    // MARK: Single images

    private func poster() async throws -> VideoFrame {
        do throws(PlaybackError) {
            return try await generator.poster().frame
        } catch {
            throw failure(error)
        }
    }

    /// Writes the images at `times`. The times are sorted, so that the file is read once. Images that fail do not stop
    /// the others.
    private func write(_ times: [MediaTime], _ subtitleTrack: Int?) async throws {
        let order = times.indices.sorted { (times[$0], $0) < (times[$1], $1) }
        let parts = await SnapshotParts.make(
            order.map { SnapshotParts.Image(number: $0 + 1, time: times[$0]) },
            first: generator,
            // A second part would repeat the download, and a pipe can be read only once.
            isSinglePart: !options.input.url.isFileURL || options.input.bytes != nil
        ) {
            let generator = Self.makeGenerator(asset, options)
            generator.subtitleTrack = subtitleTrack
            return generator
        }
        let errors = try await withThrowingTaskGroup(of: (index: Int, errors: [PlaybackError]).self) {
            group in
            for (index, part) in parts.enumerated() {
                group.addTask { (index, try await write(part)) }
            }
            var failures = Array(repeating: [PlaybackError](), count: parts.count)
            for try await (index, errors) in group { failures[index] = errors }
            return failures.flatMap(\.self)
        }
        asset.warnOfTimesPastEnd(times, of: options.input)
        guard let first = errors.first else { return }
        let share = times.count > 1 ? " (\(errors.count) of \(times.count) images are missing)" : ""
        throw SnapshotFailure(sentence: failure(first).sentence + share)
    }

    /// Returns the errors of the images that could not be made, in the order of their times.
    private func write(_ part: SnapshotParts.Part) async throws -> [PlaybackError] {
        var errors: [PlaybackError] = []
        var next = part.images.startIndex
        try await writingImages { images in
            for await result in part.generator.images(for: part.images.map(\.time)) {
                let number = part.images[next].number
                next += 1
                switch result {
                case .success(_, let frame, _): try await images.add(frame, number)
                case .failure(_, let error): errors.append(error)
                }
            }
        }
        return errors
    }

    /// Runs `body`, which adds images. They are encoded and written while it decodes the next ones. Returns when all
    /// files are written.
    private func writingImages(_ body: (inout ImageFiles) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: ImageEncoder.self) { group in
            var files = ImageFiles(options.names, quality: options.quality, replaced: replaced, group)
            try await body(&files)
            try await files.finish()
        }
        try Task.checkCancellation()
    }

    // MARK: Sheets

    private func writeSheets(_ grid: GridArgument, _ times: [MediaTime], _ duration: MediaTime) async throws {
        let tile = if let size = options.size { size } else { try await tileSize(times) }
        let size = PixelSize(width: tile.width * grid.columns, height: tile.height * grid.rows)
        guard size.width * size.height <= Self.maximumSheetPixelCount else {
            throw SnapshotFailure(
                sentence: "a sheet of \(size) pixels is too large; use a smaller --size or --sprite"
            )
        }
        generator.targetSize = tile
        generator.pixelFormat = .rgb24
        var sheet = ImageSheet(grid, tile: tile)
        var track = PreviewTrack(duration: duration, count: times.count)
        var number = 1
        var filled = 0
        try await writingImages { images in
            for await result in generator.images(for: times) {
                switch result {
                case .success(_, let frame, _): sheet.place(frame, at: filled)
                case .failure(_, let error): throw failure(error)
                }
                track.add(image: options.names.path.path(number), sheet.rect(filled))
                filled += 1
                if filled == grid.count {
                    try await images.add(sheet.frame(), number)
                    sheet = ImageSheet(grid, tile: tile)
                    number += 1
                    filled = 0
                }
            }
            // After a cancellation the last sheet is incomplete.
            try Task.checkCancellation()
            if filled > 0 { try await images.add(sheet.frame(), number) }
        }
        guard let path = options.track else { return }
        do throws(PlaybackError) {
            try ImageFiles.write(Array(track.text(relativeTo: path).utf8), to: path, replaced)
        } catch {
            throw SnapshotFailure(sentence: "\(path): \(error.message)")
        }
    }

    private func tileSize(_ times: [MediaTime]) async throws -> PixelSize {
        // If no track can be played, the first image reports the reason.
        let track = asset.media?.imageTrack ?? asset.media?.tracks.first { $0.mediaType == .video }
        var shown = track?.presentationSize ?? .zero
        if shown.isEmpty {
            // The size of a cover in MP4 is only in its data.
            do throws(PlaybackError) {
                shown = try await generator.image(at: times.first ?? .zero).frame.format.presentationSize
            } catch {
                throw failure(error)
            }
        }
        let height = (shown.height * Self.tileWidth + shown.width / 2) / max(1, shown.width)
        return PixelSize(width: Self.tileWidth, height: min(max(height, 1), Self.tileWidth * 4))
    }

    // MARK: Times

    /// Returns the track whose subtitles are drawn, or nil if there are none.
    private func subtitleTrack() async throws -> Int? {
        guard let subtitles = options.subtitles else { return nil }
        do throws(PlaybackError) {
            try await asset.load()
        } catch {
            throw failure(error)
        }
        switch subtitles {
        case .file(let file):
            do throws(PlaybackError) {
                try await options.asset(ofSubtitles: file).load()
            } catch {
                throw SnapshotFailure(sentence: "\(file.name): \(reason(error))")
            }
            return nil
        case .track(let choice):
            do throws(TrackNotFound) {
                return try choice.pick(.subtitle, from: asset.tracks).get()
            } catch {
                throw SnapshotFailure(sentence: "\(options.input.name): \(error.message)")
            }
        case .defaultTrack:
            if let track = asset.tracks.defaultTrack(.subtitle) { return track.id }
            let reason = asset.tracks.first { $0.mediaType == .subtitle }?.unplayableReason
            let problem = reason.map { "its subtitles cannot be drawn: \($0)" } ?? "no subtitles"
            throw SnapshotFailure(sentence: "\(options.input.name): \(problem)")
        }
    }

    private func duration() async throws -> MediaTime {
        do throws(PlaybackError) {
            try await asset.load()
        } catch {
            throw failure(error)
        }
        return try asset.knownDuration(of: options.input)
    }

    private func failure(_ error: PlaybackError) -> SnapshotFailure {
        if case .file(let file) = options.subtitles, error.url == generator.legibleAsset?.url {
            return SnapshotFailure(sentence: "\(file.name): \(reason(error))")
        }
        return SnapshotFailure(sentence: "\(options.input.name): \(reason(error))")
    }
}

extension Asset {
    /// Returns the duration, which is needed to divide the input.
    ///
    /// - Throws: `SnapshotFailure` if it is not known.
    func knownDuration(of input: Input) throws(SnapshotFailure) -> MediaTime {
        guard let duration = media?.duration, duration.isNumeric, duration > .zero else {
            throw SnapshotFailure(sentence: "\(input.name): unknown duration; use --at to specify the times")
        }
        return duration
    }

    /// Prints one warning about times past the end, for which the last frame is written.
    func warnOfTimesPastEnd(_ times: [MediaTime], of input: Input) {
        guard let media, !media.durationIsEstimate else { return }
        let duration = media.duration
        guard duration.isNumeric, duration > .zero else { return }
        let late = times.filter { $0 > duration }
        guard let first = late.first, let time = decimalSeconds(first), let end = decimalSeconds(duration)
        else {
            return
        }
        let subject = late.count == 1 ? "--at \(time) is" : "\(late.count) times from --at \(time) are"
        Console.shared.printError(
            "warning: \(input.name): \(subject) past the end (duration \(end) s); the last frame is used"
        )
    }
}
