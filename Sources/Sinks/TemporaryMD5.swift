internal import CFFmpeg
internal import MediaCore

// To be deleted as soon as the FFmpeg module offers an MD5 over packed planes.
@_silgen_name("av_md5_alloc") private func av_md5_alloc() -> OpaquePointer?
@_silgen_name("av_md5_init") private func av_md5_init(_ context: OpaquePointer)
@_silgen_name("av_md5_update")
private func av_md5_update(_ context: OpaquePointer, _ source: UnsafeRawPointer, _ count: Int)
@_silgen_name("av_md5_final")
private func av_md5_final(_ context: OpaquePointer, _ target: UnsafeMutablePointer<UInt8>)

struct LibraryMD5: FrameDigest {
    var name: String { "MD5" }

    func digest(of planes: [VideoPlane]) throws -> String {
        guard let context = av_md5_alloc() else {
            throw MediaError(.resourceLimit, "there is no memory for a checksum")
        }
        defer { av_free(UnsafeMutableRawPointer(context)) }
        av_md5_init(context)
        for plane in planes {
            for row in 0..<max(0, plane.rowCount) {
                av_md5_update(context, plane.baseAddress + row * plane.bytesPerRow, plane.bytesUsedPerRow)
            }
        }
        var bytes = [UInt8](repeating: 0, count: 16)
        av_md5_final(context, &bytes)
        return hexadecimal(bytes)
    }
}
