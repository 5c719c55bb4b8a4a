// swift-format-ignore-file

import AVFoundation
import MediaPlayer

protocol AudioPlayerDelegate: AnyObject {
    func audioPlayer(_ player: AudioPlayer, didChange state: AudioPlayer.State)
    func audioPlayer(_ player: AudioPlayer, didLoad track: AudioPlayer.Track)
    func audioPlayerDidFinish(_ player: AudioPlayer)
}

/// A player for a list of songs with the controls of the lock screen.
class AudioPlayer: NSObject {
    enum State { case stopped, loading, playing, paused, failed(Error?) }

    struct Track {
        var title: String?
        var artist: String?
        var artwork: Data?
        var duration: TimeInterval = 0
    }

    static let shared = AudioPlayer()

    weak var delegate: AudioPlayerDelegate?
    private(set) var state: State = .stopped {
        didSet {
            delegate?.audioPlayer(self, didChange: state)
            updatePlaybackInfo()
        }
    }
    private(set) var track = Track()
    private var urls: [URL] = []
    private var index = 0
    private var wasPlayingBeforeInterruption = false

    private lazy var player: AVPlayer = {
        let player = AVPlayer()
        player.isMuted = true
        player.allowsExternalPlayback = false
        player.actionAtItemEnd = .pause
        return player
    }()
    private var timeObserver: Any?
    private var observations = Set<NSKeyValueObservation>()
    private var tokens: [NSObjectProtocol] = []
    private var commandTargets: [(MPRemoteCommand, Any)] = []

    override private init() {
        super.init()
        do {
            try AVAudioSession.sharedInstance().setCategory(.playback, mode: .default, options: [.allowAirPlay])
            try AVAudioSession.sharedInstance().setActive(true)
        } catch {
            print("audio session: \(error)")
        }
        setupCommands()
        setupNotifications()
        timeObserver = player.addPeriodicTimeObserver(
            forInterval: CMTime(seconds: 0.25, preferredTimescale: CMTimeScale(NSEC_PER_SEC)), queue: .main
        ) { [weak self] time in
            self?.updateElapsed(time.seconds)
        }
        observations.insert(player.observe(\.timeControlStatus, options: [.new]) { [weak self] player, _ in
            switch player.timeControlStatus {
            case .playing: self?.state = .playing
            case .paused: self?.state = .paused
            case .waitingToPlayAtSpecifiedRate: break
            @unknown default: break
            }
        })
    }

    deinit {
        if let timeObserver = timeObserver { player.removeTimeObserver(timeObserver) }
        tokens.forEach { NotificationCenter.default.removeObserver($0) }
        commandTargets.forEach { $0.0.removeTarget($0.1) }
    }

    // MARK: - Playing

    func play(_ urls: [URL]) {
        self.urls = urls
        index = 0
        load()
    }

    func togglePlayPause() { player.rate == 0 ? player.play() : player.pause() }

    @discardableResult
    func next() -> Bool {
        guard index + 1 < urls.count else { return false }
        index += 1
        load()
        return true
    }

    func seek(to seconds: TimeInterval, completion: (() -> Void)? = nil) {
        player.seek(to: CMTime(seconds: seconds, preferredTimescale: 1000)) { _ in completion?() }
    }

    func stop() {
        player.pause()
        player.replaceCurrentItem(with: nil)
        MPNowPlayingInfoCenter.default().nowPlayingInfo = nil
        state = .stopped
    }

    private func load() {
        state = .loading
        let asset = AVURLAsset(url: urls[index])
        asset.loadValuesAsynchronously(forKeys: ["commonMetadata", "duration", "playable"]) { [weak self] in
            var error: NSError?
            let status = asset.statusOfValue(forKey: "playable", error: &error)
            DispatchQueue.main.async {
                guard let self = self else { return }
                guard status == .loaded, asset.isPlayable else {
                    self.state = .failed(error)
                    return
                }
                self.read(asset)
                self.player.replaceCurrentItem(with: AVPlayerItem(asset: asset))
                self.player.play()
            }
        }
    }

