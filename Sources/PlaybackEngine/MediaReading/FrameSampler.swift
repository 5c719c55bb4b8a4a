package import MediaCore
package import PlayheadBackend

/// Delivers the frames due at a number of times, in the order of the times.
///
/// The frames are found by image request queues. Each window of samples, whose frames fit into memory, is decoded in
/// ascending order of time: every frame is decoded once, whatever the order of the output. Several queues decode groups
/// of pictures at the same time. Conversions run on the sampler's lane, beside decoding.
///
/// `@unchecked Sendable`: members are confined to `lane`, except for the queues, which may be used from any thread.
package final class FrameSampler: @unchecked Sendable {
    private let selection: FrameSelection
    private let start: MediaTime
    private let end: MediaTime?
    private let shape: FrameShape
    private let converter: any VideoConverter
    private let output: ReaderOutput<VideoFrame>
    private let fallback: @Sendable () -> Void
    private let lane: any Lane
    private let queues: [ImageRequestQueue]
    private let findsSyncPoints: Bool

    private var workers: [Worker]
    private var times: SampleTimes?
    /// The largest number of samples in a window.
    private var windowLength = 1
    private var window: SampleGroups?
    /// The position after the last sample of the window.
    private var windowEnd = 0
    /// Whether the sync points of the window are being searched for.
    private var isDividing = false
    /// The frames that wait for earlier ones, by their positions in the output.
    private var finished: [Int: Result<VideoFrame, MediaError>] = [:]
    private var nextIndex = 0
    private var isClosed = false

    /// One queue and the part of the window that it decodes.
    private struct Worker {
        var remaining: Range<Int> = 0..<0
        /// The requests that have not been answered, or whose frames have not been converted.
        var pendingCount = 0
        /// The last frame and its conversion. Consecutive samples may have the same frame, which the queue then holds;
        /// it is not retained here, because a decoded frame can be large.
        weak var lastStorage: (any VideoFrameStorage)?
        var lastShaped: VideoFrame?
    }

    /// The bytes of the frames of one window, and those that the output holds.
    package static let byteLimit = 64 << 20
    private static let maximumWindowLength = 128
    /// The requests of one queue at a time: one that is decoded, and one so that the queue does not wait.
    private static let maximumPendingCount = 2

    /// Creates a sampler. Nothing is opened before `begin()`.
    ///
    /// - Parameters:
    ///   - selection: The frames.
    ///   - start: The start of the range.
    ///   - end: The end of the range, or nil for the end of the asset.
    ///   - shape: The shape of the output.
    ///   - driver: The driver of the sampler's lane.
    ///   - queues: The queues that decode, at least one. The sampler closes them.
    ///   - findsSyncPoints: Whether sync points are searched for before decoding, because reading costs little. If
    ///     false, one queue decodes everything.
    ///   - converter: Makes frames of `shape`.
    ///   - output: The queue that the sampler fills.
    ///   - fallback: Called once, on the sampler's lane, instead of filling the output, if a rate is requested and the
    ///     asset has no known duration, only an estimated one, or is not seekable. The queues are closed then.
    package init(
        _ selection: FrameSelection,
        from start: MediaTime,
        to end: MediaTime?,
        shape: FrameShape,
        driver: any Driver,
        queues: [ImageRequestQueue],
        findsSyncPoints: Bool,
        converter: any VideoConverter,
        output: ReaderOutput<VideoFrame>,
        fallback: @escaping @Sendable () -> Void
    ) {
        self.selection = selection
        self.start = start
        self.end = end
        self.shape = shape
        self.queues = queues
        self.findsSyncPoints = findsSyncPoints
        self.converter = converter
        self.output = output
        self.fallback = fallback
        // Conversions are not urgent, as the decoding of images is not.
        lane = driver.makeLane(.blockingIO, label: "sampler")
        workers = queues.map { _ in Worker() }
    }

    /// Begins to open the asset. Any thread, once.
    package func begin() {
        output.onCapacity.set { [weak self] in self?.perform { $0.advance() } }
        perform { $0.open() }
    }

    /// Ends sampling and closes the queues. Any thread.
    package func close() {
        for queue in queues { queue.close() }
        perform { $0.release() }
    }

    private func perform(_ body: @escaping @Sendable (FrameSampler) -> Void) {
        lane.enqueue { [self] in body(self) }
    }

    private func release() {
        isClosed = true
        output.onCapacity.clear()
        finished = [:]
        window = nil
        workers = queues.map { _ in Worker() }
    }

    // MARK: Times

    private func open() {
        guard !isClosed, let queue = queues.first else { return }
        let opened = Locked<(description: MediaDescription, track: Track)?>(nil)
        let search = SyncPointSearch(
            times: { description, track in
                opened.withLock { $0 = (description, track) }
                return []
            },
            answer: { [weak self] result in
                let found = opened.withLock { $0 }
                self?.perform { sampler in
                    switch result {
                    case .failure(let error): sampler.finish(error)
                    case .success: if let found { sampler.opened(found.description, found.track) }
                    }
                }
            }
        )
        queue.findSyncPoints(search, ImageTicket())
    }

    private func opened(_ description: MediaDescription, _ track: Track) {
        guard !isClosed else { return }
        // A cover is an image of the asset, and no video.
        if track.isAttachedPicture {
            return finish(MediaError(.noPlayableTracks, "no playable video track"))
        }
        // An estimated duration may be shorter than the data, and the frames after it would be missing.
        let hasKnownDuration = description.duration.isNumeric && !description.durationIsEstimate
        if case .rate = selection, !description.isSeekable || !hasKnownDuration {
            for queue in queues { queue.close() }
            release()
            return fallback()
        }
        do throws(MediaError) {
            times = try selection.times(from: start, to: end, of: description, track)
        } catch {
            return finish(error)
        }
        let byteCount = shape.estimatedByteCount(natural: track.naturalSize)
        windowLength = max(1, min(Self.maximumWindowLength, Self.byteLimit / max(1, byteCount)))
        advance()
    }

    // MARK: Windows

    /// Delivers what is ready, and requests what follows.
    private func advance() {
        guard !isClosed, let times else { return }
        while let result = finished[nextIndex] {
            switch result {
            case .failure(let error): return finish(error)
            case .success(let frame):
                guard output.hasCapacity else { return request() }
                output.append(frame, byteCount: frame.storage.byteCount)
                finished[nextIndex] = nil
                nextIndex += 1
            }
        }
        guard nextIndex < times.count else { return finish(nil) }
        // The frames of one window are in memory at a time.
        if nextIndex == windowEnd { beginWindow(times) }
        request()
    }

    private func beginWindow(_ times: SampleTimes) {
        let range = windowEnd..<windowEnd + min(windowLength, times.count - windowEnd)
        windowEnd = range.upperBound
        let groups = SampleGroups(times, range)
        window = groups
        guard findsSyncPoints, groups.samples.count > 1 else { return }
        isDividing = true
        let wanted = groups.samples.map(\.time)
        let search = SyncPointSearch(
            times: { _, _ in wanted },
            answer: { [weak self] result in self?.perform { $0.divide(result) } }
        )
        queues.first?.findSyncPoints(search, ImageTicket())
    }

    private func divide(_ result: Result<[MediaTime?], MediaError>) {
        isDividing = false
        // Without sync points one queue decodes everything, and reports the error if it persists.
        if case .success(let syncPoints) = result { window?.divide(by: syncPoints) }
        advance()
    }

    /// Submits requests to the queues that have capacity for them.
    private func request() {
        guard !isDividing, let window else { return }
        for index in workers.indices {
            while workers[index].pendingCount < Self.maximumPendingCount {
                if workers[index].remaining.isEmpty {
                    guard let group = self.window?.popFirst() else { break }
                    workers[index].remaining = group
                }
                let sample = window.samples[takeFirst(of: index)]
                workers[index].pendingCount += 1
                submit(sample, to: index)
            }
        }
    }

    /// Removes and returns the first position of a worker's part, which is not empty.
    private func takeFirst(of worker: Int) -> Int {
        let remaining = workers[worker].remaining
        workers[worker].remaining = remaining.dropFirst()
        return remaining.lowerBound
    }

    private func submit(_ sample: SampleGroups.Sample, to worker: Int) {
        let queue = queues[worker]
        var request = ImageRequest(time: sample.time, generation: queue.generation)
        request.syncPoint = sample.syncPoint
        queue.request(request, ImageTicket()) { [weak self] answer in
            self?.perform { $0.receive(answer, sample.index, worker) }
        }
    }

    private func receive(_ answer: ImageRequestQueue.Answer, _ index: Int, _ worker: Int) {
        guard !isClosed else { return }
        do throws(MediaError) {
            finished[index] = .success(try shaped(try answer.get(), worker))
        } catch {
            finished[index] = .failure(error)
        }
        workers[worker].pendingCount -= 1
        advance()
    }

    private func shaped(_ frame: VideoFrame, _ worker: Int) throws(MediaError) -> VideoFrame {
        let last = workers[worker]
        if let shaped = last.lastShaped, last.lastStorage === frame.storage { return shaped }
        let shaped = try shape.apply(to: frame, with: converter)
        workers[worker].lastStorage = frame.storage
        // A frame that needs no conversion is not retained either.
        workers[worker].lastShaped = shaped.storage === frame.storage ? nil : shaped
        return shaped
    }

    private func finish(_ error: MediaError?) {
        guard !isClosed else { return }
        output.finish(error)
        for queue in queues { queue.close() }
        release()
    }
}
