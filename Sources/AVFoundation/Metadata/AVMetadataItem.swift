public import CoreMedia
public import Foundation
import MediaCore
import Playhead

/// An entry of the metadata of an asset, such as its title.
///
/// `@unchecked Sendable`: its stored properties are constants of `Sendable` types.
public final class AVMetadataItem: NSObject, NSCopying, AVAsynchronousKeyValueLoading, @unchecked Sendable {
    private let name: String
    private let text: String?
    private let data: Data?
    /// The text that distinguishes entries with the same name: the name of an ID3 text, or the owner of private data.
    private let info: String?
    private let space: AVMetadataKeySpace
    private let range: CMTimeRange

    /// Creates an entry with FFmpeg's name of it.
    init(_ name: String, _ text: String, in space: AVMetadataKeySpace = .ffmpeg) {
        self.name = name
        self.text = text
        self.space = space
        (data, info, range) = (nil, nil, .invalid)
        super.init()
    }

    /// Creates an entry for an attached picture.
    ///
    /// - Parameters:
    ///   - artwork: The bytes of the image file.
    ///   - space: The key space.
    init(artwork: Data, in space: AVMetadataKeySpace) {
        name = AVMetadataKey.commonKeyArtwork.rawValue
        data = artwork
        self.space = space
        (text, info, range) = (nil, nil, .invalid)
        super.init()
    }

    /// Creates an entry that applies to a range of item time.
    init(_ key: String, _ written: String, during range: MediaTimeRange, isID3: Bool) {
        let parts = key.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        name = isID3 ? String(parts[0]) : key
        info = isID3 && parts.count > 1 ? String(parts[1]) : nil
        // Texts and links are written as they are, and other frames in hexadecimal digits.
        let isText = !isID3 || name.hasPrefix("T") || name.hasPrefix("W") && name != "WXXX"
        text = isText ? written : nil
        data = isText ? nil : Data(hexadecimal: written)
        space = isID3 ? .id3 : .ffmpeg
        self.range = CMTimeRange(range)
        super.init()
    }

    /// Returns the entry itself, which is immutable.
    ///
    /// - Parameter zone: Has no effect.
    /// - Returns: The entry.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The key that all containers have in common, or nil if there is none for the entry.
    public var commonKey: AVMetadataKey? { AVMetadataKey.common(for: name, in: space) }
    /// The key space of `key`.
    public var keySpace: AVMetadataKeySpace? { space }
    /// The key: an `NSString`.
    public var key: (any NSCopying & NSObjectProtocol)? { keyText as NSString }
    private var keyText: String { space == .common ? commonKey?.rawValue ?? name : name }

    /// The key and its key space. An entry of a container with a common key has the common one.
    public var identifier: AVMetadataIdentifier? {
        if space != .id3, let commonKey { return AVMetadataIdentifier(commonKey.rawValue, in: .common) }
        return AVMetadataIdentifier(keyText, in: space)
    }

    /// The name of a user-defined ID3 text (`TXXX`) and the owner of private data (`PRIV`), with the key `.info`; nil for
    /// other entries.
    public var extraAttributes: [AVMetadataExtraAttributeKey: Any]? { info.map { [.info: $0] } }

    /// The value: an `NSString`, or `NSData` for data that is not text.
    public var value: (any NSCopying & NSObjectProtocol)? {
        text.map { $0 as NSString } ?? data.map { $0 as NSData }
    }
    /// The value as text.
    public var stringValue: String? { text }
    /// The value as a number, or nil if it is none.
    public var numberValue: NSNumber? {
        // Texts such as "nan" and "Infinity" are values of `Double` too.
        guard let number = text.flatMap({ Double($0) }), number.isFinite else { return nil }
        return NSNumber(value: number)
    }
    /// The value as a date (ISO 8601, or a year), or nil if it is none.
    public var dateValue: Date? {
        guard let text else { return nil }
        let formatter = ISO8601DateFormatter()
        let options: [ISO8601DateFormatter.Options] = [
            .withInternetDateTime, [.withInternetDateTime, .withFractionalSeconds], .withFullDate,
        ]
        for option in options {
            formatter.formatOptions = option
            if let date = formatter.date(from: text) { return date }
        }
        guard let year = Int(text), 1...9999 ~= year else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar.date(from: DateComponents(year: year, month: 1, day: 1))
    }
    /// The value as data, such as the image file of a cover picture; nil for text.
    public var dataValue: Data? { data }
    /// Always nil: containers do not declare the language of an entry.
    public var locale: Locale? { nil }
    /// Always nil: containers do not declare the language of an entry.
    public var extendedLanguageTag: String? { nil }
    /// The start of the range of item time that the entry applies to; invalid for the whole asset.
    public var time: CMTime { range.start }
    /// The duration of that range: indefinite until another entry follows, and invalid for the whole asset.
    public var duration: CMTime { range.duration }