    private func read(_ asset: AVAsset) {
        track = Track()
        track.duration = CMTimeGetSeconds(asset.duration)
        for item in asset.commonMetadata {
            guard let key = item.commonKey else { continue }
            switch key {
            case .commonKeyTitle: track.title = item.stringValue
            case .commonKeyArtist: track.artist = item.value as? String
            case .commonKeyArtwork: track.artwork = item.dataValue
            default: break
            }
        }
        delegate?.audioPlayer(self, didLoad: track)
        var info: [String: Any] = [MPMediaItemPropertyPlaybackDuration: track.duration]
        info[MPMediaItemPropertyTitle] = track.title ?? urls[index].lastPathComponent
        info[MPMediaItemPropertyArtist] = track.artist
        info[MPNowPlayingInfoPropertyIsLiveStream] = asset.duration.isIndefinite
        MPNowPlayingInfoCenter.default().nowPlayingInfo = info
    }

    private func updatePlaybackInfo() {
        MPNowPlayingInfoCenter.default().nowPlayingInfo?[MPNowPlayingInfoPropertyPlaybackRate] = player.rate
    }

    private func updateElapsed(_ seconds: TimeInterval) {
        MPNowPlayingInfoCenter.default().nowPlayingInfo?[MPNowPlayingInfoPropertyElapsedPlaybackTime] = seconds
    }

    // MARK: - Remote commands

    private func setupCommands() {
        let center = MPRemoteCommandCenter.shared()
        add(center.playCommand) { player, _ in player.player.play() }
        add(center.pauseCommand) { player, _ in player.player.pause() }
        add(center.togglePlayPauseCommand) { player, _ in player.togglePlayPause() }
        add(center.nextTrackCommand) { player, _ in player.next() }
        center.skipForwardCommand.preferredIntervals = [15]
        add(center.changePlaybackPositionCommand) { player, event in
            if let event = event as? MPChangePlaybackPositionCommandEvent { player.seek(to: event.positionTime) }
        }
        center.previousTrackCommand.isEnabled = false
    }

    private func add(_ command: MPRemoteCommand, _ action: @escaping (AudioPlayer, MPRemoteCommandEvent) -> Void) {
        command.isEnabled = true
        let target = command.addTarget { [weak self] event -> MPRemoteCommandHandlerStatus in
            guard let self = self, self.player.currentItem != nil else { return .noActionableNowPlayingItem }
            action(self, event)
            return .success
        }
        commandTargets.append((command, target))
    }

    // MARK: - Notifications

    private func setupNotifications() {
        let center = NotificationCenter.default
        tokens.append(center.addObserver(forName: .AVPlayerItemDidPlayToEndTime, object: nil, queue: .main) { [weak self] note in
            guard let self = self, (note.object as? AVPlayerItem) === self.player.currentItem else { return }
            if !self.next() { self.delegate?.audioPlayerDidFinish(self) }
        })
        tokens.append(center.addObserver(
            forName: AVAudioSession.interruptionNotification, object: AVAudioSession.sharedInstance(), queue: .main
        ) { [weak self] note in
            self?.handleInterruption(note)
        })
        tokens.append(center.addObserver(
            forName: AVAudioSession.routeChangeNotification, object: nil, queue: .main
        ) { [weak self] note in
            guard let value = note.userInfo?[AVAudioSessionRouteChangeReasonKey] as? UInt,
                AVAudioSession.RouteChangeReason(rawValue: value) == .oldDeviceUnavailable else { return }
            self?.player.pause()
        })
    }

    private func handleInterruption(_ notification: Notification) {
        guard let info = notification.userInfo,
            let value = info[AVAudioSessionInterruptionTypeKey] as? UInt,
            let type = AVAudioSession.InterruptionType(rawValue: value) else { return }
        switch type {
        case .began: wasPlayingBeforeInterruption = player.rate != 0
        case .ended:
            guard let optionValue = info[AVAudioSessionInterruptionOptionKey] as? UInt else { return }
            let options = AVAudioSession.InterruptionOptions(rawValue: optionValue)
            if options.contains(.shouldResume), wasPlayingBeforeInterruption { player.play() }
        @unknown default: break
        }
    }
}
