import MediaCore
import TestSupport
import Testing

@testable import Network

// Rule: interleaving
/// Tests the scheduling of byte ranges without I/O. Sizes are small: a window of 400 bytes.
@Suite("Range scheduler")
struct RangeSchedulerTests {
    private final class Identity: Sendable {}

    /// A scheduler with what it is told about: the stored bytes, the readers, the responses.
    private struct Model {
        var scheduler: RangeScheduler
        var metadata = HTTPRepresentation.ResourceMetadata()
        var extents = Extents()
        let identities = (0..<6).map { _ in Identity() }
        /// The requests that were started and have neither ended nor been stopped.
        var live: Set<RangeScheduler.RequestID> = []
        var log: [RangeScheduler.Command] = []
        /// The readers that received the error that their byte is not sent again.
        var refused: [RangeScheduler.ReaderID] = []

        init(size: Int64? = 10_000, supportsRanges: Bool? = true, canRestart: Bool = true) {
            var policy = HTTPRepresentation.Policy()
            (policy.window, policy.initialWindow) = (400, 100)
            (policy.skipLimit, policy.seekBackTolerance) = (50, 20)
            scheduler = RangeScheduler(policy)
            metadata.byteCount = size
            metadata.supportsRanges = supportsRanges
            metadata.declaresByteCount = canRestart
            metadata.isKnown = supportsRanges != nil
        }

        func id(_ reader: Int) -> RangeScheduler.ReaderID { ObjectIdentifier(identities[reader]) }
        var stored: StoredRanges { StoredRanges(memory: RangeStore(byteLimit: 0), disk: extents) }
        func waits(_ reader: Int) -> Bool { scheduler[id(reader)]?.waitingOffset != nil }
        /// The ranges of the requests, in the order of their start.
        var ranges: [String] {
            scheduler.requests.map { "\($0.position)-\($0.end.map { String($0) } ?? "")" }
        }

        mutating func perform(_ commands: [RangeScheduler.Command]) {
            var commands = commands
            repeat {
                for command in commands {
                    switch command {
                    case .start(let id, _): #expect(live.insert(id).inserted)
                    case .stop(let id): #expect(live.remove(id) != nil)
                    case .resume(let id): #expect(live.contains(id))
                    }
                }
                log += commands
                let (next, refused) = scheduler.serveWaiting(stored, metadata)
                self.refused += refused
                commands = next
            } while !commands.isEmpty
        }

        mutating func read(_ reader: Int, at offset: Int64, count: Int64 = 10, seeks: UInt64 = 0) {
            let id = id(reader)
            if scheduler[id] == nil { scheduler.add(id) }
            scheduler.begin(id, aheadLimit: .max)
            if let size = metadata.byteCount, offset >= size { return }
            scheduler.move(id, to: offset, seekCount: seeks)
            let end = stored.contiguousEnd(from: offset, limit: count)
            if end > offset {
                perform(scheduler.consume(id, to: min(end, offset + count), stored, metadata))
            } else if let commands = scheduler.wait(id, stored, metadata) {
                perform(commands)
            } else {
                refused.append(id)
            }
        }

        /// Receives bytes of a request, and ends it if it has all of them.
        mutating func receive(_ request: RangeScheduler.RequestID, _ count: Int) {
            guard !scheduler.mustPause(request), let reception = scheduler.receive(count, request) else {
                return
            }
            for gap in extents.missing(in: reception.range) {
                extents.insert(Extent(start: gap.lowerBound, count: gap.count, checksum: 0))
            }
            if reception.isStopped { live.remove(request) }
            perform([])
            if let range = scheduler[request], range.position >= range.end ?? metadata.byteCount ?? .max {
                finish(request)
            }
        }

        mutating func finish(_ request: RangeScheduler.RequestID) {
            live.remove(request)
            _ = scheduler.finish(request, metadata)
            perform([])
            perform(scheduler.fetchAhead(stored, metadata))
        }

        mutating func fail(_ request: RangeScheduler.RequestID) {
            live.remove(request)
            for reader in scheduler.fail(request) { scheduler.stopWaiting(reader) }
            perform([])
        }

        func check(_ note: String) {
            let requests = scheduler.requests
            #expect(Set(requests.map(\.id)) == live, "\(note)")
            #expect(requests.count <= 3, "\(note)")
            let ranged = requests.filter { !$0.isSequential }.sorted { $0.position < $1.position }
            for range in ranged {
                #expect((range.end ?? .max) - range.position <= 400, "\(note): \(ranges)")
                #expect(range.end ?? .max <= metadata.byteCount ?? .max, "\(note): \(ranges)")
            }
            for (one, next) in zip(ranged, ranged.dropFirst()) {
                #expect((one.end ?? .max) <= next.position, "\(note): \(ranges)")
            }
            for reader in scheduler.readers where !scheduler.isServed(reader) {
                #expect(requests.count == 3, "\(note): \(ranges) waits at \(reader.waitingOffset ?? -1)")
            }
        }
    }

