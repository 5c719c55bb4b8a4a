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

    /// Plays the next entry, and returns its ID.
    private func playNext(in list: inout Playlist) throws -> Int {
        let next = list.next()
        let id = try #require(next).id
        list.noteStarted(id)
        list.notePlayed(id)
        return id
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

    @Test(
        "A repeated list that is entered in its middle continues with the entries before, if the others fail"
    )
    func beginsInTheMiddle() throws {
        var list = try list(3, .forever)
        list.jump(to: 2)
        var order: [Int] = []
        while let entry = list.next() {
            order.append(entry.id)
            list.noteFailed(entry.id)
        }
        #expect(order == [2, 0, 1, 2])
    }

    @Test("A list that is entered at a saved position returns to the entries before once, if the others fail")
    func returnsToSkipped() throws {
        var list = try list(3, .times(1))
        list.resume(at: 1)
        var order: [Int] = []
        repeat {
            while let entry = list.next() {
                order.append(entry.id)
                list.noteFailed(entry.id)
            }
        } while list.returnToSkipped()
        #expect(order == [1, 2, 0, 1, 2])
        // At an index that a user has chosen, the list is only played from there.
        list.resume(at: 1)
        list.jump(to: 2)
        var returned = list.returnToSkipped()
        #expect(!returned)
        list.resume(at: 0)
        returned = list.returnToSkipped()
        #expect(!returned)
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

    @Test(
        "Entries that are inserted together are in order, and the next entry stays the same",
        arguments: [
            (0, [4, 5, 0, 1, 2, 3], 2), (2, [0, 1, 4, 5, 2, 3], 4), (9, [0, 1, 2, 3, 4, 5], 2),
            (nil, [0, 1, 2, 3, 4, 5], 2),
        ] as [(Int?, [Int], Int)]
    )
    func insertedTogether(index: Int?, order: [Int], next: Int) throws {
        var list = try list(4, .times(1))
        #expect((0..<2).map { _ in list.next()?.id } == [0, 1])
        let files = try ["a.mp4", "b.mp4"].map { name in
            let input = try #require(Input(name))
            return (input, Asset(url: input.url))
        }
        let added = list.insert(files, LoadOptions(), at: index)
        #expect(added.map(\.id) == [4, 5])
        #expect(list.entries.map(\.id) == order)
        #expect(list.next()?.id == next)
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

    // MARK: Shuffling

    @Test("The order of shuffled entries depends on the seed and the lap alone")
    func shuffledOrders() {
        // These values never change: several machines play in the same order.
        #expect(ShuffledOrder.permutation(of: 0, seed: 1, lap: 1) == [])
        #expect(ShuffledOrder.permutation(of: 1, seed: 1, lap: 9) == [0])
        let first = ShuffledOrder.permutation(of: 6, seed: 7, lap: 1)
        #expect(first == ShuffledOrder.permutation(of: 6, seed: 7, lap: 1))
        #expect(first != ShuffledOrder.permutation(of: 6, seed: 8, lap: 1))
        #expect(first != ShuffledOrder.permutation(of: 6, seed: 7, lap: 2))
    }

    @Test("No entry plays twice in a row across laps", arguments: 2..<9)
    func noRepetition(count: Int) {
        for seed in UInt64(0)..<50 {
            var last: Int?
            for lap in 1..<20 {
                let order = ShuffledOrder.permutation(of: count, seed: seed, lap: lap)
                #expect(order.sorted() == Array(0..<count))
                // Two entries keep their order.
                #expect(order.first != last, "\(count) entries, seed \(seed), lap \(lap)")
                last = order.last
            }
        }
    }

    @Test("A shuffled list has a new order in each round, and an entry that joins plays in the current one")
    func shuffledList() throws {
        var list = try list(5, .forever)
        list.shuffle(seed: 3)
        var laps: [[Int]] = [[], [], []]
        for lap in laps.indices {
            for _ in 0..<5 { laps[lap].append(try playNext(in: &list)) }
            #expect(laps[lap].sorted() == [0, 1, 2, 3, 4])
        }
        #expect(Set(laps).count > 1)
        let first = list.next()?.id
        let current = try #require(first)
        list.noteStarted(current)
        let input = try #require(Input("new.mp4"))
        list.merge([(input, Asset(url: input.url))])
        let rest = (0..<5).compactMap { _ in list.next()?.id }
        #expect(Set([current] + rest) == [0, 1, 2, 3, 4, 5])
    }

    @Test(
        "A user who leaves the last entry of a shuffled round reaches the first one of the next",
        arguments: 0..<9
    )
    func leavesRound(seed: UInt64) throws {
        var list = try list(5, .forever)
        list.shuffle(seed: seed)
        var last = 0
        for number in 1...5 {
            last = try playNext(in: &list)
            if number < 5 { #expect(list.index(by: 1, from: last) == number) }
        }
        // The player queues the first entry while the last one plays.
        let first = list.next()
        let queued = try #require(first).id
        let target = try #require(list.index(by: 1, from: last))
        list.jump(to: target)
        #expect(list.next()?.id == queued)
        let rest = (0..<4).compactMap { _ in list.next()?.id }
        #expect(Set([queued] + rest) == [0, 1, 2, 3, 4])
    }

    @Test(
        "The last entry of a shuffled round keeps its index in it while the next round begins",
        arguments: 0..<9
    )
    func indexInRound(seed: UInt64) throws {
        var list = try list(5, .forever)
        list.shuffle(seed: seed)
        var last = 0
        for number in 0..<5 {
            last = try playNext(in: &list)
            #expect(list.index(of: last, inRound: 1) == number)
        }
        // The player queues the first entry while the last one plays.
        let first = list.next()
        let queued = try #require(first).id
        #expect(list.index(of: queued, inRound: 2) == 0)
        #expect(list.index(of: last, inRound: 1) == 4)
        // An entry that is inserted now belongs to the next round.
        try add("new.mp4", to: &list, at: 0)
        #expect(list.index(of: last, inRound: 1) == 4)
        #expect(list.index(of: queued, inRound: 2) == 1)
        let index = try #require(list.index(of: last))
        list.remove(at: index)
        #expect(list.index(of: last, inRound: 1) == nil)
    }

    @Test(
        "A user who goes back from the last entry of a shuffled round reaches the one before it",
        arguments: 0..<9
    )
    func goesBackInRound(seed: UInt64) throws {
        var list = try list(5, .forever)
        list.shuffle(seed: seed)
        var lap: [Int] = []
        for _ in 0..<5 { lap.append(try playNext(in: &list)) }
        // The player queues the first entry of the next round, and a client appends an entry.
        #expect(list.next()?.id != nil)
        let added = try add("new.mp4", to: &list)
        list.returnToPastRound()
        #expect(list.entries.map(\.id) == lap + [added])
        #expect(list.round == 1)
        let target = try #require(list.index(by: -1, from: lap[4]))
        list.jump(to: target)
        #expect((0..<3).map { _ in list.next()?.id } == [lap[3], lap[4], added])
        // The next round has all entries.
        let round = (0..<6).compactMap { _ in list.next()?.id }
        #expect(Set(round) == [0, 1, 2, 3, 4, 5])
        #expect(list.round == 2)
    }

    @Test(
        "A user who leaves the last entry of a pass reaches the next pass, and not that after the last one",
        arguments: [nil, 3] as [UInt64?],
        [false, true]
    )
    func leavesPass(seed: UInt64?, isQueued: Bool) throws {
        var list = try list(4, .times(3))
        if let seed { list.shuffle(seed: seed) }
        for round in 1...3 {
            var lap: [Int] = []
            for _ in 0..<4 { lap.append(try playNext(in: &list)) }
            #expect(lap.sorted() == [0, 1, 2, 3])
            #expect(list.currentRound == round)
            // The player queues the first entry while the last one plays.
            if isQueued { _ = list.next() }
            let target = list.index(by: 1, from: lap[3])
            #expect((target == nil) == (round == 3))
            if let target { list.jump(to: target) }
        }
    }

    @Test(
        "The next and the previous entry of a single one is itself, if it is repeated",
        arguments: [false, true]
    )
    func singleEntry(isQueued: Bool) throws {
        for (repeats, isRepeated) in [(.forever, true), (.times(1), false)] as [(PlayOptions.Repeat, Bool)] {
            var list = try list(1, repeats)
            let id = try playNext(in: &list)
            if isQueued { _ = list.next() }
            #expect(list.index(by: 1, from: id) == (isRepeated ? 1 : nil))
            #expect(list.index(by: -1, from: id) == (isRepeated ? 0 : nil))
            guard isRepeated else { continue }
            for target in [1, 0] {
                list.jump(to: target)
                #expect(try playNext(in: &list) == id)
            }
        }
    }

    @Test("The next and the previous entry of one that has been removed are those that were beside it")
    func removedEntry() throws {
        var list = try list(3, .times(1))
        _ = try playNext(in: &list)
        let id = try playNext(in: &list)
        list.remove(at: 1)
        let next = try #require(list.indexToPlay(from: 1))
        list.jump(to: next)
        #expect(list.index(by: 1, from: id) == 1)
        #expect(list.index(by: -1, from: id) == 0)
        #expect(list.index(after: id) == 1)
        let last = list.entries[1].id
        list.move(from: 0, to: 2, current: id)
        #expect(list.next()?.id == last)
    }

    @Test(
        "An entry that is inserted while the last one of a shuffled round plays is the next one",
        arguments: 0..<9
    )
    func insertsAfterRound(seed: UInt64) throws {
        var list = try list(5, .forever)
        list.shuffle(seed: seed)
        #expect(list.index(after: nil) == 0)
        var last = 0
        for number in 1...5 {
            last = try playNext(in: &list)
            #expect(list.index(after: last) == number)
        }
        let first = list.next()
        let queued = try #require(first).id
        let index = list.index(after: last)
        let added = try add("new.mp4", to: &list, at: index)
        let follows = list.follow(last, queued: queued)
        #expect(!follows)
        #expect(list.next()?.id == added)
        #expect(list.next()?.id == queued)
    }

    // MARK: Files that come and go

    @Test("The queued entry still follows after a change elsewhere, also when it begins a round")
    func queuedEntry() throws {
        var list = try list(3, .forever)
        for id in 0..<3 {
            #expect(try playNext(in: &list) == id)
        }
        #expect(list.next()?.id == 0)
        #expect(list.round == 2)
        try add("new.mp4", to: &list, at: 1)
        let follows = list.follow(2, queued: 0)
        #expect(follows)
        #expect(list.round == 2)
        try add("last.mp4", to: &list)
        let followsStill = list.follow(2, queued: 0)
        #expect(!followsStill)
        #expect(list.round == 1)
        #expect(list.next()?.input.name == "last.mp4")
    }

    @Test(
        "A change during the last entry of a pass does not end the next one, whose first entry has failed",
        arguments: [nil, 3] as [UInt64?]
    )
    func firstEntryFails(seed: UInt64?) throws {
        var list = try list(4, .times(2))
        if let seed { list.shuffle(seed: seed) }
        var last = 0
        for _ in 0..<4 { last = try playNext(in: &list) }
        let first = list.next()
        let failed = try #require(first).id
        list.noteFailed(failed)
        let second = list.next()
        let queued = try #require(second).id
        #expect(list.currentRound == 1)
        // The entry that has failed is tried again.
        let follows = list.follow(last, queued: queued)
        #expect(!follows)
        #expect(list.next()?.id == failed)
        #expect(list.next()?.id == queued)
        #expect(list.round == 2)
        #expect(list.currentRound == 1)
        list.noteStarted(queued)
        #expect(list.currentRound == 2)
        #expect((0..<3).map { _ in list.next() != nil } == [true, true, false])
    }

    @Test("After all other entries are removed during the last one of a pass, no pass is lost")
    func clearedAtTheEnd() throws {
        var list = try list(3, .times(3))
        for id in 0..<3 {
            #expect(try playNext(in: &list) == id)
        }
        #expect(list.next()?.id == 0)
        list.removeAll(except: 2)
        let follows = list.follow(2, queued: 0)
        #expect(!follows)
        #expect((0..<3).map { _ in list.next()?.id } == [2, 2, nil])
    }

    @Test("No entry follows the last one after repeating is switched off", arguments: [nil, 3] as [UInt64?])
    func repeatingSwitchedOff(seed: UInt64?) throws {
        var list = try list(3, .forever)
        if let seed { list.shuffle(seed: seed) }
        var last = 0
        for _ in 0..<3 { last = try playNext(in: &list) }
        let first = list.next()
        let queued = try #require(first).id
        list.isLooping = false
        let follows = list.follow(last, queued: queued)
        #expect(!follows)
        #expect(list.round == 1)
        #expect(list.next()?.id == nil)
        list.isLooping = true
        let followsAgain = list.follow(last, queued: nil)
        #expect(!followsAgain)
        #expect(list.next()?.id != nil)
        #expect(list.round == 2)
    }

    @Test("Files that appear together have the order of files that appear one by one", arguments: 0..<20)
    func filesTogether(seed: UInt64) throws {
        var random = SplitMix64(seed)
        var added: [(Input, Asset)] = []
        for _ in 0..<30 {
            let number = Int.random(in: 0..<40, using: &random)
            var input = try #require(Input("\(number).mp4"))
            input.rank = InputRank(
                source: Int.random(in: 0..<2, using: &random),
                number: 0,
                path: [Array("\(number)".utf8)]
            )
            added.append((input, Asset(url: input.url)))
        }
        if seed.isMultiple(of: 2) { added.sort { $0.0.rank < $1.0.rank } }
        var together = try list(3, .forever)
        var separate = try list(3, .forever)
        together.merge(added)
        for file in added { separate.merge([file]) }
        #expect(together.entries.map(\.id) == separate.entries.map(\.id))
    }

    @Test("The time for files that appear together is not quadratic in their number", .timeLimit(.minutes(1)))
    func manyFiles() throws {
        var list = try list(0, .forever)
        var input = try #require(Input("a.mp4"))
        let asset = Asset(url: input.url)
        var added: [(Input, Asset)] = []
        for number in 0..<30_000 {
            input.rank = InputRank(source: 0, number: 0, path: [Array("\(number)".utf8)])
            added.append((input, asset))
        }
        list.merge(added)
        #expect(list.entries.map(\.id) == Array(0..<30_000))
    }

    @Test("A retired entry is not played again, and is removed once another one plays")
    func retiredEntry() throws {
        var list = try list(3, .forever)
        #expect(list.next()?.id == 0)
        list.noteStarted(0)
        list.notePlayed(0)
        list.retire([0])
        #expect(list.entries.count == 3)
        #expect(list.next()?.id == 1)
        list.noteStarted(1)
        #expect(list.entries.map(\.id) == [1, 2])
        #expect(list.next()?.id == 2)
    }
}
