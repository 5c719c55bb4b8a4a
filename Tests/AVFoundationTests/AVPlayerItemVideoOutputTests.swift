import AVFoundation
import MediaCore
import Playhead
import PlayheadTesting
import TestSupport
import Testing

@Suite("AVPlayerItemVideoOutput")
struct AVPlayerItemVideoOutputTests {
    private final class Delegate: NSObject, AVPlayerItemOutputPullDelegate {
        let log = Locked<[String]>([])
        func outputMediaDataWillChange(_ sender: AVPlayerItemOutput) { log.withLock { $0.append("data") } }
        func outputSequenceWasFlushed(_ output: AVPlayerItemOutput) { log.withLock { $0.append("flushed") } }
    }

    private let queue = DispatchQueue(label: "output")

    private func lines(_ delegate: Delegate) -> [String] {
        queue.sync {}
        return delegate.log.withLock { log in
            defer { log = [] }
            return log
        }
    }

    private func ms(_ value: Int64) -> CMTime { CMTime(value: value, timescale: 1000) }

    @Test("Each frame is new once for each output, by item time; host times map to item times")
    func frames() {
        let bench = AdapterBench()
        let player = bench.make { AVPlayer(url: bench.url) }
        let item = player.currentItem!
        let outputs = [
            AVPlayerItemVideoOutput(),
            AVPlayerItemVideoOutput(pixelBufferAttributes: [
                kCVPixelBufferPixelFormatTypeKey as String: Int(kCVPixelFormatType_32BGRA)
            ]),
        ]
        for output in outputs { item.add(output) }
        item.add(outputs[0])
        #expect(item.outputs.map(ObjectIdentifier.init) == outputs.map(ObjectIdentifier.init))
        #expect(!outputs[0].hasNewPixelBuffer(forItemTime: .zero))
        bench.run(0)
        var display = CMTime.invalid
        #expect(outputs[0].hasNewPixelBuffer(forItemTime: .zero))
        let first = outputs[0].copyPixelBuffer(forItemTime: .zero, itemTimeForDisplay: &display)
        #expect(first != nil && display == .zero)
        #expect(!outputs[0].hasNewPixelBuffer(forItemTime: .zero))
        #expect(outputs[1].hasNewPixelBuffer(forItemTime: .zero))
        player.play()
        bench.run(1)
        let host = Double(bench.driver.clock.now.nanoseconds) / 1e9
        #expect(outputs[0].itemTime(forHostTime: host) == player.currentTime())
        #expect(outputs[0].hasNewPixelBuffer(forItemTime: player.currentTime()))
        #expect(outputs[0].copyPixelBuffer(forItemTime: ms(970), itemTimeForDisplay: &display) != nil)
        #expect(display == ms(960))
        // Frames are not kept for ever, and those to come are not known.
        #expect(outputs[0].copyPixelBuffer(forItemTime: ms(100), itemTimeForDisplay: nil) == nil)
        item.remove(outputs[0])
        item.remove(outputs[0])
        #expect(item.outputs.count == 1 && !outputs[0].itemTime(forHostTime: host).isValid)
        #expect(!outputs[1].itemTime(forHostTime: .nan).isValid)
    }

    @Test("The delegate is told once of new data, and of flushes by seeks")
    func delegate() {
        let bench = AdapterBench()
        let player = bench.make { AVPlayer(url: bench.url) }
        let output = AVPlayerItemVideoOutput()
        let delegate = Delegate()
        output.setDelegate(delegate, queue: queue)
        #expect(output.delegate === delegate && output.delegateQueue === queue)
        player.currentItem!.add(output)
        output.requestNotificationOfMediaDataChange(withAdvanceInterval: 0.1)
        #expect(lines(delegate) == [])
        bench.run(0)
        #expect(lines(delegate) == ["data"])
        player.play()
        bench.run(0.5)
        #expect(lines(delegate) == [])
        // The newest frame has not been copied, so there is data at once.
        output.requestNotificationOfMediaDataChange(withAdvanceInterval: 0)
        #expect(lines(delegate) == ["data"])
        _ = output.copyPixelBuffer(forItemTime: player.currentTime(), itemTimeForDisplay: nil)
        output.requestNotificationOfMediaDataChange(withAdvanceInterval: 0)
        #expect(lines(delegate) == [])
        player.pause()
        bench.run(0)
        _ = lines(delegate)
        output.requestNotificationOfMediaDataChange(withAdvanceInterval: 0)
        player.seek(to: ms(1500), toleranceBefore: .zero, toleranceAfter: .zero)
        bench.run(0)
        #expect(lines(delegate).suffix(2) == ["flushed", "data"])
        #expect(output.hasNewPixelBuffer(forItemTime: player.currentTime()))
    }

    @Test("A notice that waits for the queue of a former delegate is delivered on that of the present one")
    func otherQueue() {
        let bench = AdapterBench()
        let player = bench.make { AVPlayer(url: bench.url) }
        let (output, delegate, other) = (AVPlayerItemVideoOutput(), Delegate(), Delegate())
        let second = DispatchQueue(label: "second")
        queue.suspend()
        second.suspend()
        output.setDelegate(delegate, queue: queue)
        player.currentItem!.add(output)
        output.requestNotificationOfMediaDataChange(withAdvanceInterval: 0)
        bench.run(0)
        output.setDelegate(other, queue: second)
        queue.resume()
        #expect(lines(delegate) == [] && lines(other) == [])
        second.resume()
        second.sync {}
        #expect(lines(delegate) == [] && lines(other) == ["data"])
    }

