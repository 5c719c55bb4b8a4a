import MediaCore
import Playhead
import PlayheadTesting
import Testing

@testable import AVFoundation

@Suite("AVPlayerItemLegibleOutput and AVPlayerItemMetadataOutput")
struct AVPlayerItemLegibleOutputTests {
    private final class Delegate: NSObject, AVPlayerItemLegibleOutputPushDelegate,
        AVPlayerItemMetadataOutputPushDelegate
    {
        let log = Locked<[String]>([])

        func outputSequenceWasFlushed(_ output: AVPlayerItemOutput) { add("flushed") }

        func legibleOutput(
            _ output: AVPlayerItemLegibleOutput,
            didOutputAttributedStrings strings: [NSAttributedString],
            nativeSampleBuffers nativeSamples: [Any],
            forItemTime itemTime: CMTime
        ) {
            let texts = strings.map(\.string).joined(separator: "+")
            add("\(Int((itemTime.seconds * 1000).rounded())): \(texts)")
        }

        func metadataOutput(
            _ output: AVPlayerItemMetadataOutput,
            didOutputTimedMetadataGroups groups: [AVTimedMetadataGroup],
            from track: AVPlayerItemTrack?
        ) {
            for group in groups {
                let start = Int((group.timeRange.start.seconds * 1000).rounded())
                let items = group.items.map { item in
                    let value = item.stringValue ?? item.dataValue.map { "\($0.count) bytes" } ?? "-"
                    let info = (item.extraAttributes?[.info] as? String).map { "(\($0))" } ?? ""
                    return "\(item.identifier!.rawValue)\(info)=\(value)"
                }
                add("\(start): \(items.joined(separator: " "))\(track == nil ? "" : " of a track")")
            }
        }

        func add(_ line: String) { log.withLock { $0.append(line) } }

        func lines() -> [String] {
            log.withLock { log in
                defer { log = [] }
                return log
            }
        }
    }

    private static let subtitled = ScriptedMedia(
        video: .init(frameCount: 50, frameRate: 25, keyInterval: 10),
        cues: [
            .init("one", from: 100, to: 500), .init("two", from: 500, to: 900),
            .init("also two", from: 700, to: 1500),
        ]
    )

    private func select(_ item: AVPlayerItem) throws {
        let group = try #require(item.asset.mediaSelectionGroup(forMediaCharacteristic: .legible))
        item.select(group.options[0], in: group)
    }

    @Test("The release of the former handler of an output for text may change the output")
    func formerHandler() {
        final class Reader: Sendable {
            private let end: @Sendable () -> Void
            init(_ end: @escaping @Sendable () -> Void) { self.end = end }
            deinit { end() }
        }
        let ends = Locked(0)
        let (legible, metadata) = (LegibleOutput(), MetadataOutput())
        do {
            let reader = Reader {
                legible.setHandler(nil)
                ends.withLock { $0 += 1 }
            }
            legible.setHandler { _ in withExtendedLifetime(reader) {} }
        }
        do {
            let reader = Reader {
                metadata.setHandler(nil)
                ends.withLock { $0 += 1 }
            }
            metadata.setHandler { _ in withExtendedLifetime(reader) {} }
        }
        legible.setHandler(nil)
        metadata.setHandler(nil)
        #expect(ends.withLock { $0 } == 2)
    }

    @Test("The delegate gets all subtitles that are due, none after the last one, and flushes")
    func legible() throws {
        let bench = AdapterBench(Self.subtitled)
        let player = bench.make { AVPlayer(url: bench.url) }
        let item = player.currentItem!
        bench.run(0)
        try select(item)
        let (output, early) = (AVPlayerItemLegibleOutput(), AVPlayerItemLegibleOutput())
        let (delegate, earlyDelegate) = (Delegate(), Delegate())
        output.setDelegate(delegate, queue: nil)
        early.setDelegate(earlyDelegate, queue: .main)
        early.setDelegate(earlyDelegate, queue: nil)
        early.advanceIntervalForDelegateInvocation = 0.2
        item.add(output)
        item.add(early)
        #expect(item.outputs == [output, early] && output.delegate === delegate)
        #expect(early.advanceIntervalForDelegateInvocation == 0.2 && early.delegateQueue == nil)
        player.play()
        bench.run(3)
        let lines = ["100: one", "500: two", "700: two+also two", "900: also two", "1500: "]
        #expect(delegate.lines() == lines)
        // The times are those of the subtitles.
        #expect(earlyDelegate.lines() == lines)
        player.seek(to: CMTime(value: 8, timescale: 10), toleranceBefore: .zero, toleranceAfter: .zero)
        bench.run(0)
        #expect(delegate.lines() == ["flushed", "800: two+also two"])
        item.remove(output)
        item.remove(early)
        player.seek(to: .zero)
        player.play()
        bench.run(3)
        #expect(delegate.lines() == [] && item.outputs.isEmpty)
    }

