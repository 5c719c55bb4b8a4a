import Foundation
import Playhead

/// One thing to play.
struct Input: Sendable {
    /// As the user wrote it, for messages.
    let name: String
    let url: URL

    var isStandardInput: Bool { name == "-" }

    /// nil for what can be no URL at all.
    init?(_ argument: String) {
        if argument == "-" {
            guard let url = URL(string: "-") else { return nil }
            (name, self.url) = (argument, url)
        } else if argument.contains("://") {
            guard let url = URL(string: argument), url.scheme != nil else { return nil }
            (name, self.url) = (Self.withoutCredentials(url), url)
        } else {
            (name, self.url) = (argument, URL(fileURLWithPath: argument, isDirectory: false))
        }
    }

    /// Messages end up in logs.
    private static func withoutCredentials(_ url: URL) -> String {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else {
            return url.absoluteString
        }
        parts.user = nil
        parts.password = nil
        return parts.string ?? url.absoluteString
    }
}

/// What the arguments stand for, folders opened up.
struct InputList: Sendable {
    private(set) var inputs: [Input] = []
    /// Whole sentences about arguments that stand for nothing.
    private(set) var complaints: [String] = []

    init(_ arguments: [String]) {
        for argument in arguments {
            do {
                guard let files = try Self.files(inFolder: argument) else {
                    append(argument)
                    continue
                }
                if files.isEmpty { complaints.append("\(argument): there are no media files in this folder") }
                for file in files { append(file) }
            } catch {
                complaints.append("\(argument): \(error.localizedDescription)")
            }
        }
    }

    private mutating func append(_ argument: String) {
        if let input = Input(argument) {
            inputs.append(input)
        } else {
            complaints.append("\(argument): this is not a valid URL")
        }
    }

    /// nil when `path` is no folder. Sorted by name; nothing hidden, no folders inside.
    private static func files(inFolder path: String) throws -> [String]? {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
            return nil
        }
        let base = path.hasSuffix("/") ? path : path + "/"
        return try FileManager.default.contentsOfDirectory(atPath: path).filter(isMedia).sorted()
            .map { base + $0 }
    }

    private static func isMedia(_ name: String) -> Bool {
        guard !name.hasPrefix(".") else { return false }
        return mediaExtensions.contains(URL(fileURLWithPath: name).pathExtension.lowercased())
    }

    private static let mediaExtensions: Set<String> = [
        "3g2", "3gp", "aac", "ac3", "aif", "aiff", "amr", "asf", "avi", "caf", "dv", "eac3", "flac", "flv",
        "h264", "hevc", "ivf", "m2ts", "m2v", "m4a", "m4b", "m4v", "mka", "mkv", "mov", "mp2", "mp3", "mp4",
        "mpeg", "mpg", "mts", "mxf", "nut", "obu", "oga", "ogg", "ogv", "opus", "ts", "vob", "wav", "webm",
        "wma", "wmv", "y4m",
    ]
}