    // MARK: Tables

    @Test("A reader requests a window, waits after a short skip, and starts small after a jump")
    func moves() {
        for (offset, expected) in [
            (0, ["0-400"]), (50, ["0-400"]), (51, ["0-51", "51-151"]), (5000, ["0-400", "5000-5100"]),
            (9950, ["0-400", "9950-10000"]),
        ] as [(Int64, [String])] {
            var model = Model()
            model.read(0, at: 0)
            model.read(0, at: offset)
            #expect(model.ranges == expected)
        }
    }

    @Test("A reader that alternates between two positions keeps both windows, until it seeks")
    func alternates() {
        for (seeks, expected) in [(0, 400), (1, 100)] as [(UInt64, Int64)] {
            var model = Model()
            model.read(0, at: 0)
            model.read(0, at: 5000)
            #expect(model.scheduler[model.id(0)]?.offsets == [5000, 0])
            model.read(0, at: 40, seeks: seeks)
            #expect(model.scheduler[model.id(0)]?.readAhead == expected)
        }
    }

    @Test("Reading ahead begins when less than half of the window is stored")
    func readsAhead() {
        var model = Model()
        model.read(0, at: 0)
        model.receive(1, 400)
        #expect(model.ranges.isEmpty)
        model.read(0, at: 0, count: 200)
        #expect(model.ranges.isEmpty)
        model.read(0, at: 200, count: 1)
        #expect(model.ranges == ["400-800"])
        // Stored bytes are not requested again.
        var other = Model()
        other.extents.insert(Extent(start: 100, count: 50, checksum: 0))
        other.read(0, at: 0)
        #expect(other.ranges == ["0-100"])
    }

    @Test("A fourth position stops the request that was used least recently")
    func limit() {
        var model = Model()
        for reader in 0..<4 { model.read(reader, at: Int64(reader) * 1000) }
        #expect(model.ranges == ["1000-1100", "2000-2100", "3000-3100"])
        #expect(model.log.contains(.stop(1)))
        // The first reader is served when another request has ended.
        model.receive(2, 400)
        #expect(model.ranges == ["2000-2100", "3000-3100", "0-400"])
        // The same after a failure.
        model.read(5, at: 6000)
        model.fail(5)
        #expect(!model.waits(0))
        for reader in [2, 3, 5] { #expect(model.waits(reader)) }
        model.check("after a failure")
    }

    @Test("A reader that waits stops requests that are far ahead of their readers")
    func yields() {
        var model = Model()
        model.read(0, at: 0)
        model.receive(1, 100)
        model.read(1, at: 5000)
        #expect(model.ranges == ["5000-5100"])
        #expect(model.log == [.start(1, for: model.id(0)), .stop(1), .start(2, for: model.id(1))])
    }

    @Test("A request for the whole resource pauses a window ahead of its readers, and resumes at half of it")
    func sequential() {
        var model = Model(supportsRanges: false)
        model.read(0, at: 0)
        #expect(model.ranges == ["0-"])
        for _ in 0..<5 { model.receive(1, 100) }
        #expect(model.scheduler[1]?.isPaused == true)
        #expect(model.scheduler[1]?.position == 400)
        model.read(0, at: 189)
        #expect(!model.log.contains(.resume(1)))
        model.read(0, at: 190)
        #expect(model.log.last == .resume(1))
    }

    @Test("A byte that the server sends only once and has sent is refused")
    func onceOnly() {
        var model = Model(size: nil, supportsRanges: false, canRestart: false)
        model.scheduler.add(model.id(0))
        model.read(0, at: 0)
        #expect(model.refused == [model.id(0)])
        #expect(!model.waits(0))
    }

    @Test("Attempts without progress are limited and their delays double; progress resets them")
    func retries() {
        var model = Model()
        model.read(0, at: 0)
        func retry(_ delay: Int64? = nil, isTooSlow: Bool = false) -> RangeScheduler.Retry {
            model.scheduler.retry(1, after: delay, isTooSlow: isTooSlow, model.metadata)
        }
        #expect(retry() == .after(250_000_000))
        model.receive(1, 10)
        #expect(retry() == .after(250_000_000))
        model.scheduler.attempt(1)
        #expect(retry(7) == .after(7))
        #expect(retry() == .after(500_000_000))
        #expect(retry() == .never)
        model.scheduler.resetAttempts(1)
        model.receive(1, 10)
        #expect(retry(30_000_000_001) == .never)
        // Bytes that arrive too slowly are no progress.
        #expect(retry(isTooSlow: true) == .after(250_000_000))
    }

    @Test("A server that cannot be reached is tried again for a time, whatever the number of attempts")
    func unreachable() {
        var model = Model()
        model.read(0, at: 0)
        func pauses(_ limit: Int64) -> [Int64] {
            var pauses: [Int64] = []
            while case .after(let pause) = model.scheduler.retry(
                1,
                after: nil,
                isTooSlow: false,
                unreachableLimit: limit,
                model.metadata
            ) {
                pauses.append(pause / 1_000_000)
            }
            return pauses
        }
        #expect(pauses(10_000_000_000) == [250, 500, 1000, 2000, 2000, 2000, 2000, 250])
        // A response of any kind ends the series, and these attempts do not count as attempts at the response.
        #expect(
            model.scheduler.retry(1, after: nil, isTooSlow: false, model.metadata) == .after(250_000_000)
        )
        #expect(pauses(600_000_000) == [250, 350])
    }

