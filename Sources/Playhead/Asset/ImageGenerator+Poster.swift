import Foundation
public import MediaCore

extension ImageGenerator {
    /// Pictures that are compared.
    private static let candidateCount: Int64 = 10

    /// One image to stand for the whole: neither black nor plain. Of ten key frames, the first one and those nearest
    /// to each tenth of the asset, it is the one whose brightness is the richest: its histogram has the highest
    /// entropy. The earliest of equals is taken.
    ///
    /// The tolerances have no say; sizes and the transform do. Throws what stands against all ten of them, and
    /// `.cancelled` as `image(at:)` does.
    public func poster() async throws(PlaybackError) -> (frame: VideoFrame, actualTime: MediaTime) {
        var best: (time: MediaTime, richness: Double)?
        var failure: PlaybackError?
        var last: MediaTime?
        for index in 0..<Self.candidateCount {
            do throws(PlaybackError) {
                // The first request opens the file, so its length is known from then on.
                let frame = try await sample(near: candidate(index))
                // Two times may have one key frame.
                guard frame.presentationTime != last else { continue }
                last = frame.presentationTime
                let richness = Self.richness(of: frame)
                if richness > best?.richness ?? -1 { best = (frame.presentationTime, richness) }
            } catch {
                if error.code == .cancelled || asset.description == nil { throw error }
                failure = failure ?? error
            }
        }
        guard let best else {
            throw failure
                ?? PlaybackError(MediaError(.decodeFailed, "there is no picture in it"), url: asset.url)
        }
        return try await exactImage(at: best.time)
    }

    /// Each tenth; where nobody knows how long the asset is, each second.
    private func candidate(_ index: Int64) -> MediaTime {
        guard let duration = asset.description?.duration, duration.isNumeric,
            let length = duration.nanoseconds
        else { return MediaTime(value: index, timescale: 1) }
        return MediaTime(value: length / Self.candidateCount * index, timescale: 1_000_000_000)
    }

    /// Bits that a sample's brightness tells: 0 for one colour all over, 6 at most.
    private static func richness(of frame: VideoFrame) -> Double {
        frame.withPlanes { planes in
            guard let plane = planes.first else { return 0 }
            var counts = [Int](repeating: 0, count: 64)
            for row in 0..<plane.rowCount {
                let start = plane.baseAddress + row * plane.bytesPerRow
                for sample in UnsafeRawBufferPointer(start: start, count: plane.bytesUsedPerRow) {
                    counts[Int(sample) >> 2] += 1
                }
            }
            return entropy(counts)
        }
    }

    private static func entropy(_ counts: [Int]) -> Double {
        let total = Double(counts.reduce(0, +))
        return counts.reduce(into: 0) { sum, count in
            guard count > 0 else { return }
            let share = Double(count) / total
            sum -= share * log2(share)
        }
    }
}
