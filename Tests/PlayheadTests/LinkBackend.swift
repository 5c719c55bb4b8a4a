import MediaCore
import PlaybackEngine
import Playhead
import PlayheadBackend
import PlayheadTesting

/// A network link that several downloads share equally, on the clock of the driver.
final class SharedLink: Sendable {
    private struct State {
        /// The time in seconds.
        var time = 0.0
        var bytes = 0.0
        /// The downloads: the requested bytes, and the received ones.
        var waiting: [ObjectIdentifier: (wanted: Double, come: Double)] = [:]
    }

    /// The bit rates from a time in seconds on; the first one applies from 0.
    private let speeds: [(from: Double, bits: Double)]
    private let state = Locked(State())

    init(_ speeds: [(from: Double, bits: Double)]) { self.speeds = speeds }

    /// The bytes that were received by all downloads.
    func bytes(at now: HostTime) -> Int64 {
        state.withLock { state in
            advance(&state, to: now)
            return Int64(state.bytes)
        }
    }

    /// Returns whether everything has been received. Call it again until it returns true.
    func receive(_ bytes: Double, for reader: ObjectIdentifier, at now: HostTime) -> Bool {
        state.withLock { state in
            advance(&state, to: now)
            if let held = state.waiting[reader], held.come >= bytes - 0.001 {
                state.waiting[reader] = nil
                return true
            }
            if state.waiting[reader] == nil { state.waiting[reader] = (bytes, 0) }
            return false
        }
    }

    func leave(_ reader: ObjectIdentifier) { state.withLock { $0.waiting[reader] = nil } }

    private func advance(_ state: inout State, to now: HostTime) {
        let end = Double(now.nanoseconds) / 1e9
        while state.time < end {
            let open = state.waiting.filter { $0.value.come < $0.value.wanted }
            guard let least = open.map({ $0.value.wanted - $0.value.come }).min() else { break }
            let speed = (speeds.last { $0.from <= state.time }?.bits ?? 1) / 8
            let share = speed / Double(open.count)
            let next = speeds.first { $0.from > state.time }?.from ?? .infinity
            let step = max(min(end, next, state.time + least / share) - state.time, 1e-7)
            for reader in open.keys { state.waiting[reader]?.come += share * step }
            state.bytes += speed * step
            state.time += step
        }
        state.time = max(state.time, end)
    }
}

/// A backend that plays a script in several variants over a link.
struct LinkBackend: MediaBackend {
    let media: ScriptedMedia
    /// The variants in the order of the playlist.
    let bitRates: [Double]
    let link: SharedLink
    let driver: ManualDriver
    /// The seconds of media that a live presentation offers at time zero. As many more are offered as time has passed.
    /// Nil: all media is offered.
    var secondsOffered: Double?

    func makeDemuxer(for request: OpenRequest) -> any Demuxer { LinkDemuxer(self, request.options) }
    func makeVideoConverter() -> any VideoConverter { inner.makeVideoConverter() }
    func makeAudioConverter(to format: AudioFormat) -> any AudioConverter {
        inner.makeAudioConverter(to: format)
    }
    private var inner: ScriptedBackend { ScriptedBackend(media, driver: driver) }
}

private final class LinkDemuxer: Demuxer {
    private struct State {
        var handler: (@Sendable (ReadNotice) -> Void)?
        /// The number of the variant.
        var index = 0
        /// Whether the packet is being received.
        var pending: Packet?
        /// The bytes that were received and not used.
        var held = 0.0
        /// Whether a retry is scheduled.
        var isScheduled = false
        /// Whether the next packet is not offered yet.
        var awaitsMedia = false
    }

    private let backend: LinkBackend
    private let options: DemuxerOptions
    private let inner: ScriptedDemuxer
    private let lane: any Lane
    private let state = Locked(State())
    /// The number of tracks of each variant.
    private static let stride = 64

    init(_ backend: LinkBackend, _ options: DemuxerOptions) {
        self.options = options
        self.backend = backend
        inner = ScriptedDemuxer(backend.media, driver: backend.driver)
        lane = backend.driver.makeLane(.blockingIO, label: "link")
    }

