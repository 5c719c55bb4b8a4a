import Foundation
import MediaCore
import Playhead
import PlayheadBackend
import Testing

@testable import ALSA

extension ALSAStreamTests {
    /// Tests of the thread that opens the device and opens it again.
    @Suite("ALSA sink", .timeLimit(.minutes(10)))
    struct ALSASinkTests {
        private static let format = AudioFormat(
            sampleRate: 48_000,
            channelLayout: .mono,
            sampleFormat: .float
        )
        private static let second = AudioBuffer(
            floatChannels: [[Float](repeating: 0.5, count: 48_000)],
            format: format,
            presentationTime: .zero
        )

        private let sink: ALSASink
        private let notices: AsyncStream<AudioOutputNotice>

        init() {
            FakeDevice.reset()
            let (notices, continuation) = AsyncStream.makeStream(of: AudioOutputNotice.self)
            self.notices = notices
            sink = ALSASink(
                buffer: AudioDeviceBuffer(device: "hw:0", title: ""),
                clock: nil,
                library: { .success(FakeDevice.library) },
                onNotice: { continuation.yield($0) }
            )
        }

        private func start() throws {
            #expect(try sink.start(Self.format) == Self.format)
            try sink.write(Self.second)
            sink.setPaused(false)
        }

        @Test("A device that disappears is opened again, and each change is one notice")
        func disappears() async throws {
            var iterator = notices.makeAsyncIterator()
            try start()
            #expect(await iterator.next() == .connected(device: "hw:0"))
            #expect(sink.deviceName == "hw:0")
            // The device is absent until the sink has been examined without it.
            FakeDevice.state.withLock { state in
                state.openResults = [Int32](repeating: -ENODEV, count: 10_000)
                state.availResults = [-Int(ENODEV)]
            }
            #expect(await iterator.next() == .unavailable("hw:0: No such device"))
            #expect(sink.deviceName == nil)
            #expect(sink.writableFrameCount == 0)
            FakeDevice.state.withLock { $0.openResults = [-ENODEV, -ENODEV, -EBUSY, -EBUSY] }
            #expect(await iterator.next() == .connected(device: "hw:0"))
            #expect(sink.writableFrameCount > 0)
            // A device that has been open is not replaced by the default one.
            #expect(FakeDevice.state.withLock { Set($0.opened) } == ["hw:0", "plug:SLAVE='hw:0'"])
            sink.finish()
        }

        @Test("A device that does not exist is replaced by the default one")
        func missing() async throws {
            var iterator = notices.makeAsyncIterator()
            FakeDevice.state.withLock { $0.openResults = [-ENOENT] }
            try start()
            #expect(await iterator.next() == .deviceNotFound("hw:0"))
            #expect(await iterator.next() == .connected(device: "default"))
            sink.setDevice("hw:1")
            #expect(await iterator.next() == .connected(device: "hw:1"))
            sink.finish()
        }

        @Test(
            "A device that is selected while another one plays, and does not exist, is replaced by the default one"
        )
        func missingLater() async throws {
            var iterator = notices.makeAsyncIterator()
            try start()
            #expect(await iterator.next() == .connected(device: "hw:0"))
            FakeDevice.state.withLock { $0.openResults = [-ENOENT] }
            sink.setDevice("hw:1")
            #expect(await iterator.next() == .deviceNotFound("hw:1"))
            #expect(await iterator.next() == .connected(device: "default"))
            sink.finish()
        }

        @Test("A busy device is tried again, and the samples written meanwhile are kept")
        func busy() async throws {
            var iterator = notices.makeAsyncIterator()
            FakeDevice.state.withLock { $0.openResults = [-EBUSY, -EBUSY] }
            try start()
            #expect(await iterator.next() == .unavailable("hw:0: Device or resource busy"))
            #expect(await iterator.next() == .connected(device: "hw:0"))
            try await FakeDevice.wait { $0.held.count >= 9600 }
            sink.finish()
        }

        @Test("A device that hangs delays no call")
        func hangs() async throws {
            let gate = DispatchSemaphore(value: 0)
            FakeDevice.state.withLock { $0.gate = gate }
            try start()
            try await FakeDevice.wait { $0.calls.contains("blocked") }
            // Calls that wait for the device would block indefinitely.
            sink.flush()
            try sink.write(Self.second)
            sink.setVolume(0.5)
            sink.setPaused(true)
            sink.setDevice("hw:1")
            _ = sink.position
            _ = sink.rewind(to: 100)
            sink.finish()
            FakeDevice.state.withLock { state in
                state.gate = nil
                state.calls = []
            }
            gate.signal()
            try await FakeDevice.wait { $0.calls.contains("close") }
        }

        @Test("A flush before the format is known counts for the positions of the device")
        func flushedBeforeStart() throws {
            let buffer = AudioDeviceBuffer(device: nil, title: "")
            buffer.flush()
            _ = buffer.start(Self.format)
            buffer.write(Self.second)
            let ring = try #require(buffer.settings.withLock { $0.ring })
            let samples = UnsafeMutablePointer<Float>.allocate(capacity: 10)
            defer { samples.deallocate() }
            ring.read(into: samples, count: 10)
            #expect(ring.next?.flushes == 1)
        }

        @Test(
            "Layouts with loudspeakers that devices do not have are mixed to those that contain them",
            arguments: [
                (1, "mono", "mono"), (2, "2 channels", "2 channels"), (3, "2.1", "2.1"),
                (3, "3.0(back)", "5.1"),
                (4, "quad", "quad"), (4, "4.0", "5.1"), (4, "3.1", "5.1"), (4, "ambisonic 1", "ambisonic 1"),
                (5, "5.0(side)", "5.0(side)"), (7, "7 channels", "7 channels"),
                (6, "5.1(side)", "5.1(side)"), (6, "hexagonal", "5.1"), (7, "6.1", "7.1"), (7, "7.0", "7.1"),
                (8, "7.1", "7.1"), (8, "octagonal", "7.1"), (16, "hexadecagonal", "stereo"),
            ]
        )
        func layouts(count: Int, name: String, expected: String) {
            var format = Self.format
            format.channelLayout = ChannelLayout(channelCount: count, name: name)
            let accepted = AudioDeviceBuffer(device: nil, title: "").start(format)
            #expect(accepted.channelLayout.name == expected)
        }

        @Test("Without the library, one notice reports it")
        func noLibrary() async throws {
            let (notices, continuation) = AsyncStream.makeStream(of: AudioOutputNotice.self)
            let sink = ALSASink(
                buffer: AudioDeviceBuffer(device: nil, title: ""),
                clock: nil,
                library: { .failure(.noLibrary) },
                onNotice: { continuation.yield($0) }
            )
            sink.prepare()
            var iterator = notices.makeAsyncIterator()
            #expect(await iterator.next() == .unavailable("libasound is not installed (Debian: libasound2)"))
            #expect(!sink.isConnecting)
        }
    }
}
