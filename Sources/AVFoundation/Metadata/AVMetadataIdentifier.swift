/// A key of metadata with its key space.
public struct AVMetadataIdentifier: RawRepresentable, Hashable, Sendable {
    /// The key space, a slash and the key.
    public let rawValue: String
    /// Creates an identifier.
    ///
    /// - Parameter rawValue: The key space, a slash and the key.
    public init(rawValue: String) { self.rawValue = rawValue }

    init(_ key: String, in space: AVMetadataKeySpace) {
        rawValue = space == .id3 ? "id3/\(key)" : "\(space.rawValue)/\(key)"
    }
    private init(_ key: AVMetadataKey) { self.init(key.rawValue, in: .common) }

    /// The title.
    public static let commonIdentifierTitle = AVMetadataIdentifier(.commonKeyTitle)
    /// The creator.
    public static let commonIdentifierCreator = AVMetadataIdentifier(.commonKeyCreator)
    /// The description.
    public static let commonIdentifierDescription = AVMetadataIdentifier(.commonKeyDescription)
    /// The publisher.
    public static let commonIdentifierPublisher = AVMetadataIdentifier(.commonKeyPublisher)
    /// The date of creation.
    public static let commonIdentifierCreationDate = AVMetadataIdentifier(.commonKeyCreationDate)
    /// The type, such as the genre.
    public static let commonIdentifierType = AVMetadataIdentifier(.commonKeyType)
    /// The language.
    public static let commonIdentifierLanguage = AVMetadataIdentifier(.commonKeyLanguage)
    /// The copyright.
    public static let commonIdentifierCopyrights = AVMetadataIdentifier(.commonKeyCopyrights)
    /// The name of the album.
    public static let commonIdentifierAlbumName = AVMetadataIdentifier(.commonKeyAlbumName)
    /// The artist.
    public static let commonIdentifierArtist = AVMetadataIdentifier(.commonKeyArtist)
    /// The maker of the camera.
    public static let commonIdentifierMake = AVMetadataIdentifier(.commonKeyMake)
    /// The model of the camera.
    public static let commonIdentifierModel = AVMetadataIdentifier(.commonKeyModel)
    /// The software that wrote the file.
    public static let commonIdentifierSoftware = AVMetadataIdentifier(.commonKeySoftware)
    /// The location.
    public static let commonIdentifierLocation = AVMetadataIdentifier(.commonKeyLocation)
    /// The cover picture. Its value is data.
    public static let commonIdentifierArtwork = AVMetadataIdentifier(.commonKeyArtwork)

    /// The title in an ID3 tag (`TIT2`).
    public static let id3MetadataTitleDescription = AVMetadataIdentifier("TIT2", in: .id3)
    /// The performer in an ID3 tag (`TPE1`).
    public static let id3MetadataLeadPerformer = AVMetadataIdentifier("TPE1", in: .id3)
    /// The album in an ID3 tag (`TALB`).
    public static let id3MetadataAlbumTitle = AVMetadataIdentifier("TALB", in: .id3)
    /// A text in an ID3 tag whose name is in the extra attributes (`TXXX`).
    public static let id3MetadataUserText = AVMetadataIdentifier("TXXX", in: .id3)
    /// Data in an ID3 tag whose owner is in the extra attributes (`PRIV`).
    public static let id3MetadataPrivate = AVMetadataIdentifier("PRIV", in: .id3)
}
