import CFFmpeg
import MediaCore
import PlayheadBackend
import TestSupport
import Testing

@testable import FFmpeg

// Rule: hardware
/// Which devices are looked up and opened, at which time, and how often.
@Suite("Hardware devices")
struct HardwareDevicesTests {
    /// A machine that is described by a test.
    private final class Machine: Sendable {
        let folders: [String: [String]]
        let codecs: Set<String>
        let broken: Set<String>
        let listed = Locked<[String]>([])
        let opened = Locked<[String]>([])

        init(_ folders: [String: [String]] = [:], codecs: Set<String> = [], broken: Set<String> = []) {
            self.folders = folders
            self.codecs = codecs
            self.broken = broken
        }

        var devices: HardwareDevices {
            HardwareDevices(
                HardwareDevices.System(
                    list: { [self] folder in
                        listed.withLock { $0.append(folder) }
                        return folders[folder] ?? []
                    },
                    isCodecNode: { [codecs] in codecs.contains($0) },
                    open: { [self] kind, node in
                        let name = "\(kind.rawValue) \(node ?? "-")"
                        opened.withLock { $0.append(name) }
                        if broken.contains(name) {
                            return .failure(MediaError(.permissionDenied, "\(name) cannot be opened: no"))
                        }
                        return .success(HardwareDevice(kind, name: name, reference: nil))
                    }
                )
            )
        }
    }

    private final class Nothing: Decoder {
        func send(_ packet: Packet?) throws(MediaError) -> Bool { true }
        func receive() throws(MediaError) -> DecoderOutput { .needsInput }
        func flush() {}
    }

    private func ask(
        _ devices: HardwareDevices,
        _ policy: HardwareDecoding,
        _ codec: AVCodecID = AV_CODEC_ID_H264
    ) throws(MediaError) -> String? {
        try devices.makeDecoder(policy, of: codec) { _ in Nothing() }?.name
    }

    private static let full = [
        "/dev": ["null", "nvidiactl", "nvidia0", "video0", "video10", "video2", "nvidia-uvm", "tty"],
        "/dev/dri": ["by-path", "card0", "renderD129", "renderD128"],
    ]

    @Test("none lists no folders; automatic without a device lists two folders and reports no error")
    func nothing() throws {
        let machine = Machine()
        let devices = machine.devices
        #expect(try ask(devices, .none) == nil)
        #expect(machine.listed.withLock { $0 } == [])
        #expect(try ask(devices, .automatic) == nil)
        #expect(Set(machine.listed.withLock { $0 }) == ["/dev", "/dev/dri"])
        #expect(machine.opened.withLock { $0 } == [])
        // A camera is not a decoder.
        let camera = Machine(["/dev": ["video0", "video1"]])
        #expect(try ask(camera.devices, .automatic) == nil)
        #expect(camera.opened.withLock { $0 } == [])
    }

