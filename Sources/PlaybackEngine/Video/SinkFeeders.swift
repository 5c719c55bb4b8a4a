import MediaCore

/// The sinks of one layer, each with what it was last started with and a converter of its own.
final class SinkFeeders: @unchecked Sendable {
    /// Confined to the layer's lane: every call comes from there.
    private var feeders: [Feeder] = []
    private let makeConverter: @Sendable () -> any VideoConverter

    struct Failure {
        let words: MediaError
        let error: any Error
    }

    private final class Feeder {
        let sink: any VideoSink
        let accepted: [PixelFormat]
        var format: VideoFormat?
        var converter: (any VideoConverter)?

        init(_ sink: any VideoSink) {
            self.sink = sink
            accepted = sink.acceptedPixelFormats
        }
    }

    init(makeConverter: @escaping @Sendable () -> any VideoConverter) { self.makeConverter = makeConverter }

    func add(_ sink: any VideoSink) {
        guard !feeders.contains(where: { $0.sink === sink }) else { return }
        feeders.append(Feeder(sink))
    }

    func remove(_ sink: any VideoSink) {
        guard let index = feeders.firstIndex(where: { $0.sink === sink }) else { return }
        feeders.remove(at: index).sink.finish()
    }

    /// A sink that throws is finished and taken off; the others go on. In a layer without extent nothing shows.
    func feed(_ frame: VideoFrame, fit: LayerOutput.Fit, onlyTo sink: (any VideoSink)?) -> [Failure] {
        if let size = fit.size, size.isEmpty { return [] }
        var failures: [Failure] = []
        for feeder in feeders where sink == nil || feeder.sink === sink {
            do {
                let fitted = try convert(frame, fit, for: feeder)
                if feeder.format != fitted.format {
                    feeder.format = fitted.format
                    try feeder.sink.start(fitted.format)
                }
                try feeder.sink.present(fitted)
            } catch {
                remove(feeder.sink)
                let words = "a video sink failed and was taken off: \(error)"
                failures.append(
                    Failure(words: MediaError(.sinkFailed, words, time: frame.presentationTime), error: error)
                )
            }
        }
        return failures
    }

    private func convert(
        _ frame: VideoFrame,
        _ fit: LayerOutput.Fit,
        for feeder: Feeder
    ) throws -> VideoFrame {
        let accepted = feeder.accepted
        let takesOwn = accepted.isEmpty || accepted.contains(frame.pixelFormat)
        if takesOwn, fit.size == nil { return frame }
        let geometry = VideoGeometry(frame.format.shape, gravity: fit.gravity, target: fit.size)
        if takesOwn, geometry.isIdentity {
            var same = frame
            same.format = frame.format.laidOut(by: geometry)
            return same
        }
        let converter = feeder.converter ?? makeConverter()
        feeder.converter = converter
        if fit.size == nil { return try converter.convert(frame, to: accepted[0], size: frame.size) }
        return try converter.convert(
            frame,
            // A sink that takes everything gets what the frame can be made in.
            to: accepted.isEmpty ? nil : takesOwn ? frame.pixelFormat : accepted[0],
            geometry: geometry,
            background: fit.background
        )
    }

    func flush() {
        for feeder in feeders { feeder.sink.flush() }
    }

    func letGo() { feeders = [] }

    func finish() {
        for feeder in feeders { feeder.sink.finish() }
        feeders = []
    }
}
