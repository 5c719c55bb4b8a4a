import AVFoundation
import Playhead
import Testing

@Suite("Notifications as asynchronous sequences: a file that imports both modules")
struct NotificationOverloadTests {
    @Test("The object can be omitted or passed")
    func bothModules() async {
        let bench = AdapterBench()
        let item = bench.make { AVPlayerItem(url: bench.url) }
        let center = NotificationCenter()
        let name = Notification.Name("NotificationOverloadTests")
        let all = center.notifications(named: name)
        let own = center.notifications(named: name, object: item)
        center.post(name: name, object: nil)
        center.post(name: name, object: item)
        var isOfItem: [Bool] = []
        for await note in all {
            isOfItem.append(note.object as? AVPlayerItem === item)
            if isOfItem.count == 2 { break }
        }
        #expect(isOfItem == [false, true])
        for await note in own {
            #expect(note.object as? AVPlayerItem === item)
            break
        }
    }
}
