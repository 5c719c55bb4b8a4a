import MediaCore
import PlaybackEngine
import PlayheadBackend

/// A gray frame whose first eight bytes contain its number. It is decoded as 16 x 8 pixels.
final class ScriptedFrame: VideoFrameStorage {
    let index: Int
    private let size: PixelSize
    private let bytes: [UInt8]

    static let ownSize = PixelSize(width: 16, height: 8)

    init(_ index: Int, size: PixelSize = ownSize) {
        var bytes = [UInt8](repeating: 0, count: size.width * size.height)
        for offset in bytes.indices.prefix(8) {
            bytes[offset] = UInt8(truncatingIfNeeded: index >> (8 * offset))
        }
        self.index = index
        self.size = size
        self.bytes = bytes
    }

    var byteCount: Int { bytes.count }

    func withPlanes<R>(_ body: ([VideoPlane]) throws -> R) rethrows -> R {
        try bytes.withUnsafeBytes { raw in
            guard let base = raw.baseAddress else { return try body([]) }
            let plane = VideoPlane(
                baseAddress: base,
                bytesPerRow: size.width,
                bytesUsedPerRow: size.width,
                rowCount: size.height
            )
            return try body([plane])
        }
    }

    static func frame(_ index: Int, at time: MediaTime, _ packet: Packet) -> VideoFrame {
        VideoFrame(
            format: VideoFormat(pixelFormat: .gray, size: ownSize),
            presentationTime: time,
            duration: packet.duration ?? .invalid,
            isKeyFrame: packet.isKeyFrame,
            sourceTime: SourceTime(ticks: time.value, timeBase: Rational(1, time.timescale)),
            storage: ScriptedFrame(index)
        )
    }
}
