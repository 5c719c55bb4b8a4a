internal import CFFmpeg

/// Detects packets of one H.264 stream that begin with a field (`field_pic_flag` in ITU-T H.264, 7.4.3).
///
/// libav's parser reads the parameter sets and the header of the first slice of a packet.
final class H264FieldParser {
    /// The extradata of the packets (`PacketOwner.extradata`), or nil if they need that of the stream.
    let packetExtradata: [UInt8]?
    private let parser: UnsafeMutablePointer<AVCodecParserContext>
    private let context: UnsafeMutablePointer<AVCodecContext>

    /// Creates a parser. Returns nil if libav has none, or no memory.
    init?(extradata: [UInt8], packetExtradata: [UInt8]? = nil) {
        guard let parser = av_parser_init(Int32(AV_CODEC_ID_H264.rawValue)) else { return nil }
        guard let context = avcodec_alloc_context3(nil) else {
            av_parser_close(parser)
            return nil
        }
        self.packetExtradata = packetExtradata
        self.parser = parser
        self.context = context
        parser.pointee.flags |= PARSER_FLAG_COMPLETE_FRAMES
        context.pointee.codec_type = AVMEDIA_TYPE_VIDEO
        context.pointee.codec_id = AV_CODEC_ID_H264
        guard !extradata.isEmpty else { return }
        // The context frees the memory.
        guard let memory = av_mallocz(extradata.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else { return nil }
        memory.copyMemory(from: extradata, byteCount: extradata.count)
        context.pointee.extradata = memory.assumingMemoryBound(to: UInt8.self)
        context.pointee.extradata_size = Int32(clamping: extradata.count)
    }

    deinit {
        av_parser_close(parser)
        var context: UnsafeMutablePointer<AVCodecContext>? = context
        avcodec_free_context(&context)
    }

    /// Returns whether the next packet of the stream begins with a field.
    func isField(_ packet: AVPacket) -> Bool {
        guard packet.size > 0, let data = packet.data else { return false }
        var output: UnsafeMutablePointer<UInt8>?
        var outputSize: Int32 = 0
        let (size, none) = (packet.size, PH_NOPTS)
        av_parser_parse2(parser, context, &output, &outputSize, data, size, none, none, -1)
        let structure = parser.pointee.picture_structure
        return structure == AV_PICTURE_STRUCTURE_TOP_FIELD || structure == AV_PICTURE_STRUCTURE_BOTTOM_FIELD
    }
}
