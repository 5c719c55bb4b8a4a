import Playhead
import Testing

@testable import PlayheadCore

@Suite("Choice between PulseAudio and ALSA")
struct AudioBackendChoiceTests {
    @Test("A connection that PulseAudio reports while it is being left does not change the choice of ALSA")
    func lateConnection() {
        let notices = Locked<[AudioOutputNotice]>([])
        let calls = Locked<[String]>([])
        let choice = AudioBackendChoice { notice in notices.withLock { $0.append(notice) } }
        choice.begin(
            AudioBackendChoice.Actions(
                prepareALSA: { calls.withLock { $0.append("prepare ALSA") } },
                leaveALSA: { calls.withLock { $0.append("leave ALSA") } },
                leavePulse: { [weak choice] in
                    choice?.receivePulse(.connected(device: "server"))
                    calls.withLock { $0.append("leave PulseAudio") }
                }
            )
        )
        choice.receivePulse(.unavailable("refused"))
        choice.receiveALSA(.connected(device: "card"))
        choice.receiveALSA(.unavailable("removed"))
        #expect(calls.withLock { $0 } == ["prepare ALSA", "leave PulseAudio"])
        #expect(notices.withLock { $0 } == [.connected(device: "card"), .unavailable("removed")])
    }
}
