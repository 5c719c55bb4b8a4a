package import MediaCore
internal import Synchronization

/// The samples and settings that an audio device sink exchanges with the thread of its device. Neither waits for the
/// other.
///
/// Several readers may have the same buffer, for a sink that chooses one of several devices. They agree on one by
/// `AudioDeviceSignals.claim`.
package final class AudioDeviceBuffer: Sendable {
    /// The state that the sink shares with its readers.
    package struct Settings: Sendable {
        package var device: String?
        package var title: String
        package var isPaused = true
        package var isFinished = false
        package var format: AudioFormat?
        package var ring: SampleRing?
    }

    package let settings: Locked<Settings>
    package let signals = AudioDeviceSignals()
    private let readers = Locked<[@Sendable () -> Void]>([])

    package init(device: String?, title: String) {
        settings = Locked(Settings(device: device, title: title))
    }

    /// Adds a reader, given as the function that wakes its thread. The function must not block.
    package func addReader(_ wake: @escaping @Sendable () -> Void) { readers.withLock { $0.append(wake) } }

    private func wake() { for wake in readers.withLock({ $0 }) { wake() } }

    private var ring: SampleRing? { settings.withLock { $0.ring } }

    /// Sets the format with the first call. Returns the format that the device accepts.
    package func start(_ format: AudioFormat) -> AudioFormat {
        let (accepted, isNew) = settings.withLock { settings in
            if let format = settings.format { return (format, false) }
            let accepted = Self.accepted(format)
            let rate = Double(accepted.sampleRate)
            settings.format = accepted
            settings.ring = SampleRing(
                channelCount: accepted.channelCount,
                capacity: Int(2 * rate),
                prefill: Int(Self.prefillSeconds * rate),
                gainStep: Float(100 / rate),
                flushes: signals.flushes.load(ordering: .acquiring)
            )
            settings.ring?.setGain(signals.gain)
            return (accepted, true)
        }
        if isNew { wake() }
        return accepted
    }

    package func write(_ buffer: AudioBuffer) {
        guard let ring else { return }
        buffer.withPlanes { planes in
            guard let samples = planes.first?.bindMemory(to: Float.self) else { return }
            ring.write(samples)
        }
        wakeIfNeeded()
    }

    private func wakeIfNeeded() {
        if signals.isWaitingForSamples.load(ordering: .sequentiallyConsistent) { wake() }
    }

    package func setPaused(_ isPaused: Bool) {
        settings.withLock { $0.isPaused = isPaused }
        signals.pauseCalls.add(1, ordering: .releasing)
        wake()
    }

    package func flush() {
        ring?.flush()
        signals.flushes.add(1, ordering: .releasing)
        wake()
    }

    package func setVolume(_ volume: Float) {
        signals.gain = volume
        ring?.setGain(volume)
    }

    package func finish() {
        settings.withLock { $0.isFinished = true }
        wake()
    }

    package var underruns: Int {
        signals.deviceUnderruns.load(ordering: .relaxed) + (ring?.underruns ?? 0)
    }

    package var writableFrameCount: Int {
        // Samples are kept until the first connection. After a connection is lost they would be outdated.
        guard !signals.isDisconnected.load(ordering: .acquiring) else { return 0 }
        return ring?.writableCount ?? 0
    }

    package func skip(_ frames: Int64) { ring?.skip(frames) }

    package func rewind(to frame: Int64) -> Int64? {
        let (ring, rate) = settings.withLock { ($0.ring, $0.format?.sampleRate ?? 0) }
        return ring?.rewind(to: frame, fade: rate / 100)
    }

    package func setExpectsMore(_ expectsMore: Bool) {
        ring?.setExpectsMore(expectsMore)
        // Releases samples that were held back because there were too few of them.
        if !expectsMore { wakeIfNeeded() }
    }

    package func setDevice(_ uniqueID: String?) {
        settings.withLock { $0.device = uniqueID }
        signals.deviceDidChange.store(true, ordering: .releasing)
        wake()
    }

    package func setTitle(_ title: String) {
        settings.withLock { $0.title = title }
        signals.titleDidChange.store(true, ordering: .releasing)
        wake()
    }

    /// The length of a device's buffer. A shorter one underruns on a busy machine, and a longer one delays responses.
    package static let deviceBufferSeconds = 0.2
    /// The length of the audio with which a stream starts.
    package static let prefillSeconds = 0.1

    /// Returns the format that the device accepts for a format.
    private static func accepted(_ format: AudioFormat) -> AudioFormat {
        AudioFormat(
            sampleRate: max(8000, min(192_000, format.sampleRate)),
            channelLayout: accepted(format.channelLayout),
            sampleFormat: .float
        )
    }

    /// Returns the layout that the device accepts for a layout. Layouts with loudspeakers that devices do not have are
    /// mixed to 5.1 or 7.1, and more than eight channels to stereo. The channels of layouts that are not known stay as
    /// they are.
    private static func accepted(_ layout: ChannelLayout) -> ChannelLayout {
        switch layout.channelCount {
        case 3...6 where mixedLayouts.contains(layout.name): ChannelLayout(channelCount: 6, name: "5.1")
        case 7...8 where mixedLayouts.contains(layout.name): ChannelLayout(channelCount: 8, name: "7.1")
        case 1...8: layout
        default: .stereo
        }
    }

    /// FFmpeg's layouts of up to eight channels whose loudspeakers the number of channels does not determine. Devices
    /// do not distinguish side and back loudspeakers unless they have both.
    private static let mixedLayouts: Set<String> = [
        "3.0(back)", "4.0", "3.1", "4.1", "6.0", "6.0(front)", "hexagonal", "6.1", "6.1(back)", "6.1(front)",
        "7.0", "7.0(front)", "7.1(wide)", "7.1(wide-side)", "octagonal",
    ]
}
