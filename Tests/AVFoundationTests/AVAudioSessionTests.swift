import MediaCore
import PlayheadBackend
import PlayheadTesting
import Testing

@testable import AVFoundation

/// The session belongs to the process, so the tests take turns.
@Suite("AVAudioSession", .serialized)
struct AVAudioSessionTests {
    @Test("Settings are stored")
    func settings() throws {
        let session = AVAudioSession.sharedInstance()
        try session.setCategory(.playback, mode: .moviePlayback, options: [.mixWithOthers, .duckOthers])
        try session.setActive(true, options: .notifyOthersOnDeactivation)
        #expect(session.category == .playback && session.mode == .moviePlayback)
        #expect(session.categoryOptions.rawValue == 3)
        try session.setCategory(.playback, mode: .spokenAudio, policy: .longFormAudio)
        #expect(session.mode == .spokenAudio && session.categoryOptions == [])
        #expect(session.routeSharingPolicy == .longFormAudio)
        try session.setCategory(.ambient)
        #expect(session.category == .ambient && session.mode == .default && session.categoryOptions == [])
        #expect(session.routeSharingPolicy == .default)
        #expect(session === AVAudioSession.sharedInstance())
    }

    @Test("The output volume can be observed by key path and by string")
    func outputVolume() {
        let session = AVAudioSession.sharedInstance()
        let log = Locked<[Float?]>([])
        let observation = session.observe(\.outputVolume, options: [.initial, .new]) { _, change in
            let volume = change.newValue
            log.withLock { $0.append(volume) }
        }
        observation.invalidate()
        #expect(log.withLock { $0 } == [1])
        let observer = KeyValueObserver()
        session.addObserver(observer, forKeyPath: "volume", options: .new, context: nil)
        #expect(session.keyValueRegistrations.count == 0)
        session.addObserver(observer, forKeyPath: "outputVolume", options: .new, context: nil)
        #expect(session.keyValueRegistrations.count == 1)
        session.removeObserver(observer, forKeyPath: "outputVolume")
        #expect(session.keyValueRegistrations.count == 0)
        #expect(session.keyValue(forKey: "outputVolume") == KeyValue(Float(1)))
        #expect(session.keyValue(forKey: "volume") == nil)
    }

    @Test("The devices in use are not known, so none of them is of a certain kind")
    func route() {
        let route = AVAudioSession.sharedInstance().currentRoute
        #expect(!route.outputs.contains { $0.portType == .headphones } && route.inputs.isEmpty)
    }

    @Test("The beginning of an interruption has a reason, and its end has none")
    func reason() {
        let session = AVAudioSession.sharedInstance()
        let log = Locked<[UInt?]>([])
        let tokens = NotificationTokens()
        tokens.add(AVAudioSession.interruptionNotification, session) { note in
            let reason = note.userInfo?[AVAudioSessionInterruptionReasonKey] as? UInt
            log.withLock { $0.append(reason) }
        }
        let player = NSObject()
        session.beginInterruption(of: ObjectIdentifier(player))
        session.endInterruption(of: ObjectIdentifier(player), shouldResume: false)
        #expect(log.withLock { $0 } == [AVAudioSession.InterruptionReason.default.rawValue, nil])
        withExtendedLifetime((player, tokens)) {}
    }