    @Test("A notice that waits for the queue of a former delegate is delivered on that of the present one")
    func otherQueue() throws {
        let bench = AdapterBench(Self.subtitled)
        let player = bench.make { AVPlayer(url: bench.url) }
        let item = player.currentItem!
        bench.run(0)
        try select(item)
        let (output, delegate, other) = (AVPlayerItemLegibleOutput(), Delegate(), Delegate())
        let (first, second) = (DispatchQueue(label: "first"), DispatchQueue(label: "second"))
        first.suspend()
        second.suspend()
        output.setDelegate(delegate, queue: first)
        item.add(output)
        player.play()
        bench.run(0.2)
        output.setDelegate(other, queue: second)
        first.resume()
        first.sync {}
        #expect(delegate.lines() == [] && other.lines() == [])
        second.resume()
        second.sync {}
        #expect(delegate.lines() == [] && other.lines() == ["100: one"])
    }

    @Test("A subtitle is not delivered twice if its output is added again or its item is played again")
    func again() throws {
        let bench = AdapterBench(Self.subtitled)
        let player = bench.make { AVPlayer(url: bench.url) }
        let item = player.currentItem!
        bench.run(0)
        try select(item)
        let (output, delegate) = (AVPlayerItemLegibleOutput(), Delegate())
        output.setDelegate(delegate, queue: nil)
        item.add(output)
        player.play()
        bench.run(0.6)
        player.pause()
        bench.run(0)
        #expect(delegate.lines() == ["100: one", "500: two"])
        item.remove(output)
        item.add(output)
        bench.run(0)
        #expect(delegate.lines().map { $0.drop { $0 != " " } } == [" two"])
        player.replaceCurrentItem(with: nil)
        bench.run(0)
        player.replaceCurrentItem(with: item)
        player.play()
        bench.run(0.2)
        #expect(delegate.lines() == ["700: two+also two"])
        // The subtitles of another item are not mixed with those of the first one.
        let url = bench.backend.add(
            ScriptedMedia(
                video: .init(frameCount: 50, frameRate: 25, keyInterval: 10),
                cues: [.init("other", from: 750, to: 800)]
            )
        )
        let other = bench.make { AVPlayerItem(url: url) }
        player.replaceCurrentItem(with: other)
        bench.run(0)
        try select(other)
        other.add(output)
        bench.run(3)
        #expect(delegate.lines() == ["750: other", "800: "])
    }

    @Test("An output for subtitles hides nothing, and is released without being removed")
    func releasing() throws {
        let bench = AdapterBench(Self.subtitled)
        weak var output: AVPlayerItemLegibleOutput?
        do {
            let player = bench.make { AVPlayer(url: bench.url) }
            let layer = AVPlayerLayer(player: player)
            layer.frame = CGRect(x: 0, y: 0, width: 16, height: 8)
            let added = AVPlayerItemLegibleOutput(mediaSubtypesForNativeRepresentation: [])
            added.suppressesPlayerRendering = true
            added.textStylingResolution = .sourceAndRulesOnly
            added.setDelegate(Delegate(), queue: nil)
            #expect(added.delegate == nil && added.textStylingResolution == .sourceAndRulesOnly)
            player.currentItem!.add(added)
            output = added
            bench.run(0.1)
            #expect(layer.isReadyForDisplay && added.suppressesPlayerRendering)
            let host = Double(bench.driver.clock.now.nanoseconds) / 1e9
            #expect(added.itemTime(forHostTime: host) == player.currentTime())
            #expect(AVPlayerItem(asset: player.currentItem!.asset).outputs.isEmpty)
        }
        bench.run(0)
        #expect(output == nil)
    }

