internal import CFFmpeg
internal import MediaCore

/// The metadata of a stream or frame about its mastering display and its light levels.
enum HDRMetadata {
    static func masteringDisplay(of stream: UnsafePointer<AVStream>) -> MasteringDisplay? {
        read(AVMasteringDisplayMetadata.self, of: stream, AV_PKT_DATA_MASTERING_DISPLAY_METADATA)
            .flatMap(describe)
    }

    static func masteringDisplay(of frame: UnsafePointer<AVFrame>) -> MasteringDisplay? {
        read(AVMasteringDisplayMetadata.self, of: frame, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA)
            .flatMap(describe)
    }

    static func contentLightLevel(of stream: UnsafePointer<AVStream>) -> ContentLightLevel? {
        read(AVContentLightMetadata.self, of: stream, AV_PKT_DATA_CONTENT_LIGHT_LEVEL).flatMap(describe)
    }

    static func contentLightLevel(of frame: UnsafePointer<AVFrame>) -> ContentLightLevel? {
        read(AVContentLightMetadata.self, of: frame, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL).flatMap(describe)
    }

    private static func read<Value>(
        _ type: Value.Type,
        of stream: UnsafePointer<AVStream>,
        _ kind: AVPacketSideDataType
    ) -> Value? {
        var size = 0
        guard let data = ph_stream_side_data(stream, kind, &size), size >= MemoryLayout<Value>.size else {
            return nil
        }
        return UnsafeRawPointer(data).loadUnaligned(as: type)
    }

    private static func read<Value>(
        _ type: Value.Type,
        of frame: UnsafePointer<AVFrame>,
        _ kind: AVFrameSideDataType
    ) -> Value? {
        guard frame.pointee.nb_side_data > 0, let found = av_frame_get_side_data(frame, kind),
            let data = found.pointee.data, found.pointee.size >= MemoryLayout<Value>.size
        else { return nil }
        return UnsafeRawPointer(data).loadUnaligned(as: type)
    }

    private static func describe(_ metadata: AVMasteringDisplayMetadata) -> MasteringDisplay? {
        var display = MasteringDisplay()
        if metadata.has_primaries != 0 {
            let (red, green, blue) = metadata.display_primaries
            display.primaries = MasteringDisplay.Primaries(
                red: chromaticity(red),
                green: chromaticity(green),
                blue: chromaticity(blue),
                whitePoint: chromaticity(metadata.white_point)
            )
        }
        if metadata.has_luminance != 0 {
            display.luminance = MasteringDisplay.Luminance(
                minimum: metadata.min_luminance.rational,
                maximum: metadata.max_luminance.rational
            )
        }
        return display == MasteringDisplay() ? nil : display
    }

    private static func chromaticity(_ color: (AVRational, AVRational)) -> MasteringDisplay.Chromaticity {
        MasteringDisplay.Chromaticity(x: color.0.rational, y: color.1.rational)
    }

    /// Returns the light levels, or nil if both are zero, which means that they are unknown.
    private static func describe(_ metadata: AVContentLightMetadata) -> ContentLightLevel? {
        guard metadata.MaxCLL > 0 || metadata.MaxFALL > 0 else { return nil }
        return ContentLightLevel(
            maximum: Int(metadata.MaxCLL),
            maximumFrameAverage: Int(metadata.MaxFALL)
        )
    }
}