    @Test("An output, its item and its player are released without being removed")
    func releasing() {
        let bench = AdapterBench()
        weak var output: AVPlayerItemVideoOutput?
        weak var item: AVPlayerItem?
        do {
            let player = bench.make { AVPlayer(url: bench.url) }
            let added = AVPlayerItemVideoOutput()
            player.currentItem!.add(added)
            (output, item) = (added, player.currentItem)
            bench.run(0)
        }
        bench.run(0)
        #expect(output == nil && item == nil)
    }

    @Test("suppressesPlayerRendering hides the layers")
    func suppressing() {
        let bench = AdapterBench()
        let player = bench.make { AVPlayer(url: bench.url) }
        let layer = AVPlayerLayer(player: player)
        layer.frame = CGRect(x: 0, y: 0, width: 16, height: 8)
        let output = AVPlayerItemVideoOutput()
        output.suppressesPlayerRendering = true
        player.currentItem!.add(output)
        bench.run(0.1)
        #expect(output.suppressesPlayerRendering && !layer.isReadyForDisplay)
        output.suppressesPlayerRendering = false
        bench.run(0.1)
        #expect(layer.isReadyForDisplay)
    }

    @Test(
        "Pixel buffers have the requested layout and size, and the pixels of the film",
        .enabled(if: Fixture.areThere, "make fixtures"),
        arguments: [
            (kCVPixelFormatType_32BGRA, "bgra"), (kCVPixelFormatType_32ARGB, "argb"),
            (kCVPixelFormatType_32RGBA, "rgba"), (kCVPixelFormatType_24RGB, "rgb24"),
            (kCVPixelFormatType_OneComponent8, "gray"),
            (kCVPixelFormatType_420YpCbCr8Planar, "yuv420p"),
            (kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, "nv12"),
        ]
    )
    func pixels(_ type: OSType, _ name: String) async throws {
        let asset = AVURLAsset(url: Fixture.url("clip-h264-aac.mp4"))
        let item = AVPlayerItem(asset: asset)
        let output = AVPlayerItemVideoOutput(pixelBufferAttributes: [
            kCVPixelBufferPixelFormatTypeKey as String: [NSNumber(value: type)]
        ])
        item.add(output)
        let player = AVPlayer(playerItem: item)
        while !output.hasNewPixelBuffer(forItemTime: .zero) { await Task.yield() }
        var display = CMTime.invalid
        let buffer = try #require(
            output.copyPixelBuffer(forItemTime: .zero, itemTimeForDisplay: &display)
        )
        #expect(CVPixelBufferGetPixelFormatType(buffer) == type)
        let (width, height) = (CVPixelBufferGetWidth(buffer), CVPixelBufferGetHeight(buffer))
        #expect(width == 320 && height == 180 && display == .zero)
        #expect(CVPixelBufferGetBaseAddress(buffer) == nil)
        #expect(CVPixelBufferUnlockBaseAddress(buffer, []) == kCVReturnInvalidArgument)
        #expect(CVPixelBufferLockBaseAddress(buffer, .readOnly) == kCVReturnSuccess)
        defer { CVPixelBufferUnlockBaseAddress(buffer, .readOnly) }
        var frames = asset.asset.frames(pixelFormat: PixelFormat(rawValue: name)).makeAsyncIterator()
        let frame = try #require(try await frames.next())
        let planeCount = CVPixelBufferGetPlaneCount(buffer)
        #expect(CVPixelBufferIsPlanar(buffer) == (planeCount > 0))
        var bytes: [UInt8] = []
        for plane in 0..<max(1, planeCount) {
            let start =
                planeCount > 0
                ? CVPixelBufferGetBaseAddressOfPlane(buffer, plane) : CVPixelBufferGetBaseAddress(buffer)
            let perRow = CVPixelBufferGetBytesPerRowOfPlane(buffer, plane)
            let columns = CVPixelBufferGetWidthOfPlane(buffer, plane)
            let samples = ["nv12": plane == 0 ? 1 : 2, "gray": 1, "yuv420p": 1, "rgb24": 3][name] ?? 4
            #expect(perRow >= columns * samples && perRow % 64 == 0)
            for row in 0..<CVPixelBufferGetHeightOfPlane(buffer, plane) {
                let bytesOfRow = UnsafeRawBufferPointer(
                    start: start! + row * perRow,
                    count: columns * samples
                )
                bytes += bytesOfRow
            }
        }
        #expect(bytes == (try frame.packedBytes()))
        #expect(Set(bytes).count > 20)
        #expect(CVPixelBufferGetBytesPerRow(buffer) * height <= CVPixelBufferGetDataSize(buffer))
        #expect(CVPixelBufferGetBaseAddressOfPlane(buffer, 9) == nil)
        #expect(
            CVPixelBufferGetWidthOfPlane(buffer, -1) == 0 && CVPixelBufferGetHeightOfPlane(buffer, 9) == 0
        )
        // Attributes are values of any type, as programs declare them.
        let attributes: [String: Any] = [
            kCVPixelBufferPixelFormatTypeKey: type, kCVPixelBufferWidthKey: 64,
            kCVPixelBufferHeightKey: 36.0,
        ]
        let small = AVPlayerItemVideoOutput(outputSettings: attributes)
        #expect(AVPlayerItemVideoOutput(pixelBufferAttributes: attributes).delegate == nil)
        item.add(small)
        while !small.hasNewPixelBuffer(forItemTime: .zero) { await Task.yield() }
        let scaled = try #require(small.copyPixelBuffer(forItemTime: .zero, itemTimeForDisplay: nil))
        #expect(CVPixelBufferGetWidth(scaled) == 64 && CVPixelBufferGetHeight(scaled) == 36)
        #expect(CVPixelBufferGetPixelFormatType(scaled) == type)
        withExtendedLifetime(player) {}
    }
}
