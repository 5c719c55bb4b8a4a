// swift-format-ignore-file

import AVKit
import UIKit

/// A screen with a button, as a storyboard would connect it.
@available(iOS 13.0, *)
final class PlayerScreen: NSObject, ClipPlayerDelegate {
    @IBOutlet weak var button: Button!
    @IBInspectable var name: String = "screen"
    private let player = ClipPlayer()
    private var observations: [NSKeyValueObservation] = []

    init(button: Button) {
        super.init()
        self.button = button
        button.addTarget(self, action: #selector(tapped(_:)))
        button.addTarget(self, action: #selector(self.logged))
        #if os(iOS)
        UIApplication.shared.addTarget(self, action: #selector(rotated))
        #endif
        player.delegate = self
    }

    func show(_ url: URL) {
        observations.append(
            player.observe(\.laps, options: [.old, .new]) { player, change in
                print("laps \(change.oldValue ?? -1) to \(change.newValue ?? -1)")
            }
        )
        player.load(url)
    }

    @objc func tapped(_ sender: Button) {
        print("tapped, title: \(sender.title)")
        player.playPause(sender)
    }

    @objc dynamic func logged() { print("logged #selector(logged)") }

    func playerIsReady(_ player: ClipPlayer) {
        print("ready")
        button.tap()
    }

    func player(_ player: ClipPlayer, didChange state: ClipPlayer.State) { print("state \(state.rawValue)") }

    func player(_ player: ClipPlayer, titleAt index: Int) -> String { "clip \(index)" }

    func playerDidEnd(_ player: ClipPlayer) {
        print("ticks: \(player.ticks > 5)")
        player.close()
        exit(0)
    }
}
