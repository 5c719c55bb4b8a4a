import Dispatch
import Foundation
import MediaCore
import Playhead
import TestSupport
import Testing

@testable import vplay

/// When a file of a watched folder is complete. Times are given, so nothing waits.
@Suite("Watched files")
struct WatchedFilesTests {
    private static let second: Int64 = 1_000_000_000
    /// A date at which the tests take place, in seconds.
    private static let date: Int64 = 1_000_000

    private func file(_ name: String, bytes: Int64 = 10, changed: Int64) -> FolderScan.File {
        FolderScan.File(
            components: [Array(name.utf8)],
            path: Array("/f/\(name)".utf8),
            stamp: FileStamp(byteCount: bytes, changeTime: (Self.date + changed) * Self.second)
        )
    }

    /// Scans at a time in tenths of a second, and returns the names that joined and left.
    private func scan(_ files: inout WatchedFiles, _ present: [FolderScan.File], at tenths: Int64) -> String {
        let time = tenths * Self.second / 10
        let changes = files.update(present, at: time, date: Self.date * Self.second + time)
        let joined = changes.joined.map { "+" + String(decoding: $0.components[0], as: UTF8.self) }
        let left = changes.left.map { "-" + String(decoding: $0.dropFirst(3), as: UTF8.self) }.sorted()
        return (joined + left).joined(separator: " ")
    }

    @Test("A file that has not changed for 2 s before the first scan is complete at once")
    func oldFile() {
        var files = WatchedFiles()
        #expect(scan(&files, [file("a", changed: -2), file("b", changed: -1)], at: 0) == "+a")
        #expect(files.nextTime == 2 * Self.second)
        #expect(scan(&files, [file("a", changed: -2), file("b", changed: -1)], at: 20) == "+b")
        #expect(files.nextTime == nil)
    }