    /// Returns `.loaded`.
    ///
    /// - Parameters:
    ///   - key: The name of the property.
    ///   - outError: Not changed.
    /// - Returns: The status.
    public func statusOfValue(
        forKey key: String,
        error outError: UnsafeMutablePointer<NSError?>?
    ) -> AVKeyValueStatus { .loaded }

    /// Calls the handler.
    ///
    /// - Parameters:
    ///   - keys: The names of the properties.
    ///   - handler: Called before the method returns.
    @preconcurrency
    public func loadValuesAsynchronously(
        forKeys keys: [String],
        completionHandler handler: (@Sendable () -> Void)? = nil
    ) { handler?() }

    /// Returns the entries with an identifier.
    ///
    /// - Parameters:
    ///   - metadataItems: The entries.
    ///   - identifier: The identifier.
    /// - Returns: Some of them, in their order.
    public static func metadataItems(
        from metadataItems: [AVMetadataItem],
        filteredByIdentifier identifier: AVMetadataIdentifier
    ) -> [AVMetadataItem] { metadataItems.filter { $0.identifier == identifier } }

    /// Returns the entries with a key.
    ///
    /// - Parameters:
    ///   - metadataItems: The entries.
    ///   - key: The key: an `AVMetadataKey` or a text. Nil for any.
    ///   - keySpace: The key space. Nil for any.
    /// - Returns: Some of them, in their order.
    public static func metadataItems(
        from metadataItems: [AVMetadataItem],
        withKey key: Any?,
        keySpace: AVMetadataKeySpace?
    ) -> [AVMetadataItem] {
        let wanted = (key as? AVMetadataKey)?.rawValue ?? key as? String ?? (key as? NSString).map { "\($0)" }
        return metadataItems.filter { item in
            if key != nil, wanted == nil { return false }
            if keySpace == .common {
                return item.commonKey.map { wanted == nil || $0.rawValue == wanted } ?? false
            }
            return (keySpace == nil || item.keySpace == keySpace) && (wanted == nil || item.keyText == wanted)
        }
    }

    /// Returns whether both have the same key and value.
    ///
    /// - Parameter object: The other object.
    /// - Returns: True if they are equal.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? AVMetadataItem).map {
            ($0.name, $0.text, $0.data, $0.info) == (name, text, data, info) && $0.space == space
                && $0.range == range
        } ?? false
    }

    /// The hash of the key and the value.
    public override var hash: Int { [name, text].hashValue }
}

extension AVPartialAsyncProperty where Root: AVMetadataItem {
    /// The property for `AVMetadataItem.stringValue`.
    public static var stringValue: AVAsyncProperty<Root, String?> {
        AVAsyncProperty("stringValue") { $0.stringValue }
    }
    /// The property for `AVMetadataItem.dateValue`.
    public static var dateValue: AVAsyncProperty<Root, Date?> {
        AVAsyncProperty("dateValue") { $0.dateValue }
    }
    /// The property for `AVMetadataItem.dataValue`.
    public static var dataValue: AVAsyncProperty<Root, Data?> {
        AVAsyncProperty("dataValue") { $0.dataValue }
    }
}

extension Data {
    /// Creates data from hexadecimal digits, or nil if there are other characters.
    fileprivate init?(hexadecimal digits: String) {
        let values = digits.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard values.count == digits.utf8.count, values.count % 2 == 0 else { return nil }
        self.init(stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) })
    }
}
