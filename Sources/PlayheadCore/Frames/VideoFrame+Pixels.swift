import FFmpeg
public import MediaCore
import PlayheadBackend

/// The samples of a frame as bytes, and conversions of a single frame.
extension VideoFrame {
    /// Returns the samples of the frame as one array: the rows of all planes in order, without padding, as in a file of
    /// raw video. In `rgb24` and `rgbf32` that is an array of the shape (height, width, 3).
    ///
    /// The method works on the calling thread. Without a conversion it copies the samples once.
    ///
    /// - Parameter format: The pixel format of the result, as for `converted(to:size:gravity:)`; nil for the frame's
    ///   own.
    /// - Returns: The samples.
    /// - Throws: `PlaybackError` with the code `.conversionFailed` if the frame cannot be converted to the format.
    public func packedBytes(as format: PixelFormat? = nil) throws(PlaybackError) -> [UInt8] {
        let frame = try format.map { format throws(PlaybackError) in try converted(to: format) } ?? self
        return frame.withPlanes { planes in
            let total = planes.packedByteCount
            return [UInt8](unsafeUninitializedCapacity: total) { bytes, count in
                count = UnsafeMutableRawBufferPointer(bytes).copyPackedRows(of: planes)
            }
        }
    }

    /// Calls a closure with the samples of the frame in the order of `packedBytes(as:)`. They are not copied if they
    /// have no padding in memory.
    ///
    /// - Parameters:
    ///   - format: The pixel format, as for `converted(to:size:gravity:)`; nil for the frame's own.
    ///   - body: Receives the samples. The memory is valid during the call only.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`; `PlaybackError` with the code `.conversionFailed` if the frame cannot be converted
    ///   to the format.
    public func withPackedBytes<R>(
        as format: PixelFormat? = nil,
        _ body: (UnsafeRawBufferPointer) throws -> R
    ) throws -> R {
        let frame = try format.map { try converted(to: $0) } ?? self
        return try frame.withPlanes { planes in
            if let bytes = planes.packedBytes { return try body(bytes) }
            return try withUnsafeTemporaryAllocation(byteCount: planes.packedByteCount, alignment: 64) {
                bytes in
                let count = bytes.copyPackedRows(of: planes)
                return try body(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            }
        }
    }

    /// Returns the frame in another pixel format, and in another size if one is given.
    ///
    /// Without a size, every sample keeps its position, and the format of the result says how to rotate it. With a size,
    /// the result is laid out as by a layer of that size: upright, with square pixels, fitted by `gravity`, with bars
    /// that are transparent or, in formats without alpha, black. Frames of high dynamic range are mapped to standard
    /// dynamic range if they are laid out or become RGB (`DynamicRangePolicy.auto`).
    ///
    /// The method works on the calling thread: about 1 ms for a frame of 1280x720 that becomes 224x224. For a whole film
    /// a layer, or a sequence of an asset's frames, converts on other threads and only once for all its sinks.
    ///
    /// - Parameters:
    ///   - format: The pixel format of the result.
    ///   - size: The size of the result; nil for that of the frame.
    ///   - gravity: The way in which the frame is fitted into `size`; stretched by default.
    /// - Returns: The converted frame, or the frame itself if there is nothing to do.
    /// - Throws: `PlaybackError` with the code `.conversionFailed` if the conversion is not supported or the size is
    ///   empty.
    public func converted(
        to format: PixelFormat,
        size: PixelSize? = nil,
        gravity: VideoGravity = .resize
    ) throws(PlaybackError) -> VideoFrame {
        if size == nil, format == pixelFormat { return self }
        let toSDR = DynamicRangePolicy.auto.requiresToneMapping(
            self.format,
            isForDisplay: size != nil || format.isRGB
        )
        let geometry = size.map { VideoGeometry(self.format.shape, gravity: gravity, target: $0) }
        return try converted(to: format, geometry, toSDR: toSDR)
    }

    /// Returns the frame as a viewer sees it: upright, with square pixels, in standard dynamic range.
    ///
    /// - Parameter pixelFormats: The pixel formats of the result if it is converted, the preferred one first; empty for
    ///   the frame's own.
    /// - Throws: `PlaybackError` with the code `.conversionFailed` if the frame cannot be converted.
    func displayed(in pixelFormats: [PixelFormat]) throws(PlaybackError) -> VideoFrame {
        let geometry = VideoGeometry(format.shape, gravity: .resize, target: nil)
        let toSDR = format.color.isHDR
        if geometry.isIdentity, !toSDR { return self }
        return try converted(to: pixelFormats.preferred(for: pixelFormat), geometry, toSDR: toSDR)
    }

    private func converted(
        to format: PixelFormat?,
        _ geometry: VideoGeometry?,
        toSDR: Bool
    ) throws(PlaybackError) -> VideoFrame {
        let converter = FFmpegBackend().makeVideoConverter()
        do throws(MediaError) {
            if toSDR {
                return try converter.convertToSDR(self, to: format, geometry: geometry, background: .clear)
            }
            if let geometry {
                return try converter.convert(self, to: format, geometry: geometry, background: .clear)
            }
            return try converter.convert(self, to: format ?? pixelFormat, size: self.size)
        } catch {
            throw PlaybackError(error, url: nil)
        }
    }

    /// Creates a frame from packed samples, in the order of `packedBytes(as:)`. The samples are copied.
    ///
    /// The frame is upright and has square pixels. RGB and gray count as full range; other formats are interpreted as
    /// video of that size without a declaration.
    ///
    /// - Parameters:
    ///   - bytes: The samples: the rows of all planes in order, without padding.
    ///   - pixelFormat: The pixel format.
    ///   - size: The size in pixels.
    ///   - presentationTime: The item time at which the frame is due.
    /// - Throws: `PlaybackError` with the code `.invalidArgument` if the pixel format is unknown, the size is empty or
    ///   too large, or `bytes` does not have as many bytes as such a frame.
    public init(
        packed bytes: [UInt8],
        pixelFormat: PixelFormat,
        size: PixelSize,
        presentationTime: MediaTime = .zero
    ) throws(PlaybackError) {
        let storage: any VideoFrameStorage
        do throws(MediaError) {
            storage = try PackedFrames.storage(bytes, pixelFormat, size)
        } catch {
            throw PlaybackError(error, url: nil)
        }
        var color = ColorDescription()
        if pixelFormat.isRGB { color.matrix = "gbr" }
        let isGray =
            pixelFormat.rawValue.hasPrefix("gray")
            || ["ya8", "ya16le", "ya16be"].contains(pixelFormat.rawValue)
        if pixelFormat.isRGB || isGray { color.isFullRange = true }
        self.init(
            format: VideoFormat(pixelFormat: pixelFormat, size: size, color: color),
            presentationTime: presentationTime,
            duration: .invalid,
            isKeyFrame: true,
            sourceTime: SourceTime(
                ticks: presentationTime.value,
                timeBase: Rational(1, max(1, presentationTime.timescale))
            ),
            storage: storage
        )
    }
}

extension [VideoPlane] {
    /// The number of bytes of all samples, without padding.
    fileprivate var packedByteCount: Int {
        reduce(0) { $0 + Swift.max(0, $1.bytesUsedPerRow) * Swift.max(0, $1.rowCount) }
    }

    /// The samples of all planes if they follow each other in memory without padding, otherwise nil.
    fileprivate var packedBytes: UnsafeRawBufferPointer? {
        guard let first else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        var end = first.baseAddress
        for plane in self {
            guard plane.baseAddress == end, plane.bytesPerRow == plane.bytesUsedPerRow || plane.rowCount == 1
            else { return nil }
            end += plane.bytesUsedPerRow * plane.rowCount
        }
        return UnsafeRawBufferPointer(start: first.baseAddress, count: packedByteCount)
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Copies the rows of all planes in order, without padding. Returns the number of bytes.
    fileprivate func copyPackedRows(of planes: [VideoPlane]) -> Int {
        guard var target = baseAddress else { return 0 }
        let start = target
        for plane in planes {
            for row in 0..<Swift.max(0, plane.rowCount) {
                let count = Swift.max(0, plane.bytesUsedPerRow)
                target.copyMemory(from: plane.baseAddress + row * plane.bytesPerRow, byteCount: count)
                target += count
            }
        }
        return target - start
    }
}
