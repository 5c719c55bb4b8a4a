internal import CFFmpeg
package import MediaCore

/// A destination for the bytes of a container.
package protocol RecordingOutput: AnyObject {
    /// Whether bytes can be overwritten. If not, only containers that can be written as a stream are supported.
    var isRewritable: Bool { get }
    /// Appends bytes.
    func write(_ bytes: UnsafeRawBufferPointer) throws(MediaError)
    /// Overwrites bytes that were written before.
    func rewrite(at offset: Int64, _ bytes: UnsafeRawBufferPointer) throws(MediaError)
}
