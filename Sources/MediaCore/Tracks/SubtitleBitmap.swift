/// A subtitle that consists of pixels (PGS, DVB, DVD).
package final class SubtitleBitmap: Sendable {
    /// A rectangle of pixels. `colors` has an element for each value that `pixels` contains.
    package struct Part: Hashable, Sendable {
        /// The position and size on the canvas.
        package let rect: PixelRect
        /// The palette: 0xAARRGGBB with straight alpha.
        package let colors: [UInt32]
        /// The indices into the palette, in rows without padding.
        package let pixels: [UInt8]

        package init(rect: PixelRect, colors: [UInt32], pixels: [UInt8]) {
            self.rect = rect
            self.colors = colors
            self.pixels = pixels
        }
    }

    /// The size of the video that the author positioned the parts in, or nil for the size of the frame.
    package let canvas: PixelSize?
    package let parts: [Part]

    package init(canvas: PixelSize?, parts: [Part]) {
        self.canvas = canvas
        self.parts = parts
    }

    package var byteCount: Int { parts.reduce(0) { $0 + $1.pixels.count + $1.colors.count * 4 } }
}

extension SubtitleBitmap: Hashable {
    package static func == (one: SubtitleBitmap, other: SubtitleBitmap) -> Bool {
        one === other || one.canvas == other.canvas && one.parts == other.parts
    }

    /// Hashes the positions only: pixels are compared if these are equal.
    package func hash(into hasher: inout Hasher) { hasher.combine(parts.map(\.rect)) }
}
