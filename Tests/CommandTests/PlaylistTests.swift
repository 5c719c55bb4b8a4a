import Foundation
import MediaCore
import Playhead
import Testing

@testable import vplay

/// The order of a playlist, its repetition, and changes while it plays.
@Suite("Playlist")
struct PlaylistTests {
    /// Returns a list of entries with the identifiers 0, 1, ...
    private func list(_ count: Int, _ repeats: PlayOptions.Repeat) throws -> Playlist {
        var list = Playlist(repeats: repeats)
        for index in 0..<count { try add("\(index).mp4", to: &list) }
        return list
    }

    @discardableResult
    private func add(_ name: String, to list: inout Playlist, at index: Int? = nil) throws -> Int {
        let input = try #require(Input(name))
        return list.insert(input, Asset(url: input.url), at: index).id
    }

    @Test("A list repeats the requested number of times")
    func repeatsAsOftenAsRequested() throws {
        var list = try list(2, .times(2))
        var order: [Int] = []
        while let entry = list.next() {
            order.append(entry.id)
            list.notePlayed(entry.id)
        }
        #expect(order == [0, 1, 0, 1])
    }

    @Test("A repeated list without playable entries ends")
    func endsWithoutPlayableEntries() throws {
        var list = try list(3, .forever)
        var order: [Int] = []
        while let entry = list.next() { order.append(entry.id) }
        #expect(order == [0, 1, 2])
    }

    @Test("A repeated list ends once no entry is playable any more")
    func endsWhenNothingIsPlayableAnyMore() throws {
        var list = try list(2, .forever)
        list.notePlayed(0)
        #expect((0..<4).map { _ in list.next()?.id } == [0, 1, 0, 1])
        list.noteFailed(1)
        #expect(list.next()?.id == 0)
        list.noteFailed(0)
        #expect((0..<2).map { _ in list.next()?.id } == [1, nil])
    }

    @Test("An entry is moved before another one, as in mpv")
    func move() throws {
        let cases: [(from: Int, to: Int, order: [Int])] = [
            (0, 2, [1, 0, 2, 3]), (0, 4, [1, 2, 3, 0]), (3, 0, [3, 0, 1, 2]), (1, 1, [0, 1, 2, 3]),
            (1, 2, [0, 1, 2, 3]), (2, 99, [0, 1, 3, 2]),
        ]
        for (from, to, order) in cases {
            var list = try list(4, .times(1))
            list.move(from: from, to: to, current: nil)
            #expect(list.entries.map(\.id) == order, "from \(from) to \(to)")
        }
    }

    @Test("After any sequence of changes the entry after the current one is next", arguments: 0..<40)
    func changes(seed: UInt64) throws {
        var random = SplitMix64(seed)
        var list = try list(5, .times(1))
        var current = list.next()?.id
        for _ in 0..<60 {
            let count = list.entries.count
            switch Int.random(in: 0..<6, using: &random) {
            case 0: try add("new.mp4", to: &list, at: Int.random(in: 0...count, using: &random))
            case 1 where count > 1:
                let index = Int.random(in: 0..<count, using: &random)
                if list.entries[index].id != current { list.remove(at: index) }
            case 2 where count > 0:
                let (from, to) = (
                    Int.random(in: 0..<count, using: &random), Int.random(in: 0...count, using: &random)
                )
                list.move(from: from, to: to, current: current)
            case 3: list.shuffle(current: current, using: &random)
            case 4: list.removeAll(except: current)
            default:
                let next = list.next()?.id
                let index = try #require(current.flatMap { list.index(of: $0) })
                #expect(next == (index + 1 < count ? list.entries[index + 1].id : nil))
                guard let next else { return }
                current = next
            }
            // An insertion before the next entry does not become the next one by itself.
            list.follow(current)
            #expect(Set(list.entries.map(\.id)).count == list.entries.count)
            #expect(current.flatMap { list.index(of: $0) } != nil)
        }
    }

    @Test("M3U and PLS files are read, and relative paths are completed")
    func playlistFiles() {
        let m3u = "\u{FEFF}#EXTM3U\r\n#EXTINF:10,A\r\na b.mp4\r\n\r\n/x/c.mp4\r\nhttps://h/d.mp4\r\n"
        #expect(PlaylistFile.entries(in: m3u, folder: "/f") == ["/f/a b.mp4", "/x/c.mp4", "https://h/d.mp4"])
        let pls = "[playlist]\nNumberOfEntries=2\nFile1=a.mp4\nTitle1=A\nFile2=http://h/b=c.mp4\n"
        #expect(PlaylistFile.entries(in: pls, folder: "/f") == ["/f/a.mp4", "http://h/b=c.mp4"])
        #expect(PlaylistFile.entries(in: "", folder: "/f").isEmpty)
        #expect(PlaylistFile.entries(in: "a.mp4", folder: "") == ["a.mp4"])
    }
}
