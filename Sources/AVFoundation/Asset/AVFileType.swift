/// The type of a file, as a uniform type identifier.
///
/// Resource loader delegates set `AVAssetResourceLoadingContentInformationRequest.contentType` to such an identifier.
public struct AVFileType: RawRepresentable, Hashable, Sendable {
    /// The identifier.
    public let rawValue: String
    /// Creates a type from its identifier.
    ///
    /// - Parameter rawValue: The identifier.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates a type from its identifier.
    ///
    /// - Parameter rawValue: The identifier.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// MPEG-4.
    public static let mp4 = AVFileType(rawValue: "public.mpeg-4")
    /// QuickTime.
    public static let mov = AVFileType(rawValue: "com.apple.quicktime-movie")
    /// MPEG-4 with video, as iTunes writes it.
    public static let m4v = AVFileType(rawValue: "com.apple.m4v-video")
    /// MPEG-4 with audio alone, as iTunes writes it.
    public static let m4a = AVFileType(rawValue: "com.apple.m4a-audio")
    /// 3GPP.
    public static let mobile3GPP = AVFileType(rawValue: "public.3gpp")
    /// MPEG audio, layer 3.
    public static let mp3 = AVFileType(rawValue: "public.mp3")
    /// WAVE.
    public static let wav = AVFileType(rawValue: "com.microsoft.waveform-audio")
    /// AIFF.
    public static let aiff = AVFileType(rawValue: "public.aiff-audio")
    /// Core Audio Format.
    public static let caf = AVFileType(rawValue: "com.apple.coreaudio-format")
    /// AC-3.
    public static let ac3 = AVFileType(rawValue: "public.ac3-audio")
}
