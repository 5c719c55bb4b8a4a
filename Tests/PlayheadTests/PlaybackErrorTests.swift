import Foundation
import Playhead
import PlayheadBackend
import PlayheadTesting
import Testing

@Suite("Messages of playback errors")
struct PlaybackErrorTests {
    @Test(
        "Credentials, query strings and fragments of URLs appear in no part of an error",
        arguments: [
            ("http://me:hush@host.test/film.mp4?token=hush#hush", "http://host.test/film.mp4"),
            ("https://host.test:8443/a%20b.m3u8?hush", "https://host.test:8443/a%20b.m3u8"),
            ("rtsp://me:hush@camera.test", "rtsp://camera.test"),
        ]
    )
    func secrets(_ text: String, _ name: String) throws {
        let url = try #require(URL(string: text))
        let media = MediaError(.notFound, "not found (HTTP 404)", location: text)
        #expect(media.description == "\(name): not found (HTTP 404)")
        for error in [PlaybackError(media, url: url), PlaybackError(media, url: nil)] {
            #expect(error.message == "\(name): not found (HTTP 404)")
            #expect(error.localizedDescription == error.message)
            let below = try #require(error.underlying as? MediaError)
            #expect(below.location == name)
            let parts = [
                "\(error)", "\(error.errorUserInfo)", "\(String(describing: error.url))", "\(below)",
            ]
            #expect(!parts.contains { $0.contains("hush") })
        }
        #expect(PlaybackError(media, url: url).url == URL(string: name))
        #expect(PlaybackError(code: .io, message: "no network", url: url).url == URL(string: name))
    }

    @Test(
        "Paths are named unchanged",
        arguments: ["/films/what?.mp4", "/films/a#b@c.mp4", "/films/a://b?c.mp4"]
    )
    func paths(path: String) {
        let media = MediaError(.emptyMedia, "the file is empty", location: path)
        let url = URL(fileURLWithPath: path)
        #expect(media.description == "\(path): the file is empty")
        #expect(PlaybackError(media, url: url).message == "\(path): the file is empty")
        #expect(PlaybackError(media, url: url).url == url)
        #expect(PlaybackError(media, url: nil).message == "\(path): the file is empty")
    }

    @Test("The status, the events and the error log of a failed item contain no secret of its URL")
    func failedItem() throws {
        let events = Locked([String]())
        let bench = PlayerTestBench(.silentClip([.openFails(.notFound)]))
        let token = bench.player.onEvent { timed in events.withLock { $0.append("\(timed.event)") } }
        let url = try #require(URL(string: "https://me:hush@host.test/film.mp4?token=hush"))
        let item = PlayerItem(asset: Asset(url: url, backend: bench.backend))
        bench.player.replaceCurrentItem(with: item)
        bench.player.play()
        bench.driver.run(atMost: 10)
        let error = try #require(item.error)
        #expect(error.message.hasPrefix("https://host.test/film.mp4: "))
        #expect(item.errorLog().events.map(\.error) == [error])
        let lines = events.withLock { $0 }
        #expect(lines.contains { $0.contains("https://host.test/film.mp4: ") })
        #expect(!lines.contains { $0.contains("hush") })
        token.invalidate()
    }
}
