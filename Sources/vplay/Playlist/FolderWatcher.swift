import Dispatch
import Glibc
import PlayheadCore
import PlayheadPicker

/// Follows a folder: reports the media files that are complete, and those that have gone.
///
/// `@unchecked Sendable`: the variables are only used on `queue`.
final class FolderWatcher: @unchecked Sendable {
    /// Complete inputs that have appeared, and paths that have disappeared or changed.
    struct Changes: Sendable {
        var joined: [Input]
        var left: Set<[UInt8]>
        /// Files whose contents are not media, by their names in messages.
        var rejected: [String]
    }

    private let path: [UInt8]
    private let name: String
    private let source: Int
    private let isRecursive: Bool
    private let filter: InputList.FileFilter
    private let queue: DispatchQueue
    private let handler: @Sendable (Changes) -> Void
    private let message: @Sendable (String) -> Void
    private var files = WatchedFiles()
    private var notices: FolderNotices?
    private var usesNotices = true
    private var isScanPending = false
    private var hasReportedAbsence = false
    private var timer: (any DispatchSourceTimer)?

    /// The time between a notice and a scan. A program that writes causes many notices.
    private static let scanDelay = DispatchTimeInterval.milliseconds(250)
    /// The time in milliseconds between scans with notices, which file systems of other machines do not send.
    private static let slowInterval: Int64 = 10_000
    /// The time in milliseconds between scans without notices.
    private static let fastInterval: Int64 = 1000

    /// Creates a watcher.
    ///
    /// - Parameters:
    ///   - argument: The folder as the user wrote it. It need not exist.
    ///   - source: The number of the argument; see `InputRank`.
    ///   - isRecursive: Whether the folders in the folder are followed, too.
    ///   - filter: The kinds of files.
    ///   - message: Receives warnings, on a queue of the watcher.
    ///   - handler: Receives changes, on a queue of the watcher.
    init(
        _ argument: String,
        source: Int,
        isRecursive: Bool,
        filter: InputList.FileFilter,
        message: @escaping @Sendable (String) -> Void,
        _ handler: @escaping @Sendable (Changes) -> Void
    ) {
        path = RawArguments.bytes(of: argument) ?? Array(argument.utf8)
        name = oneLine(argument)
        self.source = source
        self.isRecursive = isRecursive
        self.filter = filter
        self.message = message
        self.handler = handler
        queue = DispatchQueue(label: "vplay.folder")
    }

    /// Scans the folder, and follows it until the watcher is released.
    func start() {
        queue.async { [self] in
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.setEventHandler { [weak self] in self?.scan() }
            self.timer = timer
            notices = FolderNotices(on: queue) { [weak self] in self?.receive($0) }
            scan()
            timer.activate()
        }
    }

    func stop() {
        queue.async { [self] in
            timer?.cancel()
            timer = nil
            notices = nil
        }
    }

    private func receive(_ notices: [FolderNotices.Notice]) {
        for notice in notices {
            switch notice {
            case .writing(let path): files.noteWriting(path, isClosed: false)
            case .closed(let path): files.noteWriting(path, isClosed: true)
            case .renamed(let path): files.noteRenamed(path)
            case .other: break
            }
        }
        guard !isScanPending, !notices.isEmpty else { return }
        isScanPending = true
        queue.asyncAfter(deadline: .now() + Self.scanDelay) { [weak self] in
            self?.isScanPending = false
            self?.scan()
        }
    }

    private func scan() {
        guard let timer else { return }
        var found: FolderScan?
        do throws(FolderScan.Failure) {
            found = try FolderScan(path, isRecursive: isRecursive)
            hasReportedAbsence = false
        } catch {
            if !hasReportedAbsence { message("\(name): \(error.message); waiting for the folder") }
            hasReportedAbsence = true
        }
        let isWatched = notices?.watch(Set(found?.folders ?? [])) ?? false
        if !isWatched, usesNotices {
            usesNotices = false
            message("\(name): the limit of inotify is reached; the folder is read every second")
        }
        let now = Int64(clamping: DispatchTime.now().uptimeNanoseconds)
        var date = timespec()
        clock_gettime(CLOCK_REALTIME, &date)
        let changes = files.update(
            found?.files ?? [],
            at: now,
            date: Int64(date.tv_sec) * 1_000_000_000 + Int64(date.tv_nsec)
        )
        if !changes.isEmpty { report(changes) }
        let interval = isWatched && found != nil ? Self.slowInterval : Self.fastInterval
        let settled = files.nextTime.map { max(50, ($0 - now) / 1_000_000 + 1) }
        let delay = min(interval, settled ?? interval)
        timer.schedule(deadline: .now() + .milliseconds(Int(delay)), leeway: .milliseconds(20))
    }

    private func report(_ changes: WatchedFiles.Changes) {
        var result = Changes(joined: [], left: changes.left, rejected: [])
        for file in changes.joined {
            let text = RawArguments.text(for: file.path.map { CChar(bitPattern: $0) })
            guard var input = Input(text) else { continue }
            guard let contents = MediaContents(ofFile: file.path) else {
                if input.hasMediaName { result.rejected.append(input.name) }
                continue
            }
            input.isImage = contents == .kind(.image) || input.hasImageName
            if input.isImage, filter == .withoutImages { continue }
            input.rank = InputRank(source: source, number: 0, path: file.components)
            result.joined.append(input)
        }
        if !result.joined.isEmpty || !result.left.isEmpty || !result.rejected.isEmpty { handler(result) }
    }
}

extension Input {
    /// Whether the name says that the file is media.
    fileprivate var hasMediaName: Bool {
        [
            "mp4", "m4v", "mov", "mkv", "webm", "avi", "ts", "mpg", "mpeg", "mp3", "m4a", "wav", "flac",
            "ogg",
            "opus", "jpg", "jpeg", "png", "webp", "gif",
        ].contains { name.lowercased().hasSuffix("." + $0) }
    }
}