    @Test("A file that grows joins 2 s after its last change, and an empty one never")
    func growingFile() {
        var files = WatchedFiles()
        for tenths in stride(from: Int64(0), through: 50, by: 10) {
            #expect(scan(&files, [file("a", bytes: tenths + 1, changed: tenths / 10)], at: tenths) == "")
        }
        #expect(scan(&files, [file("a", bytes: 51, changed: 5)], at: 69) == "")
        #expect(scan(&files, [file("a", bytes: 51, changed: 5)], at: 70) == "+a")
        #expect(
            scan(&files, [file("a", bytes: 51, changed: 5), file("e", bytes: 0, changed: 0)], at: 990) == ""
        )
    }

    @Test("A file whose writer pauses joins when it is closed, or after 30 s")
    func pausedWriter() {
        var files = WatchedFiles()
        let paths = ["a", "b"].map { Array("/f/\($0)".utf8) }
        for path in paths { files.noteWriting(path, isClosed: false) }
        let present = [file("a", changed: 0), file("b", changed: 0)]
        #expect(scan(&files, present, at: 0) == "")
        #expect(scan(&files, present, at: 100) == "")
        files.noteWriting(paths[0], isClosed: true)
        #expect(scan(&files, present, at: 101) == "+a")
        #expect(scan(&files, present, at: 299) == "")
        #expect(scan(&files, present, at: 300) == "+b")
    }

    @Test("A file that was renamed into the folder is complete at once, also in place of another one")
    func renamedFile() {
        var files = WatchedFiles()
        #expect(scan(&files, [], at: 0) == "")
        files.noteRenamed(Array("/f/a".utf8))
        #expect(scan(&files, [file("a", changed: 1)], at: 10) == "+a")
        files.noteRenamed(Array("/f/a".utf8))
        #expect(scan(&files, [file("a", bytes: 11, changed: 2)], at: 20) == "+a -a")
    }

    @Test("A file that changes leaves, and joins when it is complete; one that disappears leaves")
    func changedFile() {
        var files = WatchedFiles()
        #expect(scan(&files, [file("a", changed: -9), file("b", changed: -9)], at: 0) == "+a +b")
        #expect(scan(&files, [file("a", bytes: 11, changed: 1), file("b", changed: -9)], at: 10) == "-a")
        #expect(scan(&files, [file("a", bytes: 11, changed: 1)], at: 30) == "+a -b")
        #expect(scan(&files, [], at: 31) == "-a")
        #expect(scan(&files, [], at: 32) == "")
    }

    @Test("A clock that is wrong delays a file by 2 s at most")
    func wrongClock() {
        var files = WatchedFiles()
        let future = [file("a", changed: 9_999_999)]
        #expect(scan(&files, future, at: 0) == "")
        #expect(scan(&files, future, at: 20) == "+a")
    }

    @Test("A folder that takes the place of a watched one is watched", .timeLimit(.minutes(1)))
    func replacedFolder() async throws {
        let folder = try TemporaryFolder()
        let files = FileManager.default
        let path = folder.path("show")
        try files.createDirectory(atPath: path, withIntermediateDirectories: false)
        let (stream, continuation) = AsyncStream.makeStream(of: [FolderNotices.Notice].self)
        let queue = DispatchQueue(label: "test.folder")
        let notices = try #require(FolderNotices(on: queue) { continuation.yield($0) })
        let isWatched = queue.sync { notices.watch([Array(path.utf8)]) }
        try files.moveItem(atPath: path, toPath: folder.path("old"))
        try files.createDirectory(atPath: path, withIntermediateDirectories: false)
        let isWatchedAgain = queue.sync { notices.watch([Array(path.utf8)]) }
        #expect(isWatched && isWatchedAgain)
        // Notices of the former folder would have the path of the new one.
        try folder.write("old/former.mp4", Data([1]))
        try folder.write("show/clip.mp4", Data([1]))
        var closed: [String] = []
        for await batch in stream {
            for case .closed(let path) in batch { closed.append(String(decoding: path, as: UTF8.self)) }
            if closed.contains(path + "/clip.mp4") { break }
        }
        #expect(closed == [path + "/clip.mp4"])
        withExtendedLifetime(notices) {}
    }

    @Test("A change of a folder waits for the files of the change before it", .timeLimit(.minutes(1)))
    func order() async {
        let changes = TaskSequence()
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let (finished, ending) = AsyncStream.makeStream(of: String.self)
        changes.add {
            for await _ in gate {}
            ending.yield("joined")
        }
        changes.add {
            ending.yield("left")
            ending.finish()
        }
        opening.finish()
        var order: [String] = []
        for await change in finished { order.append(change) }
        #expect(order == ["joined", "left"])
    }

    @Test("Laps in which nothing was played are followed by waits of 1 s to 60 s")
    func delays() {
        let delays = (1...9).map { PlaySession.delay(afterEmptyLaps: $0) }
        #expect(delays == [1, 2, 4, 8, 16, 32, 60, 60, 60])
        #expect(PlaySession.delay(afterEmptyLaps: .max) == 60)
    }

    @Test("A file that fails while the session waits replaces the next attempt instead of adding one")
    func attempts() throws {
        var playlist = Playlist(repeats: .forever)
        playlist.skipsBroken = true
        let input = try #require(Input("/f/a.mp4"))
        playlist.insert(input, Asset(url: input.url))
        var state = PlaySession.State(playlist: playlist)
        #expect(state.playlist.next()?.id == 0)
        state.playlist.noteFailed(0)
        let first = state.beginWaiting()
        // Another file has appeared, and has failed, too.
        let second = state.beginWaiting()
        #expect(first == 1 && second == 2)
        let isEarlyAttempt = state.retry(afterLap: 1)
        #expect(!isEarlyAttempt)
        #expect(state.playlist.next()?.id == nil)
        let isAttempt = state.retry(afterLap: 2)
        #expect(isAttempt)
        #expect(state.playlist.next()?.id == 0)
        state.isWaiting = false
        let isLateAttempt = state.retry(afterLap: 2)
        #expect(!isLateAttempt)
    }

    @Test("Files of other folders that appear before that of the saved position do not begin to play")
    func savedFolder() throws {
        var playlist = Playlist(repeats: .forever)
        let files = try ["/f/a.mp4", "/g/b.mp4", "/h/c.mp4"].map { path in try #require(Input(path)) }
        let added = files.map { ($0, Asset(url: $0.url)) }
        playlist.insert(files[0], added[0].1)
        var state = PlaySession.State(playlist: playlist)
        state.resume = ResumeState(location: "/f/a.mp4", index: 0, position: .seconds(12.5))
        let isListed = !state.beginWaitingForSavedFile()
        #expect(isListed)
        state.resume?.location = "/h/c.mp4"
        let isWaiting = state.beginWaitingForSavedFile()
        #expect(isWaiting)
        let other = state.apply([added[1]], left: [])
        #expect(other?.isWaiting == true && other?.index == nil)
        var late = state
        let isLate = late.endWaitingForSavedFile()
        #expect(isLate)
        #expect(late.playlist.next()?.input.argument == "/f/a.mp4")
        let saved = state.apply([added[2]], left: [])
        #expect(saved?.isWaiting == true && saved?.index == 2)
        #expect(state.playlist.next()?.input.argument == "/h/c.mp4")
        let isStillWaiting = state.endWaitingForSavedFile()
        #expect(!isStillWaiting)
    }

    @Test("The entry of a saved position is tried again first, and then the entries before it")
    func savedPosition() throws {
        var playlist = Playlist(repeats: .forever)
        playlist.skipsBroken = true
        for name in ["/f/a.mp4", "/f/b.mp4"] {
            let input = try #require(Input(name))
            playlist.insert(input, Asset(url: input.url))
        }
        var state = PlaySession.State(playlist: playlist)
        state.resume = ResumeState(location: "/f/b.mp4", index: 1, position: .seconds(12.5))
        for id in 0...1 {
            #expect(state.playlist.next()?.id == id)
            state.playlist.noteFailed(id)
        }
        let next = state.beginWaiting()
        let lap = try #require(next)
        let isAttempt = state.retry(afterLap: lap)
        #expect(isAttempt)
        #expect(state.playlist.next()?.id == 1)
        state.playlist.noteFailed(1)
        #expect(state.playlist.next()?.id == 0)
    }

    @Test("A file of the saved position that appears during an interruption is the first one after it")
    func savedPositionAfterInterruption() throws {
        var playlist = Playlist(repeats: .forever)
        playlist.skipsBroken = true
        let files = try ["/f/a.mp4", "/f/b.mp4", "/f/c.mp4"].map { path in try #require(Input(path)) }
        playlist.insert(files[0], Asset(url: files[0].url))
        var state = PlaySession.State(playlist: playlist)
        state.resume = ResumeState(location: "/f/c.mp4", index: 2, position: .seconds(12.5))
        #expect(state.playlist.next()?.id == 0)
        state.playlist.noteFailed(0)
        let lap = state.beginWaiting()
        #expect(lap == 1)
        state.playlist.merge(files[1...].map { ($0, Asset(url: $0.url)) })
        let wasWaiting = state.endWaiting()
        #expect(wasWaiting)
        #expect(state.playlist.next()?.input.argument == "/f/c.mp4")
        state.isWaiting = false
        let isWaiting = state.endWaiting()
        #expect(!isWaiting)
    }
}
