internal import CFFmpeg
internal import MediaCore
internal import PlayheadBackend

/// Owns an AVDictionary. libav replaces the pointer whenever the dictionary changes.
final class OptionDictionary {
    var pointer: OpaquePointer?

    init(_ entries: [(String, String)] = []) {
        for (key, value) in entries { av_dict_set(&pointer, key, value, 0) }
    }

    deinit { av_dict_free(&pointer) }

    /// Returns a Swift copy of a libav dictionary. If a key occurs several times, the last value is used.
    static func read(_ dictionary: OpaquePointer?) -> [String: String] {
        var result: [String: String] = [:]
        var entry: UnsafeMutablePointer<AVDictionaryEntry>?
        while true {
            entry = av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX)
            guard let found = entry else { return result }
            guard let key = found.pointee.key, let value = found.pointee.value else { continue }
            result[String(cString: key)] = String(cString: value)
        }
    }
}
