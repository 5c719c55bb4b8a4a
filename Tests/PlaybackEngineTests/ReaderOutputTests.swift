import MediaCore
import Testing

@testable import PlaybackEngine

@Suite("Reader output")
struct ReaderOutputTests {
    private func text(_ result: Result<Int?, MediaError>) -> String {
        switch result {
        case .success(let value?): "\(value)"
        case .success(nil): "end"
        case .failure(let error): error.code.rawValue
        }
    }

    @Test("Elements are limited by count and bytes, and one is always accepted")
    func limits() async {
        let output = ReaderOutput<Int>(limits: QueueLimits(count: 3, bytes: 10))
        let calls = Locked(0)
        output.onCapacity.set { calls.withLock { $0 += 1 } }
        #expect(output.hasCapacity)
        output.append(1, byteCount: 50)
        #expect(!output.hasCapacity)
        #expect(text(await output.next()) == "1")
        #expect(calls.withLock { $0 } == 1)
        for value in 2...4 {
            #expect(output.hasCapacity)
            output.append(value, byteCount: 1)
        }
        #expect(!output.hasCapacity)
        for value in 2...4 { #expect(text(await output.next()) == "\(value)") }
        // Only the removal after the queue was found full is reported.
        #expect(calls.withLock { $0 } == 2)
    }

    @Test("The end and the error follow the elements, and an error is reported once")
    func ends() async {
        for error in [nil, MediaError(.io, "broken")] {
            let output = ReaderOutput<Int>(limits: QueueLimits(count: 3))
            output.append(1, byteCount: 0)
            output.finish(error)
            // What follows the end is ignored.
            output.finish(MediaError(.unknown, "late"))
            output.append(2, byteCount: 0)
            #expect(text(await output.next()) == "1")
            if let error { #expect(text(await output.next()) == error.code.rawValue) }
            #expect(text(await output.next()) == "end")
            #expect(text(await output.next()) == "end")
        }
    }

    @Test("Cancelling discards the elements and wakes the reader")
    func cancel() async {
        let output = ReaderOutput<Int>(limits: QueueLimits(count: 3))
        output.append(1, byteCount: 0)
        output.cancel()
        #expect(text(await output.next()) == "cancelled")
        let waiting = ReaderOutput<Int>(limits: QueueLimits(count: 3))
        let stops = Locked(0)
        let session = ReaderSession(waiting) { stops.withLock { $0 += 1 } }
        let task = Task { () -> MediaError.Code? in
            do throws(MediaError) {
                _ = try await session.next()
                return nil
            } catch {
                return error.code
            }
        }
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(stops.withLock { $0 } == 1)
        session.cancel()
        #expect(stops.withLock { $0 } == 1)
    }

    @Test("A reader that waits receives what another thread appends", arguments: 0..<20)
    func threads(round: Int) async {
        let output = ReaderOutput<Int>(limits: QueueLimits(count: 2))
        let producer = Task.detached {
            for value in 0..<200 {
                while !output.hasCapacity { await Task.yield() }
                output.append(value, byteCount: 1)
            }
            output.finish()
        }
        var expected = 0
        while case .success(let value?) = await output.next() {
            #expect(value == expected)
            expected += 1
        }
        #expect(expected == 200)
        await producer.value
    }
}
