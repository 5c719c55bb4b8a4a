package import MediaCore

/// A picture in memory.
public typealias CVImageBuffer = CVBuffer
/// A picture in memory, with pixels that a program can read.
public typealias CVPixelBuffer = CVBuffer

/// A picture in memory. On Apple's platforms it is declared by Core Video; here it is a part of this module.
///
/// The pixels are copied out of the decoder's memory when the buffer is locked for the first time. A program may change
/// the copy; nothing else reads it.
///
/// `@unchecked Sendable`: `state` is guarded by its lock. The pixels are used as the program locks them.
public final class CVBuffer: @unchecked Sendable {
    /// The position of a plane in the copy.
    struct Plane: Sendable {
        var offset: Int
        var bytesPerRow: Int
        var rowCount: Int
    }

    private struct State {
        var memory: UnsafeMutableRawPointer?
        var lockCount = 0
    }

    /// The frame with the pixels.
    package let frame: VideoFrame
    let planes: [Plane]
    /// The number of bytes of the copy.
    let byteCount: Int
    private let state = Locked(State())

    /// The distance between the starts of rows is a multiple of this number of bytes.
    private static let rowAlignment = 64

    /// Creates a buffer for a frame. Nothing is copied.
    ///
    /// - Parameter frame: The frame.
    package init(_ frame: VideoFrame) {
        self.frame = frame
        var byteCount = 0
        planes = frame.withPlanes { planes in
            planes.map { plane in
                let used = max(0, plane.bytesUsedPerRow) + Self.rowAlignment - 1
                let bytesPerRow = used / Self.rowAlignment * Self.rowAlignment
                let result = Plane(
                    offset: byteCount,
                    bytesPerRow: bytesPerRow,
                    rowCount: max(0, plane.rowCount)
                )
                byteCount += bytesPerRow * result.rowCount
                return result
            }
        }
        self.byteCount = byteCount
    }

    deinit { state.withLock { $0.memory?.deallocate() } }

    /// Makes the address of the pixels available.
    func lock() {
        state.withLock { state in
            state.lockCount += 1
            if state.memory == nil { state.memory = copyPixels() }
        }
    }

    /// Ends a lock. Returns false if there is none.
    func unlock() -> Bool {
        state.withLock { state in
            guard state.lockCount > 0 else { return false }
            state.lockCount -= 1
            return true
        }
    }

    /// The address of the pixels, or nil while the buffer is not locked.
    var baseAddress: UnsafeMutableRawPointer? {
        state.withLock { $0.lockCount > 0 ? $0.memory : nil }
    }

    private func copyPixels() -> UnsafeMutableRawPointer {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: max(1, byteCount),
            alignment: Self.rowAlignment
        )
        frame.withPlanes { sources in
            for (source, plane) in zip(sources, planes) {
                for row in 0..<plane.rowCount {
                    (memory + plane.offset + row * plane.bytesPerRow).copyMemory(
                        from: source.baseAddress + row * source.bytesPerRow,
                        byteCount: max(0, source.bytesUsedPerRow)
                    )
                }
            }
        }
        return memory
    }
}
