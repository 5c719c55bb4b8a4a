public import CoreMedia
import MediaCore
import Playhead

extension AVAssetImageGenerator {
    /// A sequence of pictures, one for each requested time.
    public struct Images: AsyncSequence, Sendable {
        /// The elements of the sequence.
        public typealias Element = ImageResult
        /// The sequence never throws.
        public typealias Failure = Never

        /// The times whose results have not been read. The iterators of the sequence share them, as they do the results.
        private let times: Locked<ArraySlice<CMTime>>
        private let results: AsyncStream<Playhead.ImageResult>

        init(_ times: [CMTime], _ results: AsyncStream<Playhead.ImageResult>) {
            self.times = Locked(times[...])
            self.results = results
        }

        /// A picture, or the reason why there is none.
        public enum ImageResult: Sendable {
            /// The picture and its time.
            case success(requestedTime: CMTime, image: CGImage, actualTime: CMTime)
            /// The error.
            case failure(requestedTime: CMTime, error: any Error)

            /// The requested time.
            public var requestedTime: CMTime {
                switch self {
                case .success(let time, _, _), .failure(let time, _): time
                }
            }

            /// The picture.
            ///
            /// - Throws: The error of a failure.
            public var image: CGImage {
                get throws {
                    switch self {
                    case .success(_, let image, _): return image
                    case .failure(_, let error): throw error
                    }
                }
            }

            /// The time of the picture.
            ///
            /// - Throws: The error of a failure.
            public var actualTime: CMTime {
                get throws {
                    switch self {
                    case .success(_, _, let time): return time
                    case .failure(_, let error): throw error
                    }
                }
            }
        }

        /// Returns the iterator for the reader.
        ///
        /// - Returns: The iterator.
        public func makeAsyncIterator() -> Iterator {
            Iterator(times: times, inner: results.makeAsyncIterator())
        }

        /// The iterator of the sequence.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let times: Locked<ArraySlice<CMTime>>
            fileprivate var inner: AsyncStream<Playhead.ImageResult>.Iterator

            /// Returns the next picture, or nil after the last one.
            ///
            /// - Returns: The picture.
            public mutating func next() async -> ImageResult? {
                guard let result = await inner.next() else { return nil }
                let time = times.withLock { $0.popFirst() } ?? CMTime(result.requestedTime)
                switch result {
                case .success(_, let frame, let actualTime):
                    return .success(
                        requestedTime: time,
                        image: CGImage(frame),
                        actualTime: CMTime(actualTime)
                    )
                case .failure(_, let error): return .failure(requestedTime: time, error: AVError(error))
                }
            }
        }
    }
}