    @Test("An output that is added to another item moves")
    func moving() throws {
        let bench = AdapterBench(Self.subtitled)
        let items = bench.make { (0..<2).map { _ in AVPlayerItem(url: bench.url) } }
        let output = AVPlayerItemLegibleOutput()
        items[0].add(output)
        items[1].add(output)
        #expect(items[0].outputs.isEmpty && items[1].outputs == [output])
    }

    @Test("An output for metadata keeps suppressesPlayerRendering")
    func metadataSuppression() {
        let output = AVPlayerItemMetadataOutput()
        #expect(!output.suppressesPlayerRendering)
        output.suppressesPlayerRendering = true
        #expect(output.suppressesPlayerRendering)
    }

    @Test("Chapters are delivered when they begin, and only the requested identifiers")
    func chapters() {
        var media = ScriptedMedia.silentClip()
        media.chapters = [
            Chapter(title: "Start", timeRange: MediaTimeRange(start: .zero, duration: .ms(700))),
            Chapter(title: "End", timeRange: MediaTimeRange(start: .ms(700), duration: .ms(1300))),
        ]
        let bench = AdapterBench(media)
        let item = bench.make { AVPlayerItem(url: bench.url) }
        let titles = [AVMetadataIdentifier.commonIdentifierTitle.rawValue]
        let (output, others) = (
            AVPlayerItemMetadataOutput(identifiers: titles),
            AVPlayerItemMetadataOutput(identifiers: ["id3/TIT2"])
        )
        let (delegate, otherDelegate) = (Delegate(), Delegate())
        output.setDelegate(delegate, queue: nil)
        others.setDelegate(otherDelegate, queue: nil)
        item.add(output)
        item.add(others)
        let player = bench.make { AVPlayer(playerItem: item) }
        player.play()
        bench.run(1)
        #expect(delegate.lines() == ["0: comn/title=Start", "700: comn/title=End"])
        #expect(otherDelegate.lines() == [])
        player.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero)
        bench.run(0)
        #expect(delegate.lines() == ["flushed", "0: comn/title=Start"])
    }

    @Test(
        "A text has a number only if it is one",
        arguments: [("12", 12), ("-2.5", -2.5), ("nan", nil), ("Infinity", nil), ("", nil), ("Song", nil)]
            as [(String, Double?)]
    )
    func numbers(text: String, number: Double?) {
        #expect(AVMetadataItem("title", text).numberValue?.doubleValue == number)
    }

    @Test("ID3 entries have Apple's identifiers, keys and extra attributes")
    func id3() {
        func item(_ key: String, _ value: String) -> AVMetadataItem {
            AVMetadataItem(
                key,
                value,
                during: MediaTimeRange(start: .ms(500), duration: .indefinite),
                isID3: true
            )
        }
        let title = item("TIT2", "Song")
        #expect(title.identifier == .id3MetadataTitleDescription && title.commonKey == .commonKeyTitle)
        #expect(title.keySpace == .id3 && title.key as? NSString == "TIT2" && title.extraAttributes == nil)
        #expect(title.time == CMTime(value: 1, timescale: 2) && title.duration.isIndefinite)
        let text = item("TXXX:mood", "calm")
        #expect(text.identifier == .id3MetadataUserText && text.stringValue == "calm")
        #expect(text.extraAttributes?[.info] as? String == "mood" && text != item("TXXX:key", "calm"))
        let data = item("PRIV:owner:a", "00ff7f")
        #expect(data.identifier == .id3MetadataPrivate && data.stringValue == nil)
        #expect(
            data.dataValue == Data([0, 255, 127]) && data.value as? NSData == Data([0, 255, 127]) as NSData
        )
        #expect(data.extraAttributes?[.info] as? String == "owner:a")
        #expect(item("APIC", "xyz").dataValue == nil)
        #expect(
            AVMetadataItem.metadataItems(from: [title, text], withKey: "TIT2", keySpace: .id3) == [title]
        )
    }
}
