import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

/// The playlist has variants of 900,000, 300,000 and 100,000 bits a second: 640, 320 and 160 pixels wide.
@Suite("Budget: bits per second of playlists with variants", .enabled(if: Fixture.areThere, "make fixtures"))
struct BudgetBitRateTests {
    @Test("They are divided among those that play; the best variant within its part is what each plays")
    func divided() throws {
        let playlists = try Playlists()
        let driver = ManualDriver(settlesByItself: true)
        let budget = PlaybackBudget()
        var configuration = Player.Configuration()
        configuration.clock = .driver(driver)
        configuration.audio = .none
        do {
            let players = (0..<2).map { _ in Player(configuration: configuration) }
            let members = players.map { budget.join($0) }
            func widths() -> [Int?] {
                driver.run(seconds: 1)
                return players.map { $0.currentItem?.presentationSize.width }
            }
            for player in players {
                player.repeatMode = .loop
                player.replaceCurrentItem(with: PlayerItem(url: playlists.master))
            }
            players[0].play()
            #expect(widths() == [640, 640])
            budget.limits.bitRate = 1_000_000
            #expect(widths() == [640, 640])
            players[1].play()
            #expect(widths() == [320, 320])
            // Too little for any variant: the least.
            budget.limits.bitRate = 100_000
            #expect(widths() == [160, 160])
            budget.limits.bitRate = 1_000_000
            #expect(widths() == [320, 320])
            // Standing, it takes no part.
            players[0].pause()
            #expect(widths() == [640, 640])
            players[0].play()
            #expect(widths() == [320, 320])
            // What it has set itself counts as well.
            players[0].currentItem?.preferredPeakBitRate = 150_000
            #expect(widths() == [160, 320])
            withExtendedLifetime(members) {}
        }
        // Nothing is held.
        driver.settle()
        #expect(budget.usage.players == 0)
    }
}
