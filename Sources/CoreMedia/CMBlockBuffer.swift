// The names are those of the C functions and constants.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
internal import MediaCore

/// The result of a function for sample and block buffers.
public typealias OSStatus = Int32
/// The function succeeded.
public let kCMBlockBufferNoErr: OSStatus = 0
/// An offset or a length is outside the buffer.
public let kCMBlockBufferBadOffsetParameterErr: OSStatus = -12704

/// A run of bytes.
///
/// `@unchecked Sendable`: the memory is written before the object is shared. A program that changes it does so alone.
public final class CMBlockBuffer: @unchecked Sendable {
    let memory: UnsafeMutableRawBufferPointer

    /// Creates a buffer with the samples of audio: the channels one after the other if each is stored by itself.
    init(_ audio: AudioBuffer) {
        memory = audio.withPlanes { planes in
            let count = planes.reduce(0) { $0 + $1.count }
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
            var offset = 0
            for plane in planes {
                UnsafeMutableRawBufferPointer(rebasing: memory[offset...]).copyMemory(from: plane)
                offset += plane.count
            }
            return memory
        }
    }

    deinit { memory.deallocate() }

    /// The number of bytes.
    public var dataLength: Int { memory.count }

    /// Returns a copy of the bytes.
    ///
    /// - Returns: The bytes.
    public func dataBytes() -> Data { Data(memory) }
}

/// Returns the number of bytes of a buffer.
///
/// - Parameter theBuffer: The buffer.
/// - Returns: The number.
public func CMBlockBufferGetDataLength(_ theBuffer: CMBlockBuffer) -> Int { theBuffer.dataLength }

/// Copies bytes of a buffer.
///
/// - Parameters:
///   - theSourceBuffer: The buffer.
///   - offsetToData: The offset of the first byte.
///   - dataLength: The number of bytes.
///   - destination: The memory to copy to.
/// - Returns: `kCMBlockBufferNoErr`, or `kCMBlockBufferBadOffsetParameterErr` if the bytes are not in the buffer.
@discardableResult
public func CMBlockBufferCopyDataBytes(
    _ theSourceBuffer: CMBlockBuffer,
    atOffset offsetToData: Int,
    dataLength: Int,
    destination: UnsafeMutableRawPointer
) -> OSStatus {
    let memory = theSourceBuffer.memory
    guard offsetToData >= 0, dataLength >= 0, dataLength <= memory.count - offsetToData else {
        return kCMBlockBufferBadOffsetParameterErr
    }
    guard dataLength > 0, let start = memory.baseAddress else { return kCMBlockBufferNoErr }
    destination.copyMemory(from: start + offsetToData, byteCount: dataLength)
    return kCMBlockBufferNoErr
}

/// Returns the address of a byte of a buffer, which is valid as long as the buffer.
///
/// - Parameters:
///   - theBuffer: The buffer.
///   - offset: The offset of the byte.
///   - lengthAtOffsetOut: Receives the number of bytes from there on.
///   - totalLengthOut: Receives the number of bytes of the buffer.
///   - dataPointerOut: Receives the address.
/// - Returns: `kCMBlockBufferNoErr`, or `kCMBlockBufferBadOffsetParameterErr` if the byte is not in the buffer.
@discardableResult
public func CMBlockBufferGetDataPointer(
    _ theBuffer: CMBlockBuffer,
    atOffset offset: Int,
    lengthAtOffsetOut: UnsafeMutablePointer<Int>?,
    totalLengthOut: UnsafeMutablePointer<Int>?,
    dataPointerOut: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> OSStatus {
    let memory = theBuffer.memory
    guard memory.indices.contains(offset), let start = memory.baseAddress else {
        return kCMBlockBufferBadOffsetParameterErr
    }
    lengthAtOffsetOut?.pointee = memory.count - offset
    totalLengthOut?.pointee = memory.count
    dataPointerOut?.pointee = (start + offset).assumingMemoryBound(to: CChar.self)
    return kCMBlockBufferNoErr
}
