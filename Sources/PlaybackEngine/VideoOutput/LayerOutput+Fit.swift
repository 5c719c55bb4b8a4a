package import MediaCore

extension LayerOutput {
    /// The settings by which a layer fits frames.
    package struct Fit: Hashable, Sendable {
        /// The size of the layer, or nil to deliver frames as they were decoded; gravity and background then
        /// have no effect.
        package let size: PixelSize?
        package let gravity: VideoGravity
        package let background: Color
        package let deinterlacing: Deinterlacing
        package let dynamicRange: DynamicRangePolicy

        package init(
            size: PixelSize? = nil,
            gravity: VideoGravity = .resizeAspect,
            background: Color = .clear,
            deinterlacing: Deinterlacing = .none,
            dynamicRange: DynamicRangePolicy = .matchSource
        ) {
            self.size = size
            self.gravity = size == nil ? .resizeAspect : gravity
            self.background = size == nil ? .clear : background
            self.deinterlacing = deinterlacing
            self.dynamicRange = dynamicRange
        }
    }
}
