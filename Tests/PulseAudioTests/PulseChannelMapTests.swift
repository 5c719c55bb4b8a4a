import MediaCore
import PlayheadBackend
import PulseAudio
import Testing

@Suite("Channel maps of PulseAudio streams")
struct PulseChannelMapTests {
    @Test(
        "Each channel of a stream is played by its loudspeaker",
        arguments: [
            (1, "mono", "mono"),
            (2, "stereo", "front-left,front-right"),
            (3, "2.1", "front-left,front-right,lfe"),
            (3, "3.0", "front-left,front-right,front-center"),
            (4, "quad", "front-left,front-right,rear-left,rear-right"),
            (4, "4.0", "front-left,front-right,front-center,lfe,rear-left,rear-right"),
            (4, "ambisonic 1", "front-left,front-right,rear-left,rear-right"),
            (5, "5.0(side)", "front-left,front-right,front-center,rear-left,rear-right"),
            (6, "5.1(side)", "front-left,front-right,front-center,lfe,rear-left,rear-right"),
            (7, "6.1", "front-left,front-right,front-center,lfe,rear-left,rear-right,side-left,side-right"),
            (7, "7 channels", "front-left,front-right,front-center,lfe,rear-center,side-left,side-right"),
            (8, "7.1", "front-left,front-right,front-center,lfe,rear-left,rear-right,side-left,side-right"),
            (16, "hexadecagonal", "front-left,front-right"),
        ]
    )
    func names(count: Int, name: String, expected: String) {
        let layout = ChannelLayout(channelCount: count, name: name)
        let format = AudioFormat(sampleRate: 48_000, channelLayout: layout, sampleFormat: .floatPlanar)
        let accepted = AudioDeviceBuffer(device: nil, title: "").start(format)
        #expect(accepted.channelCount == expected.split(separator: ",").count)
        #expect(PulseChannelMap.names(of: accepted.channelLayout) == expected)
    }
}
