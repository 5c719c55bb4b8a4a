internal import CFFmpeg
package import MediaCore

/// Where a container's bytes go.
package protocol RecordingOutput: AnyObject {
    /// Behind what came before.
    func write(_ bytes: UnsafeRawBufferPointer) throws(MediaError)
    /// Over what came before.
    func rewrite(at offset: Int64, _ bytes: UnsafeRawBufferPointer) throws(MediaError)
}
