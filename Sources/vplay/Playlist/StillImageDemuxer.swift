import MediaCore
import PlayheadBackend
import Synchronization

/// A demuxer that presents a file with one frame and without audio as a clip of a given duration. Other files, such as
/// animated images, are read unchanged.
///
/// `@unchecked Sendable`: the variables are only used on the caller's lane, as `Demuxer` requires.
final class StillImageDemuxer: Demuxer, @unchecked Sendable {
    private let inner: any Demuxer
    private let duration: MediaTime
    private let isCancelled = Atomic<Bool>(false)
    /// The description by the wrapped demuxer.
    private var original: MediaDescription?
    private var description: MediaDescription?
    /// The first packets. They are returned before others are read.
    private var packets: [Packet] = []
    /// The packet of the image, or nil if the file is no still image.
    private var image: Packet?
    private var isAtEnd = false
    private var enabled: Set<Int>?

    init(_ inner: any Demuxer, duration: MediaTime) {
        self.inner = inner
        self.duration = duration
    }

    func open() throws(MediaError) -> Poll<MediaDescription> {
        if let description { return .ready(description) }
        if original == nil {
            guard case .ready(let opened) = try inner.open() else { return .pending }
            original = opened
        }
        guard var result = original else { return .pending }
        if let index = Self.indexOfOnlyVideo(in: result.tracks) {
            while packets.count < 2 {
                guard case .ready(let packet) = try inner.read() else { return .pending }
                guard let packet else { break }
                if packet.track == result.tracks[index].id { packets.append(packet) }
            }
            if packets.count == 1 { makeStill(&result, index) }
        }
        description = result
        return .ready(result)
    }

    /// Returns the index of the video track if the container has no other track that is played.
    private static func indexOfOnlyVideo(in tracks: [Track]) -> Int? {
        let played = tracks.indices.filter {
            [.video, .audio].contains(tracks[$0].mediaType) && !tracks[$0].isAttachedPicture
        }
        guard played.count == 1, tracks[played[0]].mediaType == .video else { return nil }
        return played[0]
    }

    private func makeStill(_ result: inout MediaDescription, _ index: Int) {
        packets[0].presentationTime = .zero
        packets[0].decodeTime = .zero
        packets[0].duration = duration
        packets[0].isKeyFrame = true
        image = packets[0]
        packets = []
        result.duration = duration
        result.durationIsEstimate = false
        result.startTime = .zero
        result.tracks[index].timeRange = MediaTimeRange(start: .zero, duration: duration)
        result.tracks[index].frameCount = 1
        result.isSeekable = true
    }

    func setEnabledTracks(_ ids: Set<Int>) {
        enabled = ids
        inner.setEnabledTracks(ids)
    }

    func read() throws(MediaError) -> Poll<Packet?> {
        if let image {
            if isCancelled.load(ordering: .acquiring) { throw Self.cancelled }
            if isAtEnd || enabled.map({ !$0.contains(image.track) }) ?? false { return .ready(nil) }
            isAtEnd = true
            return .ready(image)
        }
        while !packets.isEmpty {
            let packet = packets.removeFirst()
            if enabled?.contains(packet.track) ?? true { return .ready(packet) }
        }
        return try inner.read()
    }

    func seek(to target: MediaTime, preference: SeekPreference) throws(MediaError) -> Poll<Void> {
        guard image != nil else {
            packets = []
            return try inner.seek(to: target, preference: preference)
        }
        if isCancelled.load(ordering: .acquiring) { throw Self.cancelled }
        isAtEnd = false
        return .ready(())
    }

    func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> Poll<any Decoder> {
        let decoder = try inner.makeDecoder(for: track, options: options)
        guard image?.track == track else { return decoder }
        return decoder.map { StillImageDecoder($0, duration: duration) }
    }

    func makeTextDecoder(for track: Int) throws(MediaError) -> Poll<any TextDecoder> {
        try inner.makeTextDecoder(for: track)
    }

    func begin(_ epoch: Epoch) { inner.begin(epoch) }
    func interrupt(before epoch: Epoch) { inner.interrupt(before: epoch) }
    func setNoticeHandler(_ handler: (@Sendable (ReadNotice) -> Void)?) { inner.setNoticeHandler(handler) }
    var loadingState: LoadingState? { inner.loadingState }
    var receivedBytes: Int64? { inner.receivedBytes }
    var awaitsMedia: Bool { inner.awaitsMedia }

    func cancel() {
        isCancelled.store(true, ordering: .releasing)
        inner.cancel()
    }

    private static let cancelled = MediaError(.cancelled, "reading was cancelled")
}
