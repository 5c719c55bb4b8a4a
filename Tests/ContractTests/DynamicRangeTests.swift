import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

// Rule: tone-mapping
/// Tests which outputs receive high dynamic range unchanged, and which receive it mapped to SDR.
@Suite("Contract: dynamic range", .enabled(if: Fixture.areThere, "make fixtures"))
struct DynamicRangeTests {
    private static let clip = Fixture.url("hdr10-hevc.mp4")
    private static let rgba = [PixelFormat.rgba]

    /// Stores the newest frame, and the configuration that the sink was started with.
    private final class Watch: VideoSink {
        private let newest = Locked<VideoFrame?>(nil)
        private let starts = Locked<[VideoFormat]>([])
        let acceptedPixelFormats: [PixelFormat]
        let appliesPreferredTrackTransform: Bool

        init(_ formats: [PixelFormat] = [], isUpright: Bool = false) {
            (acceptedPixelFormats, appliesPreferredTrackTransform) = (formats, isUpright)
        }

        var frame: VideoFrame? { newest.withLock { $0 } }
        var transfer: String? { frame?.format.color.transfer }
        var started: [VideoFormat] { starts.withLock { $0 } }

        func start(_ format: VideoFormat) { starts.withLock { $0.append(format) } }
        func present(_ frame: VideoFrame) { newest.withLock { $0 = frame } }
        func finish() {}
    }

    @discardableResult
    private static func show(
        _ sink: Watch,
        size: PixelSize? = nil,
        _ policy: DynamicRangePolicy? = nil,
        url: URL = clip
    ) -> PlayerTestBench<Player> {
        let bench = PlayerTestBench<Player>.forFiles()
        bench.layer.size = size
        if let policy { bench.layer.dynamicRangePolicy = policy }
        bench.layer.add(sink)
        bench.load(url)
        bench.driver.settle()
        return bench
    }

    @Test("Unprocessed frames keep their colors and their light metadata")
    func untouched() throws {
        #expect(PlayerLayer().dynamicRangePolicy == .auto)
        for sink in [Watch(), Watch([.yuv420p10le]), Watch([.yuv420p])] {
            Self.show(sink)
            let format = try #require(sink.frame?.format)
            #expect(format.color.transfer == "smpte2084" && format.color.primaries == "bt2020")
            #expect(format.color.matrix == "bt2020nc")
            #expect(format.masteringDisplay != nil && format.contentLightLevel != nil)
            #expect(sink.started == [format])
        }
    }

    @Test(
        "Frames that are laid out for display or converted to RGB are SDR, and their colors say so",
        arguments: [
            ([PixelFormat](), true, PixelSize?.none), (rgba, false, nil), (rgba, true, nil),
            ([], false, PixelSize(width: 160, height: 90)), (rgba, false, PixelSize(width: 160, height: 160)),
        ]
    )
    func lookedAt(_ formats: [PixelFormat], _ isUpright: Bool, _ size: PixelSize?) throws {
        let sink = Watch(formats, isUpright: isUpright)
        Self.show(sink, size: size)
        let format = try #require(sink.frame?.format)
        #expect(format.color.transfer == "bt709" && format.color.primaries == "bt709")
        #expect(format.color.matrix == (formats.isEmpty ? "bt709" : "gbr"))
        #expect(format.masteringDisplay == nil && format.contentLightLevel == nil)
        #expect(sink.started == [format])
        #expect(format.pixelFormat == (formats.first ?? .yuv420p10le))
    }

    @Test("A layer can be set to map all frames or none")
    func policies() throws {
        for size in [nil, PixelSize(width: 160, height: 90)] {
            for formats in [[], Self.rgba] {
                for isUpright in [false, true] {
                    let (mapped, kept) = (
                        Watch(formats, isUpright: isUpright), Watch(formats, isUpright: isUpright)
                    )
                    Self.show(mapped, size: size, .forceSDR)
                    Self.show(kept, size: size, .matchSource)
                    #expect(mapped.transfer == "bt709")
                    #expect(kept.transfer == "smpte2084" && kept.frame?.format.masteringDisplay != nil)
                }
            }
        }
    }

    @Test("A policy that is set while paused applies at once, and other layers are unchanged")
    func whilePaused() throws {
        let (sink, other) = (Watch(), Watch())
        let bench = Self.show(sink)
        let layer = PlayerLayer(player: bench.player)
        layer.add(other)
        bench.driver.settle()
        let own = try #require(sink.frame)
        bench.layer.dynamicRangePolicy = .forceSDR
        bench.driver.settle()
        #expect(sink.transfer == "bt709" && sink.frame?.presentationTime == own.presentationTime)
        bench.layer.dynamicRangePolicy = .auto
        bench.driver.settle()
        #expect(sink.frame?.storage === own.storage)
        #expect(other.transfer == "smpte2084" && other.started.count == 1)
    }

    @Test("SDR frames are unchanged under every policy", arguments: DynamicRangePolicy.allCases)
    func standard(_ policy: DynamicRangePolicy) throws {
        let url = Fixture.url("clip-h264-aac.mp4")
        let (sink, plain) = (Watch(), Watch())
        let benches = [Self.show(sink, policy, url: url), Self.show(plain, url: url)]
        let frame = try #require(sink.frame)
        #expect(try frame.format == #require(plain.frame).format)
        #expect(benches.allSatisfy { $0.player.counters.framesConverted == 0 })
    }

    @Test("Still images are SDR unless the policy matches the source, for every kind of request")
    func stills() async throws {
        let generator = ImageGenerator(asset: Asset(url: Self.clip))
        #expect(generator.dynamicRangePolicy == .forceSDR)
        let small = PixelSize(width: 64, height: 64)
        for isUpright in [false, true] {
            for (maximum, target) in [(nil, nil), (small, nil), (nil, small)] as [(PixelSize?, PixelSize?)] {
                for format in [nil, PixelFormat.rgba] {
                    generator.appliesPreferredTrackTransform = isUpright
                    (generator.maximumSize, generator.targetSize) = (maximum, target)
                    generator.pixelFormat = format
                    for policy in DynamicRangePolicy.allCases {
                        generator.dynamicRangePolicy = policy
                        let made = try await generator.image(at: .zero).frame.format
                        let isKept = policy == .matchSource
                        #expect(made.color.transfer == (isKept ? "smpte2084" : "bt709"))
                        #expect(made.pixelFormat == (format ?? .yuv420p10le))
                        #expect((made.masteringDisplay != nil) == isKept)
                        if maximum == nil, target == nil {
                            #expect(made.size == PixelSize(width: 320, height: 180))
                        }
                    }
                }
            }
        }
    }

    @Test("An output that requests RGB gets SDR, and other outputs get frames as decoded")
    func outputs() throws {
        let (own, rgb) = (VideoOutput(), VideoOutput(pixelFormats: Self.rgba))
        let bench = PlayerTestBench<Player>.forFiles()
        bench.load(Self.clip) { item in
            item.add(own)
            item.add(rgb)
        }
        bench.driver.settle()
        #expect(own.copyFrame(forItemTime: .zero)?.frame.format.color.transfer == "smpte2084")
        #expect(rgb.copyFrame(forItemTime: .zero)?.frame.format.color.transfer == "bt709")
    }
}
