/// The name of a metadata entry.
public struct AVMetadataKey: RawRepresentable, Hashable, Sendable {
    /// The text of the name.
    public let rawValue: String
    /// Creates a name.
    ///
    /// - Parameter rawValue: The text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The title.
    public static let commonKeyTitle = AVMetadataKey(rawValue: "title")
    /// The creator, such as the composer.
    public static let commonKeyCreator = AVMetadataKey(rawValue: "creator")
    /// The description, or a comment.
    public static let commonKeyDescription = AVMetadataKey(rawValue: "description")
    /// The publisher.
    public static let commonKeyPublisher = AVMetadataKey(rawValue: "publisher")
    /// The date of creation.
    public static let commonKeyCreationDate = AVMetadataKey(rawValue: "creationDate")
    /// The type, such as the genre.
    public static let commonKeyType = AVMetadataKey(rawValue: "type")
    /// The language.
    public static let commonKeyLanguage = AVMetadataKey(rawValue: "language")
    /// The copyright.
    public static let commonKeyCopyrights = AVMetadataKey(rawValue: "copyrights")
    /// The name of the album.
    public static let commonKeyAlbumName = AVMetadataKey(rawValue: "albumName")
    /// The artist.
    public static let commonKeyArtist = AVMetadataKey(rawValue: "artist")
    /// The maker of the camera.
    public static let commonKeyMake = AVMetadataKey(rawValue: "make")
    /// The model of the camera.
    public static let commonKeyModel = AVMetadataKey(rawValue: "model")
    /// The software that wrote the file.
    public static let commonKeySoftware = AVMetadataKey(rawValue: "software")
    /// The location, by ISO 6709.
    public static let commonKeyLocation = AVMetadataKey(rawValue: "location")

    /// The cover picture. Its value is data.
    public static let commonKeyArtwork = AVMetadataKey(rawValue: "artwork")

    /// Returns the common key of an entry by its name in a key space, or nil.
    static func common(for name: String, in space: AVMetadataKeySpace = .ffmpeg) -> AVMetadataKey? {
        if space == .id3 {
            switch name {
            case "TIT2": return .commonKeyTitle
            case "TPE1": return .commonKeyArtist
            case "TALB": return .commonKeyAlbumName
            case "TCOM": return .commonKeyCreator
            case "TPUB": return .commonKeyPublisher
            case "TDRC", "TYER": return .commonKeyCreationDate
            case "TCON": return .commonKeyType
            case "TLAN": return .commonKeyLanguage
            case "TCOP": return .commonKeyCopyrights
            case "TSSE": return .commonKeySoftware
            default: return nil
            }
        }
        let prefix = "com.apple.quicktime."
        let name = name.lowercased()
        switch name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name {
        case "artwork": return .commonKeyArtwork
        case "title", "displayname": return .commonKeyTitle
        case "artist": return .commonKeyArtist
        case "album": return .commonKeyAlbumName
        case "composer", "author", "creator": return .commonKeyCreator
        case "comment", "description", "synopsis": return .commonKeyDescription
        case "publisher": return .commonKeyPublisher
        case "date", "creation_time", "creationdate": return .commonKeyCreationDate
        case "genre": return .commonKeyType
        case "language": return .commonKeyLanguage
        case "copyright": return .commonKeyCopyrights
        case "make": return .commonKeyMake
        case "model": return .commonKeyModel
        case "encoder", "software": return .commonKeySoftware
        case "location", "location.iso6709": return .commonKeyLocation
        default: return nil
        }
    }
}
