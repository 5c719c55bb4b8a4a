internal import CSDL
internal import MediaCore

extension Window {
    /// Creates a renderer. Returns nil on failure; `SDLLibrary.lastError` has the reason.
    ///
    /// Frames arrive in the size of the window, so a graphics card would only copy them, which the processor does as
    /// fast. Without a graphics card, OpenGL costs ten times as much. SDL's variable `SDL_RENDER_DRIVER` still
    /// applies.
    ///
    /// Without a window system, SDL has no other way than OpenGL ES, and frames must wait for the display not to tear.
    static func makeRenderer(_ sdl: SDLLibrary, _ window: OpaquePointer, isDirect: Bool) -> OpaquePointer? {
        let flags = isDirect ? PH_SDL_RENDERER_PRESENTVSYNC : PH_SDL_RENDERER_SOFTWARE
        return sdl.functions.pointee.CreateRenderer(window, -1, UInt32(flags))
    }
}

/// A frame in a form that the renderer can draw. Confined to `WindowThread`.
final class WindowTexture {
    private(set) var size = PixelSize.zero
    private let sdl: SDLLibrary
    private let renderer: OpaquePointer
    private let format: UInt32
    private let largest: PixelSize
    private var texture: OpaquePointer?

    private var functions: ph_sdl { sdl.functions.pointee }

    init(_ sdl: SDLLibrary, _ renderer: OpaquePointer) {
        self.sdl = sdl
        self.renderer = renderer
        var info = ph_sdl_renderer_info()
        let areKnown = ph_sdl_renderer_facts(sdl.functions, renderer, &info) == 0
        let count = areKnown ? Int(info.num_texture_formats) : 0
        let formats = withUnsafeBytes(of: info.texture_formats) {
            Array($0.bindMemory(to: UInt32.self).prefix(count))
        }
        // Prefers a format without alpha, which needs no conversion.
        let preferred = UInt32(PH_SDL_PIXELFORMAT_BGR0)
        format = formats.contains(preferred) ? preferred : UInt32(PH_SDL_PIXELFORMAT_BGRA)
        func side(_ value: Int32) -> Int { areKnown && value > 0 ? Int(value) : .max }
        largest = PixelSize(width: side(info.max_texture_width), height: side(info.max_texture_height))
    }

    func load(_ frame: VideoFrame) throws(PlaybackError) {
        let frameSize = frame.size
        guard frameSize.width <= largest.width, frameSize.height <= largest.height else {
            // The first frame may be too large. The next one has the size of the window.
            return
        }
        if size != frameSize || texture == nil { try make(frameSize) }
        guard let texture else { return }
        let isLoaded = frame.withPlanes { planes in
            guard let plane = planes.first else { return false }
            return load(plane, into: texture)
        }
        if !isLoaded { throw .cannotShowFrames(sdl.lastError) }
    }

    private func make(_ newSize: PixelSize) throws(PlaybackError) {
        destroy()
        texture = functions.CreateTexture(
            renderer,
            format,
            Int32(PH_SDL_TEXTUREACCESS_STREAMING),
            Int32(clamping: newSize.width),
            Int32(clamping: newSize.height)
        )
        guard let texture else {
            throw .cannotShowFrames(sdl.lastError)
        }
        size = newSize
        _ = functions.SetTextureBlendMode(texture, UInt32(PH_SDL_BLENDMODE_NONE))
        _ = functions.SetTextureScaleMode(texture, UInt32(PH_SDL_SCALEMODE_LINEAR))
    }

    private func load(_ plane: VideoPlane, into texture: OpaquePointer) -> Bool {
        let (width, height) = (Int32(clamping: size.width), Int32(clamping: size.height))
        if plane.bytesPerRow > 0 {
            let all = ph_sdl_rect(x: 0, y: 0, w: width, h: height)
            return ph_sdl_update(
                sdl.functions,
                texture,
                all,
                plane.baseAddress,
                Int32(clamping: plane.bytesPerRow)
            ) == 0
        }
        // The rows are stored bottom-up.
        return (0..<height).allSatisfy { row in
            let start = plane.baseAddress + Int(row) * plane.bytesPerRow
            let line = ph_sdl_rect(x: 0, y: row, w: width, h: 1)
            return ph_sdl_update(sdl.functions, texture, line, start, Int32(clamping: plane.bytesUsedPerRow))
                == 0
        }
    }

    /// Draws the frame, if there is one. Returns false on failure.
    func draw(_ rect: ph_sdl_rect) -> Bool {
        guard let texture else { return true }
        return ph_sdl_copy(sdl.functions, renderer, texture, rect) == 0
    }

    func destroy() {
        if let texture { functions.DestroyTexture(texture) }
        texture = nil
        size = .zero
    }
}
