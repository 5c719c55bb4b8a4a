import FFmpeg
public import Foundation
import MediaCore
import Playhead

/// A picture with 8 bits of red, green, blue and straight alpha for each pixel.
public final class CGImage: Sendable {
    let frame: VideoFrame

    /// Creates a picture of a frame in the format `rgba`.
    init(_ frame: VideoFrame) { self.frame = frame }

    /// The width in pixels.
    public var width: Int { frame.size.width }
    /// The height in pixels.
    public var height: Int { frame.size.height }
    /// The bits of a component, which are 8.
    public var bitsPerComponent: Int { 8 }
    /// The bits of a pixel, which are 32.
    public var bitsPerPixel: Int { 32 }
    /// The bytes of a row of `pixelData`.
    public var bytesPerRow: Int { width * 4 }

    /// The rows from the top, each with red, green, blue and alpha of its pixels and without padding. This is not part of
    /// Apple's API.
    public var pixelData: Data {
        frame.withPlanes { planes in
            var data = Data(capacity: bytesPerRow * height)
            for row in 0..<height {
                let start = planes[0].baseAddress + row * planes[0].bytesPerRow
                data.append(start.assumingMemoryBound(to: UInt8.self), count: bytesPerRow)
            }
            return data
        }
    }

    /// Returns a PNG file with the picture. This is not part of Apple's API, where `UIImage` does it.
    ///
    /// - Returns: The bytes of the file.
    /// - Throws: `AVError` if the picture cannot be encoded.
    public func pngData() throws -> Data {
        do throws(MediaError) {
            return Data(try FFmpegImageEncoder(.png, quality: nil).encode(frame))
        } catch {
            throw AVError(PlaybackError(error, url: nil))
        }
    }
}
