public import CoreMedia
public import Foundation
import MediaCore
import Playhead

/// A handler of pictures: the requested time, the picture, its time, the outcome and the error.
public typealias AVAssetImageGeneratorCompletionHandler =
    @Sendable (CMTime, CGImage?, CMTime, AVAssetImageGenerator.Result, (any Error)?) -> Void

/// Makes still pictures of an asset. Pictures that have not been made when it is released are cancelled.
///
/// Handlers are called on an arbitrary thread, one for each time. A change of a property does not affect requests that
/// were made before.
///
/// `@unchecked Sendable`: its stored properties are constants of `Sendable` types. Subclasses must be safe too.
open class AVAssetImageGenerator: NSObject, @unchecked Sendable {
    /// The outcome of a request.
    public enum Result: Int, Sendable {
        /// The picture was made.
        case succeeded = 0
        /// The picture could not be made.
        case failed = 1
        /// The request was cancelled.
        case cancelled = 2
    }

    private let generator: ImageGenerator
    private let ownAsset: AVAsset

    /// A request that is retained until it is answered.
    private struct Pending {
        var token: ObservationToken?
        var isAnswered = false
    }

    /// Creates a generator.
    ///
    /// - Parameter asset: The asset.
    public init(asset: AVAsset) {
        ownAsset = asset
        generator = ImageGenerator(asset: asset.asset)
        generator.pixelFormat = .rgba
        super.init()
    }

    /// The asset.
    open var asset: AVAsset { ownAsset }

    /// A Boolean value that indicates whether pictures are rotated as the track declares it; false by default.
    open var appliesPreferredTrackTransform: Bool {
        get { generator.appliesPreferredTrackTransform }
        set { generator.appliesPreferredTrackTransform = newValue }
    }

    /// The size that a picture is scaled down to fit into; zero, the default, for its own size. A side of zero is not
    /// limited.
    open var maximumSize: CGSize {
        get { generator.maximumSize.map { CGSize($0) } ?? .zero }
        set {
            let size = PixelSize(newValue)
            generator.maximumSize = size == .zero ? nil : size
        }
    }

    /// The maximum time by which a picture may precede the requested time; positive infinity by default.
    open var requestedTimeToleranceBefore: CMTime {
        get { CMTime(generator.requestedTimeToleranceBefore) }
        set { generator.requestedTimeToleranceBefore = MediaTime(newValue) }
    }

    /// The maximum time by which a picture may follow the requested time; positive infinity by default.
    open var requestedTimeToleranceAfter: CMTime {
        get { CMTime(generator.requestedTimeToleranceAfter) }
        set { generator.requestedTimeToleranceAfter = MediaTime(newValue) }
    }

    /// Returns a picture. Blocks its thread until the picture has been made.
    ///
    /// - Parameters:
    ///   - requestedTime: The item time.
    ///   - actualTime: Receives the time of the picture.
    /// - Returns: The picture.
    /// - Throws: `AVError` if the picture cannot be made.
    open func copyCGImage(
        at requestedTime: CMTime,
        actualTime: UnsafeMutablePointer<CMTime>?
    ) throws -> CGImage {
        let answer = Locked<Swift.Result<VideoFrame, PlaybackError>?>(nil)
        let isAnswered = DispatchSemaphore(value: 0)
        request(requestedTime) { result in
            answer.withLock { $0 = result }
            isAnswered.signal()
        }
        isAnswered.wait()
        switch answer.withLock({ $0 }) {
        case .success(let frame):
            actualTime?.pointee = CMTime(frame.presentationTime)
            return CGImage(frame)
        case .failure(let error): throw AVError(error)
        case nil: throw AVError(PlaybackError(code: .cancelled, message: "the request was cancelled"))
        }
    }

    /// Makes pictures, and calls a handler for each.
    ///
    /// - Parameters:
    ///   - requestedTimes: The item times in boxes.
    ///   - handler: Called once for each time.
    @preconcurrency
    open func generateCGImagesAsynchronously(
        forTimes requestedTimes: [NSValue],
        completionHandler handler: @escaping AVAssetImageGeneratorCompletionHandler
    ) {
        for time in requestedTimes.map(\.timeValue) {
            request(time) { result in
                switch result {
                case .success(let frame):
                    handler(time, CGImage(frame), CMTime(frame.presentationTime), .succeeded, nil)
                case .failure(let error):
                    let outcome: Result = error.code == .cancelled ? .cancelled : .failed
                    handler(time, nil, .invalid, outcome, AVError(error))
                }
            }
        }
    }

    /// Makes a picture, and calls a handler.
    ///
    /// - Parameters:
    ///   - requestedTime: The item time.
    ///   - handler: Called once with the picture and its time, or with the error.
    @preconcurrency
    open func generateCGImageAsynchronously(
        for requestedTime: CMTime,
        completionHandler handler: @escaping @Sendable (CGImage?, CMTime, (any Error)?) -> Void
    ) {
        request(requestedTime) { result in
            switch result {
            case .success(let frame): handler(CGImage(frame), CMTime(frame.presentationTime), nil)
            case .failure(let error): handler(nil, .invalid, AVError(error))
            }
        }
    }

    /// Returns a picture and its time.
    ///
    /// - Parameter time: The item time.
    /// - Returns: The picture and its time.
    /// - Throws: `AVError` if the picture cannot be made, or the task was cancelled.
    open func image(at time: CMTime) async throws -> (image: CGImage, actualTime: CMTime) {
        do throws(PlaybackError) {
            let (frame, actualTime) = try await generator.image(at: MediaTime(time))
            return (CGImage(frame), CMTime(actualTime))
        } catch {
            throw AVError(error)
        }
    }

    /// Returns a sequence of pictures, one for each time in their order.
    ///
    /// - Parameter times: The item times.
    /// - Returns: The sequence, which is for one reader.
    open func images(for times: [CMTime]) -> Images {
        Images(times, generator.images(for: times.map { MediaTime($0) }))
    }

    /// Cancels the requests that have not been answered: their handlers get `.cancelled`.
    open func cancelAllCGImageGeneration() { generator.cancelAllImageGeneration() }

    private func request(
        _ time: CMTime,
        _ completion: @escaping @Sendable (Swift.Result<VideoFrame, PlaybackError>) -> Void
    ) {
        let pending = Locked(Pending())
        let token = generator.requestImage(at: MediaTime(time)) { result in
            let token = pending.withLock { pending in
                defer { pending = Pending(token: nil, isAnswered: true) }
                return pending.token
            }
            completion(result)
            withExtendedLifetime(token) {}
        }
        pending.withLock { if !$0.isAnswered { $0.token = token } }
    }
}
