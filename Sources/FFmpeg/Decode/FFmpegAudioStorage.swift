internal import CFFmpeg
internal import MediaCore

/// Decoded samples in the decoder's memory.
///
/// `@unchecked Sendable`: the frame is written before this object is created and never again.
final class FFmpegAudioStorage: AudioBufferStorage, @unchecked Sendable {
    let frame: FrameOwner

    init(_ frame: FrameOwner) { self.frame = frame }

    func withPlanes<R>(_ body: ([UnsafeRawPointer]) throws -> R) rethrows -> R {
        let raw = frame.pointer.pointee
        let isPlanar = av_sample_fmt_is_planar(AVSampleFormat(raw.format)) != 0
        let count = isPlanar ? Int(raw.ch_layout.nb_channels) : 1
        var planes: [UnsafeRawPointer] = []
        if let data = raw.extended_data {
            for index in 0..<max(0, count) {
                guard let plane = data[index] else { break }
                planes.append(UnsafeRawPointer(plane))
            }
        }
        return try withExtendedLifetime(frame) { try body(planes) }
    }
}