    private var reader: ObjectIdentifier { ObjectIdentifier(self) }

    func open() throws(MediaError) -> Poll<MediaDescription> {
        var description = try inner.open().get()
        let tracks = description.tracks
        description.isLocal = false
        description.tracks = []
        for (index, bitRate) in backend.bitRates.enumerated() {
            let own = tracks.map { track in
                var track = track
                track.id += index * Self.stride
                return track
            }
            description.tracks += own
            let ids = Set(own.map(\.id))
            let size = PixelSize(width: 16, height: 8)
            description.variants.append(
                Variant(peakBitRate: bitRate, size: size, codecs: own.map(\.codec), trackIDs: ids)
            )
        }
        let chosen = options.chooseVariant?(description)
        let index = chosen.flatMap { description.variants.firstIndex(of: $0) } ?? 0
        state.withLock { $0.index = index }
        return .ready(description)
    }

    func read() throws(MediaError) -> Poll<Packet?> {
        guard case .ready(let next) = try next() else { return .pending }
        guard var packet = next else { return .ready(nil) }
        let awaitsMedia = !isOffered(packet)
        state.withLock { $0.awaitsMedia = awaitsMedia }
        if awaitsMedia {
            lookAgain(for: packet)
            return .pending
        }
        let (index, held) = state.withLock { ($0.index, $0.held) }
        let seconds = packet.track == ScriptedMedia.videoTrack ? packet.duration?.seconds ?? 0 : 0
        let bytes = backend.bitRates[index] * seconds / 8
        if held < bytes {
            // Data arrives in pieces of a fifth of a second.
            let piece = backend.bitRates[index] / 40
            if backend.link.receive(piece, for: reader, at: backend.driver.now) {
                state.withLock { $0.held += piece }
            }
        }
        guard state.withLock({ $0.held }) >= bytes else {
            lookAgain(for: packet)
            return .pending
        }
        state.withLock { $0.held -= bytes }
        packet.track += index * Self.stride
        return .ready(packet)
    }

    private func isOffered(_ packet: Packet) -> Bool {
        guard let offered = backend.secondsOffered else { return true }
        let time = (packet.decodeTime ?? packet.presentationTime)?.seconds ?? 0
        return time < offered + Double(backend.driver.now.nanoseconds) / 1e9
    }

    private func lookAgain(for packet: Packet) {
        let isNew = state.withLock { state in
            defer { state.isScheduled = true }
            state.pending = packet
            return !state.isScheduled
        }
        guard isNew else { return }
        let time = backend.driver.now.advanced(by: 2_000_000)
        _ = backend.driver.schedule(at: time, on: lane) { [weak self] in
            let handler = self?.state.withLock { state in
                state.isScheduled = false
                return state.handler
            }
            handler?(.ready)
        }
    }

    private func next() throws(MediaError) -> Poll<Packet?> {
        let pending = state.withLock { state in
            defer { state.pending = nil }
            return state.pending
        }
        if let pending { return .ready(pending) }
        return try inner.read()
    }

    func seek(to target: MediaTime, preference: SeekPreference) throws(MediaError) -> Poll<Void> {
        state.withLock { state in
            state.pending = nil
            state.held = 0
            state.awaitsMedia = false
        }
        backend.link.leave(reader)
        return try inner.seek(to: target, preference: preference)
    }

    func setEnabledTracks(_ ids: Set<Int>) {
        let index = state.withLock { $0.index }
        inner.setEnabledTracks(Set(ids.map { $0 - index * Self.stride }))
    }

    func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> Poll<any Decoder> {
        try inner.makeDecoder(for: track % Self.stride, options: options)
    }

    func setNoticeHandler(_ handler: (@Sendable (ReadNotice) -> Void)?) {
        state.withLock { $0.handler = handler }
    }

    func begin(_ epoch: Epoch) { inner.begin(epoch) }
    func interrupt(before epoch: Epoch) { inner.interrupt(before: epoch) }
    var receivedBytes: Int64? { backend.link.bytes(at: backend.driver.now) }
    var awaitsMedia: Bool { state.withLock { $0.awaitsMedia } }

    func cancel() {
        backend.link.leave(reader)
        inner.cancel()
    }
}
