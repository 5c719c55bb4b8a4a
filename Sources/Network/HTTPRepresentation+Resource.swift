package import MediaCore

extension HTTPRepresentation: ResourceByteSource {
    package var isFile: Bool { false }
    package var isReusable: Bool { true }
    package var now: Int64 { policy.loop.now }

    /// Returns a source for a resource that this one refers to. It is not shared, and its bytes are not cached.
    package func openReferenced(_ reference: String, cachePolicy: CachePolicy, validatedAfter: Int64)
        throws(MediaError) -> any ResourceByteSource
    {
        try openReferenced(reference)
    }

    package func wake(_ context: ReadContext, after delay: Int64) throws(MediaError) {
        try policy.loop.call(after: delay) { [weak context] in context?.wake() }
    }
}
