import Foundation
import Playhead

/// Why there are fewer stills than were asked for, in a sentence.
struct SnapshotFailure: Error {
    let sentence: String
}

/// Makes the stills of one command, in one pass over the file.
struct Snapshot: Sendable {
    private let options: SnapshotOptions
    private let asset: Asset
    private let generator: ImageGenerator

    /// Of sheets where nobody says how large their images are, in pixels.
    private static let tileWidth = 160

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
        generator.dynamicRangePolicy = options.dynamicRange
        return generator
    }

    func write() async throws {
        switch options.choice {
        case .best:
            let frame = try await poster()
            try await writingImages { try await $0.add(frame, 1) }
        case .at(let times):
            try await write(times)
        case .count(let count):
            let duration = try await duration()
            let times = Self.middles(of: duration, count)
            if let sheet = options.sheet {
                try await writeSheets(sheet, times, duration)
            } else {
                try await write(times)
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

    /// Sorted, so that the file is gone through once. What can be made is made.
    private func write(_ times: [MediaTime]) async throws {
        let order = times.indices.sorted { (times[$0], $0) < (times[$1], $1) }
        let parts = await SnapshotParts.make(
            order.map { SnapshotParts.Image(number: $0 + 1, time: times[$0]) },
            first: generator,
            // What comes over a network would come twice, and a pipe comes once.
            isOne: !options.input.url.isFileURL || options.input.bytes != nil
        ) {
            Self.makeGenerator(asset, options)
        }
        let lost = try await withThrowingTaskGroup(of: (index: Int, errors: [PlaybackError]).self) { group in
            for (index, part) in parts.enumerated() {
                group.addTask { (index, try await write(part)) }
            }
            var lost = Array(repeating: [PlaybackError](), count: parts.count)
            for try await (index, errors) in group { lost[index] = errors }
            return lost.flatMap(\.self)
        }
        guard let first = lost.first else { return }
        let share = times.count > 1 ? " (\(lost.count) of \(times.count) images are missing)" : ""
        throw SnapshotFailure(sentence: failure(first).sentence + share)
    }

    /// What stood against those that are missing, in the order of their times.
    private func write(_ part: SnapshotParts.Part) async throws -> [PlaybackError] {
        var lost: [PlaybackError] = []
        var next = part.images.startIndex
        try await writingImages { images in
            for await result in part.generator.images(for: part.images.map(\.time)) {
                let number = part.images[next].number
                next += 1
                switch result {
                case .success(_, let frame, _): try await images.add(frame, number)
                case .failure(_, let error): lost.append(error)
                }
            }
        }
        return lost
    }

    /// Images are encoded and written while the next ones are made. Returns when all of them are files.
    private func writingImages(_ body: (inout ImageFiles) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: ImageEncoder.self) { group in
            var files = ImageFiles(options.names, quality: options.quality, group)
            try await body(&files)
            try await files.finish()
        }
    }

    // MARK: Sheets

    private func writeSheets(_ grid: GridArgument, _ times: [MediaTime], _ duration: MediaTime) async throws {
        let tile = try options.size ?? tileSize()
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
                track.add(image: options.names.path.path(number), sheet.place(filled))
                filled += 1
                if filled == grid.count {
                    try await images.add(sheet.frame(), number)
                    sheet = ImageSheet(grid, tile: tile)
                    number += 1
                    filled = 0
                }
            }
            if filled > 0 { try await images.add(sheet.frame(), number) }
        }
        guard let path = options.track else { return }
        do throws(MediaError) {
            try ImageFiles.write(Array(track.text(relativeTo: path).utf8), to: path)
        } catch {
            throw SnapshotFailure(sentence: "\(path): \(error.message)")
        }
    }

    private func tileSize() throws -> PixelSize {
        let track = asset.media?.tracks.first { $0.mediaType == .video && !$0.isAttachedPicture }
        guard let shown = track?.presentationSize, !shown.isEmpty else {
            throw SnapshotFailure(sentence: "\(options.input.name): no playable video track")
        }
        let height = (shown.height * Self.tileWidth + shown.width / 2) / shown.width
        return PixelSize(width: Self.tileWidth, height: min(max(height, 1), Self.tileWidth * 4))
    }

    // MARK: Times

    private func duration() async throws -> MediaTime {
        do throws(PlaybackError) {
            try await asset.load()
        } catch {
            throw failure(error)
        }
        guard let duration = asset.media?.duration, duration.isNumeric, duration > .zero else {
            throw SnapshotFailure(
                sentence:
                    "\(options.input.name): nobody knows how long it is; --at says which pictures are wanted"
            )
        }
        return duration
    }

    private static func middles(of duration: MediaTime, _ count: Int) -> [MediaTime] {
        let length = duration.nanoseconds ?? 0
        return (0..<count).map { index in
            let (high, low) = length.multipliedFullWidth(by: Int64(2 * index + 1))
            let middle = Int64(2 * count).dividingFullWidth((high, low)).quotient
            return MediaTime(value: middle, timescale: 1_000_000_000)
        }
    }

    private func failure(_ error: PlaybackError) -> SnapshotFailure {
        SnapshotFailure(sentence: "\(options.input.name): \(reason(error))")
    }
}