    @Test("A request for the whole resource continues with a range, or from the start")
    func restarts() {
        for (supportsRanges, canRestart, expected) in [
            (true, true, "300-700"), (nil, true, "300-700"), (false, true, "0-10000"), (false, false, nil),
        ] as [(Bool?, Bool, String?)] {
            var model = Model(supportsRanges: supportsRanges, canRestart: canRestart)
            model.metadata.isKnown = false
            model.read(0, at: 0)
            model.scheduler.acceptWhole(1, 10_000)
            model.receive(1, 300)
            let retry = model.scheduler.retry(1, after: nil, isTooSlow: false, model.metadata)
            #expect((retry == .never) == (expected == nil))
            if let expected { #expect(model.ranges == [expected]) }
        }
    }

    @Test("A request for a live stream continues at the same offset, after a delay")
    func liveStream() {
        var model = Model(size: nil, supportsRanges: false, canRestart: false)
        (model.metadata.isKnown, model.metadata.isLiveStream) = (false, true)
        model.read(0, at: 0)
        model.scheduler.acceptWhole(1, nil)
        model.receive(1, 20_000)
        let retry = model.scheduler.retry(1, after: nil, isTooSlow: false, model.metadata)
        #expect(retry == .after(250_000_000))
        #expect(model.ranges == ["20000-"])
    }

    // MARK: Random sequences

    @Test(
        "Random events keep the promises of the scheduler, and every reader is served",
        arguments: Array(1...200 as ClosedRange<UInt64>).samples
    )
    func random(seed: UInt64) {
        var random = SplitMix64(seed)
        let knowsRanges = [true, false, nil].randomElement(using: &random) ?? nil
        var model = Model(size: knowsRanges == nil ? nil : 10_000, supportsRanges: knowsRanges)
        for step in 0..<300 {
            let note = "seed \(seed), step \(step)"
            let reader = Int.random(in: 0..<6, using: &random)
            let request = model.scheduler.requests.randomElement(using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0...2:
                let near = model.scheduler[model.id(reader)]?.offset ?? 0
                let offset = Bool.random(using: &random) ? near : Int64.random(in: 0..<9_500, using: &random)
                model.read(reader, at: offset, count: Int64.random(in: 1...300, using: &random))
            case 3:
                model.scheduler.remove(model.id(reader))
                model.perform(model.scheduler.stopUnread())
            case 4:
                guard let request else { continue }
                if request.position == 0, Bool.random(using: &random) {
                    model.scheduler.acceptWhole(request.id, 10_000)
                } else if !request.isSequential {
                    model.scheduler.acceptPart(request.id, before: request.position + 200)
                }
                (model.metadata.byteCount, model.metadata.isKnown) = (10_000, true)
                if model.metadata.supportsRanges == nil { model.metadata.supportsRanges = true }
                model.perform([])
            case 5:
                guard let request else { continue }
                let retry = model.scheduler.retry(request.id, after: nil, isTooSlow: false, model.metadata)
                if retry == .never { model.fail(request.id) } else { model.scheduler.attempt(request.id) }
                model.perform([])
            case 6:
                // The least recently used bytes are evicted.
                if let extent = model.extents.all.randomElement(using: &random) {
                    model.extents.remove(extent)
                }
            default:
                guard let request else { continue }
                model.receive(request.id, Int.random(in: 1...300, using: &random))
            }
            model.check(note)
        }
        // Every request goes on until nobody waits.
        for _ in 0..<2000 where (0..<6).contains(where: model.waits) {
            guard let request = model.scheduler.requests.randomElement(using: &random) else { break }
            model.receive(request.id, 200)
            model.check("seed \(seed), at the end")
        }
        #expect(!(0..<6).contains(where: model.waits), "seed \(seed): \(model.ranges)")
        #expect(model.refused.isEmpty)
    }
}
