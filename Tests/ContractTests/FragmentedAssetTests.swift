import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

@Suite("Contract: growing files", .enabled(if: Fixture.areThere, "make fixtures"))
struct FragmentedAssetTests {
    /// A growing file of up to three fragments from the fixture, and its duration with each number of fragments.
    private final class GrowingFile {
        private let folder: TemporaryFolder
        var file: URL { folder.file("growing.mp4") }
        private let bytes: [UInt8]
        private let ends: [Int]

        init() throws {
            folder = try TemporaryFolder()
            let bytes = [UInt8](try Data(contentsOf: Fixture.url("clip-fragmented.mp4")))
            let mark = Array("moof".utf8)
            let starts = (4..<bytes.count - 4).filter { Array(bytes[$0..<$0 + 4]) == mark }.map { $0 - 4 }
            self.bytes = bytes
            ends = starts + [bytes.count]
        }

        func write(_ fragments: Int) throws { try Data(bytes[..<ends[fragments]]).write(to: file) }

        func duration(_ fragments: Int) async throws -> MediaTime {
            try write(fragments)
            let asset = Asset(url: file)
            try await asset.load()
            return asset.duration
        }
    }

    /// Collects the notifications of one asset.
    private final class Told {
        private let seen = Locked([String]())
        private var tokens: [any NSObjectProtocol] = []

        init(_ asset: FragmentedAsset) {
            let names = [
                (FragmentedAsset.durationDidChange, "duration"),
                (FragmentedAsset.containsFragmentsDidChange, "fragments"),
            ]
            for (name, line) in names {
                tokens.append(
                    NotificationCenter.default.addObserver(forName: name, object: asset, queue: nil) {
                        [seen] _ in
                        seen.withLock { $0.append(line) }
                    }
                )
            }
        }

        deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }

        /// Returns the notifications since the last call.
        func lines() -> [String] {
            seen.withLock { lines in
                defer { lines = [] }
                return lines
            }
        }
    }

    @Test("Each check reports what was added since the last one, and known properties stay unchanged")
    func grows() async throws {
        let recording = try GrowingFile()
        var durations: [MediaTime] = []
        for count in 1...3 { durations.append(try await recording.duration(count)) }
        #expect(durations[0] < durations[1] && durations[1] < durations[2])
        try recording.write(0)

        let driver = ManualDriver()
        let asset = FragmentedAsset(url: recording.file)
        let reported = Told(asset)
        let minder = FragmentedAssetMinder(asset: asset, mindingInterval: 1, clock: .driver(driver))
        #expect(asset.isAssociatedWithFragmentMinder)
        // The notification has not been requested yet.
        driver.run(seconds: 1)
        #expect(asset.asset.status == .unknown)
        try await asset.load()
        let first = asset.asset
        #expect(first.canContainFragments && !first.containsFragments)
        #expect(first.duration == .indefinite)
        driver.run(seconds: 1)
        #expect(reported.lines() == [])

        try recording.write(1)
        driver.run(seconds: 0.9)
        #expect(reported.lines() == [])
        driver.run(seconds: 0.1)
        #expect(reported.lines() == ["fragments", "duration"])
        #expect(asset.containsFragments && asset.duration == durations[0])
        #expect(!first.containsFragments && first.duration == .indefinite)
        driver.run(seconds: 3)
        #expect(reported.lines() == [])

        try recording.write(2)
        minder.mindingInterval = 0.25
        driver.run(seconds: 0.25)
        #expect(reported.lines() == ["duration"])
        #expect(asset.duration == durations[1])

        // An asset that was removed reports nothing, and a file that currently cannot be opened changes nothing.
        minder.remove(asset)
        #expect(!asset.isAssociatedWithFragmentMinder && minder.assets.isEmpty)
        try recording.write(3)
        driver.run(seconds: 5)
        #expect(reported.lines() == [])
        try Data().write(to: recording.file)
        minder.add(asset)
        minder.add(asset)
        driver.run(seconds: 1)
        #expect(reported.lines() == [] && asset.duration == durations[1])
        try recording.write(3)
        driver.run(seconds: 1)
        #expect(reported.lines() == ["duration"])
        #expect(asset.duration == durations[2])
    }

    @Test("A minder that is released stops checking, and keeps no asset alive")
    func released() async throws {
        let recording = try GrowingFile()
        try recording.write(1)
        let driver = ManualDriver()
        let asset = FragmentedAsset(url: recording.file)
        try await asset.load()
        let reported = Told(asset)
        weak var released: FragmentedAssetMinder?
        do {
            let minder = FragmentedAssetMinder(asset: asset, mindingInterval: .nan, clock: .driver(driver))
            #expect(minder.mindingInterval == 10)
            minder.mindingInterval = -1
            #expect(minder.mindingInterval == 0.01)
            released = minder
        }
        #expect(released == nil)
        #expect(!asset.isAssociatedWithFragmentMinder)
        try recording.write(3)
        #expect(driver.run(atMost: 60))
        #expect(reported.lines() == [])
    }
}
