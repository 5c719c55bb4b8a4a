public import MediaCore

extension PushedByteSource {
    /// A part of a resource that the application is asked for.
    ///
    /// The application delivers the bytes in order, in pieces of any size, and then finishes the request. A request that
    /// was cancelled ignores what it receives.
    public final class Request: Sendable {
        private weak let source: PushedByteSource?
        let id: RangeScheduler.RequestID
        /// The offset of the first byte.
        public let offset: Int64
        /// The offset after the last byte, or nil for all bytes up to an end that is unknown.
        public let end: Int64?

        init(
            _ id: RangeScheduler.RequestID,
            of source: PushedByteSource,
            _ offset: Int64,
            _ end: Int64?
        ) {
            self.id = id
            self.source = source
            self.offset = offset
            self.end = end
        }

        /// Whether the request waits for bytes: it was neither finished nor cancelled.
        public var isOpen: Bool { source?.isOpen(self) ?? false }

        /// Delivers the next bytes, which are copied.
        ///
        /// - Parameter bytes: The bytes that follow those delivered before. Bytes beyond `end` are ignored.
        public func receive(_ bytes: UnsafeRawBufferPointer) { source?.receive(bytes, self) }

        /// Finishes the request. If bytes are still missing, they are requested again; if none was delivered, the readers
        /// that wait for them receive an error with the code `.truncated`.
        public func finish() { source?.finish(self) }

        /// Finishes the request with an error, which the readers that wait for its bytes receive.
        ///
        /// - Parameter error: The error.
        public func fail(_ error: MediaError) { source?.fail(self, with: error) }
    }
}
