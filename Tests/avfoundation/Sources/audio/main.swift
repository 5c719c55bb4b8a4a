// swift-format-ignore-file

import AVFoundation
import MediaPlayer

final class Screen: AudioPlayerDelegate {
    func audioPlayer(_ player: AudioPlayer, didChange state: AudioPlayer.State) {
        switch state {
        case .playing: print("playing")
        case .failed(let error):
            print("failed: \(error?.localizedDescription ?? "-")")
            exit(1)
        default: break
        }
    }

    func audioPlayer(_ player: AudioPlayer, didLoad track: AudioPlayer.Track) {
        print("\(track.title ?? "-") by \(track.artist ?? "-"), \(Int(track.duration.rounded())) s, cover \(track.artwork != nil)")
    }

    func audioPlayerDidFinish(_ player: AudioPlayer) {
        let info = MPNowPlayingInfoCenter.default().nowPlayingInfo
        print("finished \(info?[MPMediaItemPropertyTitle] as? String ?? "-")")
        print("elapsed \((info?[MPNowPlayingInfoPropertyElapsedPlaybackTime] as? Double ?? 0) > 1)")
        player.stop()
        exit(0)
    }
}

let screen = Screen()
AudioPlayer.shared.delegate = screen
AudioPlayer.shared.play(CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) })
RunLoop.main.run()
