import AVFoundation
import Combine

/// A model of a view, with the publishers that code for Apple's player uses.
@MainActor
final class PlayerModel: ObservableObject {
    @Published private(set) var isPlaying = false
    let player = AVPlayer()
    private var cancellables: Set<AnyCancellable> = []

    func load(_ url: URL) {
        let item = AVPlayerItem(url: url)
        item.publisher(for: \.status)
            .sink { print("status: \($0.rawValue)") }
            .store(in: &cancellables)
        player.publisher(for: \.timeControlStatus)
            .map { $0 == .playing }
            .removeDuplicates()
            .receive(on: DispatchQueue.main)
            .assign(to: &$isPlaying)
        $isPlaying.dropFirst()
            .sink { print("playing: \($0)") }
            .store(in: &cancellables)
        player.publisher(for: \.currentItem?.presentationSize, options: [.new])
            .compactMap { $0 }
            .filter { $0 != .zero }
            .first()
            .sink { print("size: \(Int($0.width))x\(Int($0.height))") }
            .store(in: &cancellables)
        NotificationCenter.default.publisher(for: .AVPlayerItemDidPlayToEndTime, object: item)
            .compactMap { ($0.object as? AVPlayerItem)?.duration.seconds }
            .receive(on: RunLoop.main)
            .sink { [weak self] in self?.finish($0) }
            .store(in: &cancellables)
        player.publisher(for: \.rate, options: [.initial])
            .first { $0 > 0 }
            .sink { print("rate: \($0)") }
            .store(in: &cancellables)
        player.isMuted = true
        player.replaceCurrentItem(with: item)
        player.play()
    }

    private func finish(_ seconds: Double) {
        print("end after \(seconds) s")
        cancellables = []
        player.volume = 0.5
        exit(0)
    }
}

let model = MainActor.assumeIsolated { PlayerModel() }
MainActor.assumeIsolated { model.load(URL(fileURLWithPath: CommandLine.arguments[1])) }
RunLoop.main.run()
