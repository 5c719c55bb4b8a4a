import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

/// The playlist has variants of 900,000, 300,000 and 100,000 bits per second with widths of 640, 320 and 160 pixels.
@Suite("Budget: bits per second of playlists with variants", .enabled(if: Fixture.areThere, "make fixtures"))
struct BudgetBitRateTests {
    @Test(
        "The bit rate is divided among the playing players, and each plays the best variant within its share"
    )
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
            // The share is too small for any variant, so the lowest one plays.
            budget.limits.bitRate = 100_000
            #expect(widths() == [160, 160])
            budget.limits.bitRate = 1_000_000
            #expect(widths() == [320, 320])
            // A paused player has no share.
            players[0].pause()
            #expect(widths() == [640, 640])
            players[0].play()
            #expect(widths() == [320, 320])
            // The item's own bit rate limit applies as well.
            players[0].currentItem?.preferredPeakBitRate = 150_000
            #expect(widths() == [160, 320])
            withExtendedLifetime(members) {}
        }
        // All players of the budget have been released.
        driver.settle()
        #expect(budget.usage.players == 0)
    }
}
