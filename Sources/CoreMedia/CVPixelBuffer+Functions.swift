// The names are those of the C functions and constants.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

internal import MediaCore

/// The result of a function for pixel buffers.
public typealias CVReturn = Int32
/// The function succeeded.
public let kCVReturnSuccess: CVReturn = 0
/// An argument is not valid.
public let kCVReturnInvalidArgument: CVReturn = -6661

/// Makes the pixels of a buffer available, until it is unlocked as often as it was locked.
///
/// - Parameters:
///   - pixelBuffer: The buffer.
///   - lockFlags: Has no effect.
/// - Returns: `kCVReturnSuccess`.
@discardableResult
public func CVPixelBufferLockBaseAddress(
    _ pixelBuffer: CVPixelBuffer,
    _ lockFlags: CVPixelBufferLockFlags
) -> CVReturn {
    pixelBuffer.lock()
    return kCVReturnSuccess
}

/// Ends a lock of a buffer.
///
/// - Parameters:
///   - pixelBuffer: The buffer.
///   - unlockFlags: Has no effect.
/// - Returns: `kCVReturnSuccess`, or `kCVReturnInvalidArgument` if the buffer is not locked.
@discardableResult
public func CVPixelBufferUnlockBaseAddress(
    _ pixelBuffer: CVPixelBuffer,
    _ unlockFlags: CVPixelBufferLockFlags
) -> CVReturn { pixelBuffer.unlock() ? kCVReturnSuccess : kCVReturnInvalidArgument }

/// Returns the width in pixels.
///
/// - Parameter pixelBuffer: The buffer.
/// - Returns: The width.
public func CVPixelBufferGetWidth(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.frame.size.width }

/// Returns the height in pixels.
///
/// - Parameter pixelBuffer: The buffer.
/// - Returns: The height.
public func CVPixelBufferGetHeight(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.frame.size.height }

/// Returns the layout of the pixels: one of the constants `kCVPixelFormatType_...`, or 0 for another one.
///
/// - Parameter pixelBuffer: The buffer.
/// - Returns: The layout.
public func CVPixelBufferGetPixelFormatType(_ pixelBuffer: CVPixelBuffer) -> OSType {
    CVPixelFormat.type(of: pixelBuffer.frame.format)
}

/// Returns the address of the pixels, or of the first plane; nil while the buffer is not locked.
///
/// - Parameter pixelBuffer: The buffer.
/// - Returns: The address of the top row.
public func CVPixelBufferGetBaseAddress(_ pixelBuffer: CVPixelBuffer) -> UnsafeMutableRawPointer? {
    pixelBuffer.baseAddress
}

/// Returns the distance between rows in bytes, of the first plane if there are several.
///
/// - Parameter pixelBuffer: The buffer.
/// - Returns: The number of bytes.
public func CVPixelBufferGetBytesPerRow(_ pixelBuffer: CVPixelBuffer) -> Int {
    pixelBuffer.planes.first?.bytesPerRow ?? 0
}

/// Returns the number of bytes of all rows.
///
/// - Parameter pixelBuffer: The buffer.
/// - Returns: The number of bytes.
public func CVPixelBufferGetDataSize(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.byteCount }

/// Returns whether the pixels are in several planes.
///
/// - Parameter pixelBuffer: The buffer.
/// - Returns: True for planes.
public func CVPixelBufferIsPlanar(_ pixelBuffer: CVPixelBuffer) -> Bool { pixelBuffer.planes.count > 1 }

/// Returns the number of planes; 0 if the pixels are in one.
///
/// - Parameter pixelBuffer: The buffer.
/// - Returns: The number.
public func CVPixelBufferGetPlaneCount(_ pixelBuffer: CVPixelBuffer) -> Int {
    pixelBuffer.planes.count > 1 ? pixelBuffer.planes.count : 0
}

/// Returns the width of a plane in its own samples; 0 if there is no such plane.
///
/// - Parameters:
///   - pixelBuffer: The buffer.
///   - planeIndex: The number of the plane.
/// - Returns: The width.
public func CVPixelBufferGetWidthOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int {
    guard pixelBuffer.planes.indices.contains(planeIndex) else { return 0 }
    let width = pixelBuffer.frame.size.width
    return planeIndex > 0 && CVPixelFormat.halvesChromaWidth(pixelBuffer.frame.pixelFormat)
        ? (width + 1) / 2 : width
}

/// Returns the number of rows of a plane; 0 if there is no such plane.
///
/// - Parameters:
///   - pixelBuffer: The buffer.
///   - planeIndex: The number of the plane.
/// - Returns: The height.
public func CVPixelBufferGetHeightOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int {
    pixelBuffer.planes.indices.contains(planeIndex) ? pixelBuffer.planes[planeIndex].rowCount : 0
}

/// Returns the distance between rows of a plane in bytes; 0 if there is no such plane.
///
/// - Parameters:
///   - pixelBuffer: The buffer.
///   - planeIndex: The number of the plane.
/// - Returns: The number of bytes.
public func CVPixelBufferGetBytesPerRowOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int {
    pixelBuffer.planes.indices.contains(planeIndex) ? pixelBuffer.planes[planeIndex].bytesPerRow : 0
}

/// Returns the address of a plane; nil while the buffer is not locked, and if there is no such plane.
///
/// - Parameters:
///   - pixelBuffer: The buffer.
///   - planeIndex: The number of the plane.
/// - Returns: The address of the top row.
public func CVPixelBufferGetBaseAddressOfPlane(
    _ pixelBuffer: CVPixelBuffer,
    _ planeIndex: Int
) -> UnsafeMutableRawPointer? {
    guard pixelBuffer.planes.indices.contains(planeIndex) else { return nil }
    return pixelBuffer.baseAddress.map { $0 + pixelBuffer.planes[planeIndex].offset }
}
