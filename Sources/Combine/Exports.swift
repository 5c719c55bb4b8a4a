#if Combine
    @_exported public import OpenCombine
    @_exported public import OpenCombineDispatch
    @_exported public import OpenCombineFoundation
#else
    /// Not available: the trait `Combine` of the package is not enabled.
    @available(*, unavailable, message: "enable the trait: .package(url: ..., traits: [\"Combine\"])")
    public final class AnyCancellable {}
#endif
