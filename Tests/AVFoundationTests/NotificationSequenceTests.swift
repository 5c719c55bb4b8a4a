import AVFoundation
import Testing

@Suite("Notifications as asynchronous sequences")
struct NotificationSequenceTests {
    @Test("A task gets the ends of one item, and not those of another")
    func ends() async throws {
        let bench = AdapterBench()
        let (player, other) = bench.make { (AVPlayer(url: bench.url), AVPlayer(url: bench.url)) }
        let item = try #require(player.currentItem)
        let center = NotificationCenter.default
        let ends: NotificationCenter.Notifications = center.notifications(
            named: .AVPlayerItemDidPlayToEndTime,
            object: item
        )
        other.play()
        bench.run(5)
        player.play()
        bench.run(5)
        // The last notification ends the wait even if the players have posted none.
        center.post(name: .AVPlayerItemDidPlayToEndTime, object: item, userInfo: ["last": true])
        var count = 0
        for await note in ends {
            #expect(note.object as? AVPlayerItem === item)
            if note.userInfo != nil { break }
            count += 1
        }
        #expect(count == 1 && other.rate == 0)
    }
}