    @Test("automatic uses the first device that opens and decodes the codec, and opens it once")
    func automatic() throws {
        let machine = Machine(Self.full, codecs: ["/dev/video10"])
        let devices = machine.devices
        for _ in 0..<3 { #expect(try ask(devices, .automatic) == "nvdec -") }
        #expect(machine.opened.withLock { $0 } == ["nvdec -"])
        let half = Machine(
            Self.full,
            codecs: ["/dev/video10"],
            broken: ["nvdec -", "vaapi /dev/dri/renderD128"]
        )
        let others = half.devices
        for _ in 0..<3 { #expect(try ask(others, .automatic) == "vaapi /dev/dri/renderD129") }
        // A device that cannot be opened is not tried again.
        #expect(
            half.opened.withLock { $0 } == [
                "nvdec -", "vaapi /dev/dri/renderD128", "vaapi /dev/dri/renderD129",
            ]
        )
        // All devices were opened and none decodes the codec, which is not an error.
        #expect(try ask(devices, .automatic, AV_CODEC_ID_GIF) == nil)
        // Devices that exist and cannot be used are an error.
        let locked = Machine(["/dev/dri": ["renderD128"]], broken: ["vaapi /dev/dri/renderD128"])
        let error = #expect(throws: MediaError.self) { try ask(locked.devices, .automatic) }
        #expect(error?.message == "vaapi /dev/dri/renderD128 cannot be opened: no")
    }

    @Test(
        "A device is named by kind, by kind and path, or by path",
        arguments: [
            ("vaapi", "vaapi /dev/dri/renderD128"),
            ("vaapi:/dev/dri/renderD129", "vaapi /dev/dri/renderD129"),
            ("/dev/dri/renderD129", "vaapi /dev/dri/renderD129"), ("nvdec", "nvdec -"), ("cuda", "nvdec -"),
            ("nvdec:1", "nvdec 1"), ("/dev/nvidia0", "nvdec 0"), ("v4l2m2m", "v4l2m2m -"),
            ("/dev/video10", "v4l2m2m /dev/video10"),
        ]
    )
    func named(name: String, device: String) throws {
        let machine = Machine(Self.full, codecs: ["/dev/video10"])
        #expect(try ask(machine.devices, .device(name)) == device)
    }

    @Test(
        "A missing device throws an error without a call to libav",
        arguments: [
            ("vaapi", "no vaapi device on this machine"),
            ("nvdec:0", "no nvdec device on this machine"),
            ("v4l2m2m", "no v4l2m2m device on this machine"),
            ("/dev/dri/renderD128", "no vaapi device on this machine"),
            ("magic", "unknown hardware decoder magic: use \(HardwareName.known)"),
            ("", "unknown hardware decoder : use \(HardwareName.known)"),
            ("/dev/sda", "unknown hardware decoder /dev/sda: use \(HardwareName.known)"),
        ]
    )
    func missing(name: String, message: String) throws {
        let machine = Machine()
        let error = #expect(throws: MediaError.self) { try ask(machine.devices, .device(name)) }
        #expect(error?.code == .hardwareUnavailable)
        #expect(error?.message == message)
        #expect(machine.opened.withLock { $0 } == [])
    }

    @Test("A missing path of an existing kind throws an error")
    func missingPlace() throws {
        let machine = Machine(Self.full)
        let error = #expect(throws: MediaError.self) {
            try ask(machine.devices, .device("/dev/dri/renderD130"))
        }
        #expect(error?.message == "device /dev/dri/renderD130 not found")
        let codec = #expect(throws: MediaError.self) {
            try ask(machine.devices, .device("vaapi"), AV_CODEC_ID_GIF)
        }
        #expect(codec?.message == "vaapi /dev/dri/renderD128 does not decode gif")
    }

    @Test("The codecs of a device are those that libav reports, without decoders of a separate API")
    func ways() throws {
        let vaapi = HardwareDevice(.vaapi, name: "vaapi", reference: nil)
        #expect(vaapi.decoder(for: AV_CODEC_ID_H264)?.surface == AV_PIX_FMT_VAAPI)
        #expect(vaapi.decoder(for: AV_CODEC_ID_AV1).map { String(cString: $0.codec.pointee.name) } == "av1")
        #expect(vaapi.decoder(for: AV_CODEC_ID_GIF) == nil)
        let nvdec = HardwareDevice(.nvdec, name: "nvdec", reference: nil)
        #expect(nvdec.decoder(for: AV_CODEC_ID_H264).map { String(cString: $0.codec.pointee.name) } == "h264")
        let kernel = HardwareDevice(.v4l2m2m, name: "v4l2m2m", reference: nil)
        let way = kernel.decoder(for: AV_CODEC_ID_MPEG2VIDEO)
        #expect(way.map { String(cString: $0.codec.pointee.name) } == "mpeg2_v4l2m2m")
    }

    /// The real library is used with a device of another type than declared. libav removes the device's format from the
    /// list and asks again, and the decoder then rejects it.
    @Test(
        "If libav cannot set up a decoder on the device, software decodes every frame",
        .enabled(if: Fixture.areThere)
    )
    func formatRefused() throws {
        for clip in ["clip-h264-aac.mp4", "clip-hevc-aac.mp4", "clip-vp9-opus.webm"] {
            let memory = try MemoryDevice()
            let demuxer = FFmpegDemuxer(
                OpenRequest(location: Fixture.path(clip)),
                hardware: RealContext(memory.device)
            )
            let description = try demuxer.open().get()
            let track = try #require(description.tracks.first { $0.mediaType == .video })
            demuxer.setEnabledTracks([track.id])
            var options = DecoderOptions(threadCount: 2)
            options.hardware = .automatic
            let decoder = try demuxer.makeDecoder(for: track.id, options: options).get()
            let recorder = FallbackDecoderTests.ErrorRecorder()
            recorder.listen(to: decoder)
            let script = try FallbackDecoderTests.Script(clip)
            var hashes: [String] = []
            var next = 0
            loop: while true {
                switch try decoder.receive() {
                case .video(let frame): hashes.append(FrameDigest.digest(of: frame))
                case .needsInput:
                    let packet = next < script.packets.count ? script.packets[next] : nil
                    if try decoder.send(packet) { next += 1 }
                case .ended, .audio: break loop
                }
            }
            #expect(try hashes == script.play(script.decoder(.none)).map(\.hash), "\(clip)")
            let errors = recorder.errors.withLock { $0 }
            #expect(
                errors.map(\.message) == [
                    "memory failed, using software decoding: the device does not support this stream"
                ]
            )
            #expect(errors.first?.code == .hardwareUnavailable && errors.first?.libraryLog != nil)
        }
    }

    private struct RealContext: HardwareSource {
        let device: HardwareDevice
        init(_ device: HardwareDevice) { self.device = device }

        func makeDecoder(
            _ policy: HardwareDecoding,
            of codec: AVCodecID,
            make: (HardwareDevice?) throws(MediaError) -> any Decoder
        ) throws(MediaError) -> (decoder: any Decoder, name: String)? {
            (try make(device), device.name)
        }
    }
}
