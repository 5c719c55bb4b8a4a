import FoundationEssentials
import Glibc
public import MediaCore

extension ImageGenerator {
    /// The number of key frames that are compared.
    private static let candidateCount: Int64 = 10

    /// Returns an image that represents the asset: neither black nor uniform.
    ///
    /// Ten key frames are compared: the first one, and those nearest to each tenth of the duration. The result is the
    /// one whose luma histogram has the highest entropy, and the earliest of equals. The time tolerances are ignored;
    /// sizes and the track transform apply.
    ///
    /// - Returns: The image, and the time at which it is presented.
    /// - Throws: `PlaybackError` if none of the ten frames could be decoded, or with the code `.cancelled` as
    ///   `image(at:)` does.
    public func poster() async throws(PlaybackError) -> (frame: VideoFrame, actualTime: MediaTime) {
        var best: (time: MediaTime, richness: Double)?
        var failure: PlaybackError?
        var last: MediaTime?
        for index in 0..<Self.candidateCount {
            do throws(PlaybackError) {
                // The first request opens the file, so the duration is known from the second one on.
                let frame = try await sample(near: candidate(index))
                // Two times may have the same key frame.
                guard frame.presentationTime != last else { continue }
                last = frame.presentationTime
                let richness = Self.richness(of: frame)
                if richness > best?.richness ?? -1 { best = (frame.presentationTime, richness) }
            } catch {
                if error.code == .cancelled || asset.media == nil { throw error }
                failure = failure ?? error
            }
        }
        guard let best else {
            throw failure
                ?? PlaybackError(MediaError(.decodeFailed, "no frame could be decoded"), url: asset.url)
        }
        return try await exactImage(at: best.time)
    }

    /// Returns the time of a candidate: each tenth of the duration, or each second if the duration is unknown.
    private func candidate(_ index: Int64) -> MediaTime {
        guard let duration = asset.media?.duration, duration.isNumeric,
            let length = duration.nanoseconds
        else { return MediaTime(value: index, timescale: 1) }
        return MediaTime(value: length / Self.candidateCount * index, timescale: 1_000_000_000)
    }

    /// Returns the entropy of the luma histogram with 64 bins in bits: 0 for a uniform image, 6 at most.
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
