import AVFoundation

let player = AVPlayer(url: URL(fileURLWithPath: "clip.mp4"))
let observation = player.currentItem!.observe(\.status) { item, _ in print(item.status) }
let end = NotificationCenter.default.addObserver(
    forName: .AVPlayerItemDidPlayToEndTime,
    object: player.currentItem,
    queue: .main
) { _ in print("end") }
player.play()
RunLoop.main.run()
