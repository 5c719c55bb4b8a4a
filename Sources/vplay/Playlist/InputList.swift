import FoundationEssentials
import Glibc
import PlayheadCore
import PlayheadPicker

/// The inputs that arguments name. A folder is replaced by the media files in it, and a playlist file by its entries.
struct InputList: Sendable {
    private(set) var inputs: [Input] = []
    /// The playlist files that name inputs.
    private(set) var playlists: [Input] = []
    /// Messages about arguments that name no input.
    private(set) var problems: [String] = []
    /// The folders that are not listed, with the numbers of their arguments.
    private(set) var folders: [(argument: String, source: Int)] = []
    /// The rank after the last one.
    private(set) var endRank: InputRank

    /// The kinds of files that are listed from a folder.
    enum FileFilter: Hashable, Sendable {
        /// Video and audio.
        case withoutImages
        /// Video, audio and images. Images beside audio alone are its covers, and are omitted.
        case playable
        /// All media.
        case all
    }

    private let filter: FileFilter
    private let isRecursive: Bool
    private let omitsFolders: Bool
    /// The playlist files that are being read, each inside of the one before.
    private var openPlaylists: [FileIdentity?] = []

    /// The largest depth of playlists in playlists.
    private static let maximumDepth = 8
    /// The largest number of inputs that playlists may have.
    private static let maximumCount = 100_000

    /// Reads folders and playlist files.
    ///
    /// - Parameters:
    ///   - arguments: Paths and URLs.
    ///   - filter: The kinds of files that are listed from a folder.
    ///   - isRecursive: Whether the folders in a folder are listed, too.
    ///   - source: The number of the first argument; see `InputRank`.
    ///   - omitsFolders: Whether arguments that are folders, or do not exist, are not listed, but returned in `folders`.
    ///   - readsPlaylists: Whether every argument is a playlist file, whatever its name.
    init(
        _ arguments: [String],
        _ filter: FileFilter = .playable,
        isRecursive: Bool = false,
        source: Int = 0,
        omitsFolders: Bool = false,
        readsPlaylists: Bool = false
    ) {
        self.filter = filter
        self.isRecursive = isRecursive
        self.omitsFolders = omitsFolders
        endRank = InputRank(source: source, number: 0)
        for argument in arguments {
            if omitsFolders, Self.isFolder(argument) {
                folders.append((argument, endRank.source))
            } else {
                append(argument, nil, isPlaylist: readsPlaylists)
            }
            endRank = InputRank(source: endRank.source + 1, number: 0)
        }
    }

    private mutating func append(_ argument: String, _ duration: MediaTime?, isPlaylist: Bool = false) {
        if let folder = RawArguments.bytes(of: argument) ?? Self.path(argument) {
            do throws(FolderScan.Failure) {
                return append(try FolderScan(folder, isRecursive: isRecursive), argument)
            } catch {
                // Other errors concern a file as well, and its input reports them.
                var status = stat()
                let isFolder =
                    folder.withCString { stat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFDIR
                if isFolder { return problems.append("\(oneLine(argument)): \(error.message)") }
            }
        }
        guard var input = Input(argument) else { return problems.append(Input.refusal(of: argument)) }
        if isPlaylist || PlaylistFile.isPlaylist(name: input.url.path), input.url.isFileURL, !input.isPipe {
            do throws(PlaylistFile.Failure) {
                return try appendPlaylist(input)
            } catch .presentation where !isPlaylist {
                // The player opens it.
            } catch {
                return problems.append("\(input.name): \(error.message)")
            }
        }
        input.isImage = Self.isImage(input)
        input.imageDuration = duration
        append(input)
    }

    /// Returns whether an argument is a folder, or a path at which there may be one later.
    private static func isFolder(_ argument: String) -> Bool {
        guard argument != "-", let path = RawArguments.bytes(of: argument) ?? path(argument) else {
            return false
        }
        var status = stat()
        guard path.withCString({ stat($0, &status) }) == 0 else { return errno == ENOENT }
        return status.st_mode & S_IFMT == S_IFDIR
    }

    private static func path(_ argument: String) -> [UInt8]? {
        argument.isEmpty || argument.contains("://") ? nil : Array(argument.utf8)
    }

    private mutating func append(_ input: Input) {
        var input = input
        input.rank = endRank
        endRank.number += 1
        inputs.append(input)
    }

    private mutating func append(_ scan: FolderScan, _ argument: String) {
        let found = scan.files.map { ($0, MediaContents(ofFile: $0.path)) }.filter { $0.1 != nil }
        let showsImages: Bool
        switch filter {
        case .withoutImages: showsImages = false
        case .all: showsImages = true
        case .playable:
            let hasAudio = found.contains { $0.1 == .kind(.audio) }
            showsImages = !hasAudio || found.contains { $0.1 == .container || $0.1 == .kind(.video) }
        }
        let chosen = found.filter { showsImages || $0.1 != .kind(.image) }
        if chosen.isEmpty { problems.append("\(oneLine(argument)): no media files in this folder") }
        for (file, contents) in chosen {
            guard var input = Input(RawArguments.text(for: file.path.map { CChar(bitPattern: $0) })) else {
                continue
            }
            input.isImage = contents == .kind(.image) || input.hasImageName
            append(input)
        }
    }

    private mutating func appendPlaylist(_ input: Input) throws(PlaylistFile.Failure) {
        let path = input.pathBytes
        let identity = FileIdentity(path: input.url.path)
        guard openPlaylists.count < Self.maximumDepth else {
            return problems.append(
                "\(input.name): more than \(Self.maximumDepth) playlists inside of each other"
            )
        }
        guard identity == nil || !openPlaylists.contains(identity) else {
            return problems.append("\(input.name): the playlist contains itself")
        }
        let file = try PlaylistFile(path: path)
        playlists.append(input)
        let folder = path.lastIndex(of: UInt8(ascii: "/")).map { Array(path[..<max(1, $0)]) } ?? []
        openPlaylists.append(identity)
        defer { openPlaylists.removeLast() }
        if file.entries.isEmpty { problems.append("\(input.name): the playlist is empty") }
        for entry in file.entries {
            guard inputs.count < Self.maximumCount else {
                return problems.append("\(input.name): more than \(Self.maximumCount) entries")
            }
            let argument = file.argument(for: entry, folder: folder) { path in
                path.withCString { access($0, F_OK) } == 0
            }
            append(argument, entry.duration)
        }
    }

    private static func isImage(_ input: Input) -> Bool {
        if input.hasImageName { return true }
        guard input.url.isFileURL, !input.isPipe else { return false }
        return MediaContents(ofFile: input.pathBytes) == .kind(.image)
    }
}

extension Input {
    /// The name extensions of image formats that containers for video share, and of images on servers.
    private static let imageExtensions: Set<String> = [
        "jpg", "jpeg", "png", "webp", "bmp", "tif", "tiff", "gif", "avif", "heic", "heif",
    ]

    /// Whether the name has the extension of an image format.
    var hasImageName: Bool { Self.imageExtensions.contains(url.pathExtension.lowercased()) }
}