    /// Returns a bench and the audio device of its players.
    private static func makeBench() throws -> (AdapterBench, SimulatedAudioDevice) {
        let made = Locked<SimulatedAudioDevice?>(nil)
        let bench = AdapterBench(.clip()) { clock in
            let device = SimulatedAudioDevice(clock: clock)
            made.withLock { $0 = device }
            return device
        }
        return (bench, try #require(made.withLock { $0 }))
    }

    @Test("An interruption is posted, playback stays paused after it, and the usual handler resumes it")
    func interruption() throws {
        let (bench, device) = try Self.makeBench()
        let player = bench.make { AVPlayer(url: bench.url) }
        let tokens = NotificationTokens()
        let resumes = Locked(false)
        tokens.add(AVAudioSession.interruptionNotification, AVAudioSession.sharedInstance()) {
            [weak player] note in
            guard let value = note.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt,
                let type = AVAudioSession.InterruptionType(rawValue: value)
            else { return bench.add("no type") }
            let option = note.userInfo?[AVAudioSessionInterruptionOptionKey] as? UInt ?? 0
            let shouldResume = AVAudioSession.InterruptionOptions(rawValue: option).contains(.shouldResume)
            bench.add("\(type) \(shouldResume)")
            if shouldResume, resumes.withLock({ $0 }) { player?.play() }
        }
        player.play()
        bench.run(0.5)
        device.beginInterruption()
        bench.run(0.5)
        #expect(bench.lines() == ["began false"] && player.rate == 0)
        device.endInterruption()
        bench.run(0.5)
        #expect(bench.lines() == ["ended true"] && player.rate == 0)
        player.play()
        resumes.withLock { $0 = true }
        bench.run(0.1)
        device.beginInterruption()
        bench.run(0.1)
        device.endInterruption()
        bench.run(0.1)
        #expect(bench.lines() == ["began false", "ended true"] && player.rate == 1)
        player.replaceCurrentItem(with: nil)
        bench.run(0)
    }

    @Test(
        "After an interruption playback should resume, also if the application has paused the player meanwhile"
    )
    func pausedByApplication() throws {
        let (bench, device) = try Self.makeBench()
        let player = bench.make { AVPlayer(url: bench.url) }
        let tokens = NotificationTokens()
        tokens.add(AVAudioSession.interruptionNotification, AVAudioSession.sharedInstance()) {
            [weak player] note in
            let option = note.userInfo?[AVAudioSessionInterruptionOptionKey] as? UInt
            bench.add(option.map { "ended \($0)" } ?? "began")
            if option == nil { player?.pause() }
        }
        player.play()
        bench.run(0.5)
        device.beginInterruption()
        bench.run(0.1)
        device.endInterruption()
        bench.run(0.1)
        let shouldResume = AVAudioSession.InterruptionOptions.shouldResume.rawValue
        #expect(bench.lines() == ["began", "ended \(shouldResume)"] && player.rate == 0)
        // The interruption does not pause a player that is paused already.
        device.beginInterruption()
        bench.run(0.1)
        device.endInterruption()
        bench.run(0.1)
        #expect(bench.lines() == ["began", "ended 0"])
        player.replaceCurrentItem(with: nil)
        bench.run(0)
    }

    @Test("If the last interrupted player is released, the interruption ends, without the advice to resume")
    @MainActor func releasedPlayer() throws {
        let (bench, device) = try Self.makeBench()
        var player: AVPlayer? = bench.make { AVPlayer(url: bench.url) }
        let tokens = NotificationTokens()
        tokens.add(AVAudioSession.interruptionNotification, AVAudioSession.sharedInstance()) { note in
            let option = note.userInfo?[AVAudioSessionInterruptionOptionKey] as? UInt
            bench.add(option.map { "ended \($0)" } ?? "began")
        }
        player?.play()
        bench.run(0.5)
        device.beginInterruption()
        bench.run(0.1)
        #expect(bench.lines() == ["began"] && player?.rate == 0)
        player = nil
        bench.run(0.1)
        #expect(bench.lines() == ["ended 0"])
    }

    @Test(
        "Of several interrupted players the first beginning and the last end are posted; a released one does not count"
    )
    func severalPlayers() {
        let session = AVAudioSession.sharedInstance()
        let log = Locked<[UInt]>([])
        let tokens = NotificationTokens()
        tokens.add(AVAudioSession.interruptionNotification, session) { note in
            let type = note.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt
            log.withLock { $0.append(type ?? 9) }
        }
        let players = (0..<3).map { _ in NSObject() }
        let ids = players.map { ObjectIdentifier($0) }
        for id in ids { session.beginInterruption(of: id) }
        session.endInterruption(of: ids[0], shouldResume: true)
        session.endInterruption(of: ids[0], shouldResume: true)
        #expect(log.withLock { $0 } == [1])
        session.forgetPlayer(ids[1])
        session.endInterruption(of: ids[2], shouldResume: true)
        session.endInterruption(of: ids[2], shouldResume: true)
        #expect(log.withLock { $0 } == [1, 0])
        withExtendedLifetime(players) {}
    }
}
