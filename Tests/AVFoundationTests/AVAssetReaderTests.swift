import AVFoundation
import Glibc
import MediaCore
import Playhead
import TestSupport
import Testing

@Suite("AVAssetReader", .enabled(if: Fixture.areThere, "make fixtures"))
struct AVAssetReaderTests {
    private func clip(_ name: String = "clip-h264-aac.mp4") -> AVURLAsset {
        AVURLAsset(url: Fixture.url(name))
    }

    private func output(_ asset: AVAsset, _ type: AVMediaType, _ settings: [String: Any]?, at index: Int = 0)
        -> AVAssetReaderTrackOutput
    {
        AVAssetReaderTrackOutput(track: asset.tracks(withMediaType: type)[index], outputSettings: settings)
    }

    private let bgra: [String: Any] = [
        kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_32BGRA
    ]
    private let pcm: [String: Any] = [AVFormatIDKey: kAudioFormatLinearPCM]

    @Test("All frames of a track, in order, with their times")
    func video() async throws {
        let asset = clip()
        let reader = try AVAssetReader(asset: asset)
        let output = output(asset, .video, bgra)
        #expect(reader.status == .unknown && reader.canAdd(output) && output.mediaType == .video)
        reader.add(output)
        #expect(!reader.canAdd(output) && output.copyNextSampleBuffer() == nil)
        #expect(reader.startReading() && reader.status == .reading)
        var frames = asset.asset.frames(pixelFormat: .bgra).makeAsyncIterator()
        var count = 0
        while let sample = output.copyNextSampleBuffer() {
            let frame = try #require(try await frames.next())
            #expect(CMSampleBufferGetPresentationTimeStamp(sample) == CMTime(frame.presentationTime))
            #expect(CMSampleBufferGetNumSamples(sample) == 1 && CMSampleBufferIsValid(sample))
            let buffer = try #require(CMSampleBufferGetImageBuffer(sample))
            CVPixelBufferLockBaseAddress(buffer, .readOnly)
            let row = UnsafeRawBufferPointer(start: CVPixelBufferGetBaseAddress(buffer), count: 320 * 4)
            #expect(Array(row) == Array(try frame.packedBytes().prefix(320 * 4)))
            CVPixelBufferUnlockBaseAddress(buffer, .readOnly)
            let format = try #require(CMSampleBufferGetFormatDescription(sample))
            #expect(
                CMVideoFormatDescriptionGetDimensions(format) == CMVideoDimensions(width: 320, height: 180)
            )
            #expect(CMFormatDescriptionGetMediaType(format) == kCMMediaType_Video)
            #expect(CMFormatDescriptionGetMediaSubType(format) == kCVPixelFormatType_32BGRA)
            #expect(sample.dataBuffer == nil && sample.duration.seconds > 0)
            CMSampleBufferInvalidate(sample)
            #expect(!sample.isValid && sample.imageBuffer == nil && sample.numSamples == 0)
            count += 1
        }
        #expect(count == 90 && reader.status == .completed && reader.error == nil)
        #expect(try await frames.next() == nil)
        #expect(!reader.startReading())
    }

    @Test("Audio in the requested format, of the chosen track and range")
    func audio() async throws {
        let asset = clip("two-languages.mkv")
        let tracks = asset.tracks(withMediaType: .audio)
        #expect(tracks.count == 2)
        var bytes: [Data] = []
        for index in 0..<2 {
            let reader = try AVAssetReader(asset: asset)
            reader.timeRange = CMTimeRange(
                start: CMTime(value: 1, timescale: 2),
                duration: CMTime(value: 1, timescale: 2)
            )
            let settings = pcm.merging([
                AVSampleRateKey: 16_000.0, AVNumberOfChannelsKey: 1, AVLinearPCMBitDepthKey: 16,
                AVLinearPCMIsFloatKey: false, AVLinearPCMIsBigEndianKey: false,
                AVLinearPCMIsNonInterleaved: false,
            ]) { $1 }
            let output = output(asset, .audio, settings, at: index)
            reader.add(output)
            reader.startReading()
            var data = Data()
            var start: CMTime?
            while let sample = output.copyNextSampleBuffer() {
                start = start ?? sample.presentationTimeStamp
                let block = try #require(CMSampleBufferGetDataBuffer(sample))
                #expect(CMBlockBufferGetDataLength(block) == CMSampleBufferGetNumSamples(sample) * 2)
                #expect(CMSampleBufferGetTotalSampleSize(sample) == block.dataLength)
                var part = Data(count: block.dataLength)
                let status = part.withUnsafeMutableBytes {
                    CMBlockBufferCopyDataBytes(
                        block,
                        atOffset: 0,
                        dataLength: block.dataLength,
                        destination: $0.baseAddress!
                    )
                }
                #expect(status == kCMBlockBufferNoErr && part == block.dataBytes())
                var (length, total) = (0, 0)
                var pointer: UnsafeMutablePointer<CChar>?
                CMBlockBufferGetDataPointer(
                    block,
                    atOffset: 2,
                    lengthAtOffsetOut: &length,
                    totalLengthOut: &total,
                    dataPointerOut: &pointer
                )
                #expect(length == total - 2 && pointer.map { UInt8(bitPattern: $0.pointee) } == part[2])
                #expect(
                    CMBlockBufferCopyDataBytes(
                        block,
                        atOffset: 1,
                        dataLength: block.dataLength,
                        destination: pointer!
                    ) == kCMBlockBufferBadOffsetParameterErr
                )
                let format = CMAudioFormatDescriptionGetStreamBasicDescription(sample.formatDescription!)
                let description = try #require(format?.pointee)
                #expect(description.mSampleRate == 16_000 && description.mChannelsPerFrame == 1)
                #expect(description.mBitsPerChannel == 16 && description.mBytesPerFrame == 2)
                #expect(
                    description.mFormatFlags == kAudioFormatFlagIsSignedInteger | kAudioFormatFlagIsPacked
                )
                data += part
            }
            #expect(start == CMTime(value: 1, timescale: 2) && reader.status == .completed)
            #expect(abs(data.count - 16_000) <= 64)
            bytes.append(data)
        }
        #expect(bytes[0] != bytes[1])
    }

    @Test("Two outputs are read side by side; the reader is completed after both")
    func twoOutputs() throws {
        let asset = clip()
        let reader = try AVAssetReader(asset: asset)
        let outputs = [
            output(asset, .video, bgra),
            output(asset, .audio, pcm.merging([AVLinearPCMIsFloatKey: true]) { $1 }),
        ]
        for output in outputs { reader.add(output) }
        reader.startReading()
        var counts = [0, 0]
        while reader.status == .reading {
            for index in 0..<2 {
                if let sample = outputs[index].copyNextSampleBuffer() { counts[index] += sample.numSamples }
            }
        }
        #expect(reader.status == .completed && counts[0] == 90 && counts[1] > 100_000)
    }

    @Test("Cancelling ends a call that waits, and errors are reported")
    func ending() async throws {
        let data = try Data(contentsOf: Fixture.url("clip-h264-aac.mp4"))
        let delegate = LoaderDelegate(data)
        let late = AVURLAsset(url: URL(string: "late://clip.mp4")!)
        late.resourceLoader.setDelegate(delegate, queue: delegate.queue)
        let track = try #require(try await late.loadTracks(withMediaType: .video).first)
        delegate.set(.withholds(from: 0))
        delegate.queue.sync {}
        let count = delegate.log.count
        let reader = try AVAssetReader(asset: late)
        let output = AVAssetReaderTrackOutput(track: track, outputSettings: bgra)
        reader.add(output)
        reader.startReading()
        // Another thread cancels once the reader has asked for what is withheld, which may contain the first frame. If
        // all bytes have been stored, it never asks.
        let hasEnded = Locked(false)
        let canceller = Thread {
            while delegate.log.count == count, !hasEnded.withLock({ $0 }) { sched_yield() }
            reader.cancelReading()
        }
        canceller.start()
        while output.copyNextSampleBuffer() != nil {}
        hasEnded.withLock { $0 = true }
        #expect([.cancelled, .completed].contains(reader.status))

        let broken = clip("broken-cut-faststart.mp4")
        let failing = try AVAssetReader(asset: broken)
        let cut = self.output(broken, .video, bgra)
        failing.add(cut)
        failing.startReading()
        while cut.copyNextSampleBuffer() != nil {}
        #expect(failing.status == .failed && (failing.error as? AVError)?.code == .invalidSourceMedia)
    }

    @Test("Outputs that cannot be read are not added")
    func refusals() throws {
        let asset = clip()
        let reader = try AVAssetReader(asset: asset)
        #expect(!reader.canAdd(output(asset, .video, nil)))
        #expect(!reader.canAdd(output(clip(), .video, bgra)))
        #expect(!reader.canAdd(output(asset, .audio, [:])))
        #expect(!reader.canAdd(output(asset, .audio, pcm.merging([AVLinearPCMIsBigEndianKey: true]) { $1 })))
        #expect(!reader.canAdd(output(asset, .audio, pcm.merging([AVLinearPCMBitDepthKey: 12]) { $1 })))
        reader.add(output(asset, .video, nil))
        #expect(reader.outputs.isEmpty && !reader.startReading() && reader.status == .unknown)
    }

    @Test("Readers that block every thread of Swift's pool finish")
    func pool() async throws {
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let asset = AVURLAsset(url: Fixture.url("clip-h264-aac.mp4"))
                    let reader = try AVAssetReader(asset: asset)
                    let settings = [kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_32BGRA]
                    let output = AVAssetReaderTrackOutput(
                        track: asset.tracks(withMediaType: .video)[0],
                        outputSettings: settings
                    )
                    reader.add(output)
                    reader.startReading()
                    var count = 0
                    while output.copyNextSampleBuffer() != nil { count += 1 }
                    return count
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == Array(repeating: 90, count: 8))
    }
}
