internal import CSDL
internal import MediaCore

/// A window and its content. Confined to `WindowThread`.
final class Window {
    let content: WindowContent
    let identifier: UInt32
    private let sdl: SDLLibrary
    private let window: OpaquePointer
    private let renderer: OpaquePointer
    private let texture: WindowTexture
    private var isFullscreen = false
    /// The place of the window, in SDL's units, to return to.
    private var placeBeforeFullscreen: ph_sdl_rect?
    /// The size in pixels that was last reported.
    private var size = PixelSize.zero
    private var mustDraw = true
    private var mustMeasure = true
    /// The frame on the screen, which is needed again if the display loses it.
    private var frame: VideoFrame?
    private var destroyHandlers: [@Sendable () -> Void] = []

    private var functions: ph_sdl { sdl.functions.pointee }

    /// Opens a window for frames of the given size, or as large as the display permits.
    init(_ sdl: SDLLibrary, _ content: WindowContent, for size: PixelSize) throws(PlaybackError) {
        self.sdl = sdl
        self.content = content
        let functions = sdl.functions.pointee
        var bounds = ph_sdl_rect()
        let isKnown = ph_sdl_usable_bounds(sdl.functions, 0, &bounds) == 0
        let available = PixelSize(width: Int(bounds.w), height: Int(bounds.h))
        let opening = Self.size(for: size, in: isKnown ? available : size)
        guard
            let window = functions.CreateWindow(
                content.title,
                Int32(PH_SDL_WINDOWPOS_UNDEFINED),
                Int32(PH_SDL_WINDOWPOS_UNDEFINED),
                Int32(clamping: opening.width),
                Int32(clamping: opening.height),
                UInt32(PH_SDL_WINDOW_RESIZABLE | PH_SDL_WINDOW_ALLOW_HIGHDPI)
            )
        else { throw .cannotShowFrames(sdl.lastError) }
        guard let renderer = Self.makeRenderer(sdl, window) else {
            let reason = sdl.lastError
            functions.DestroyWindow(window)
            throw .cannotShowFrames(reason)
        }
        self.window = window
        self.renderer = renderer
        identifier = functions.GetWindowID(window)
        texture = WindowTexture(sdl, renderer)
        applyFullscreen()
    }

    /// Returns the size of a window: that of the frame, scaled down if necessary to be completely visible.
    static func size(for size: PixelSize, in available: PixelSize) -> PixelSize {
        if size.width <= available.width, size.height <= available.height { return size }
        return VideoGeometry(VideoShape(size: size), gravity: .resizeAspect, target: available).videoRect.size
    }

    /// Closes the window. It must not be used afterwards.
    func destroy() {
        texture.destroy()
        functions.DestroyRenderer(renderer)
        functions.DestroyWindow(window)
        for body in destroyHandlers { body() }
    }

    /// Registers a closure that is called when the window is closed.
    func onDestroy(_ body: @escaping @Sendable () -> Void) { destroyHandlers.append(body) }

    // MARK: Frames

    /// Shows a frame.
    ///
    /// - Throws: `PlaybackError` if it cannot be drawn.
    func show(_ frame: VideoFrame) throws(PlaybackError) {
        self.frame = frame
        try texture.load(frame)
        draw()
    }

    /// Uploads the frame again after the display has lost it.
    func restore() {
        texture.destroy()
        guard let frame else { return }
        do throws(PlaybackError) {
            try texture.load(frame)
            mustDraw = true
        } catch { content.fail(error) }
    }

    private func draw() {
        mustDraw = false
        // Until the layer has adopted a new window size, frames have another size: they are shown completely, with
        // their aspect ratio kept.
        let rect =
            texture.size.isEmpty || size.isEmpty
            ? .zero
            : VideoGeometry(VideoShape(size: texture.size), gravity: .resizeAspect, target: size).videoRect
        if rect.size != size {
            _ = functions.SetRenderDrawColor(renderer, 0, 0, 0, 255)
            _ = functions.RenderClear(renderer)
        }
        texture.draw(
            ph_sdl_rect(
                x: Int32(clamping: rect.x),
                y: Int32(clamping: rect.y),
                w: Int32(clamping: rect.width),
                h: Int32(clamping: rect.height)
            )
        )
        functions.RenderPresent(renderer)
    }

    // MARK: Changes

    func setTitle(_ title: String) { functions.SetWindowTitle(window, title) }

    func applyFullscreen() {
        guard isFullscreen != content.isFullscreen else { return }
        isFullscreen.toggle()
        if isFullscreen {
            fillDisplay()
            _ = functions.SetWindowFullscreen(window, UInt32(PH_SDL_WINDOW_FULLSCREEN_DESKTOP))
        } else {
            _ = functions.SetWindowFullscreen(window, 0)
            if let place = placeBeforeFullscreen { setPlace(place) }
        }
        _ = functions.ShowCursor(isFullscreen ? 0 : 1)
        mustMeasure = true
    }

    /// Gives the window the place and the size of its display.
    ///
    /// SDL asks the window manager for full screen. An X server without one, as on a kiosk, would leave the window as
    /// it is.
    private func fillDisplay() {
        var (place, bounds) = (ph_sdl_rect(), ph_sdl_rect())
        functions.GetWindowPosition(window, &place.x, &place.y)
        functions.GetWindowSize(window, &place.w, &place.h)
        placeBeforeFullscreen = place
        let display = functions.GetWindowDisplayIndex(window)
        guard display >= 0, ph_sdl_display_bounds(sdl.functions, display, &bounds) == 0 else { return }
        setPlace(bounds)
    }

    private func setPlace(_ place: ph_sdl_rect) {
        functions.SetWindowPosition(window, place.x, place.y)
        functions.SetWindowSize(window, place.w, place.h)
    }

    func handle(change: Int) {
        switch change {
        case PH_SDL_WINDOWEVENT_EXPOSED: mustDraw = true
        case PH_SDL_WINDOWEVENT_SIZE_CHANGED: mustMeasure = true
        case PH_SDL_WINDOWEVENT_CLOSE: content.deliver(.closeRequested)
        default: break
        }
    }

    /// Returns a place in pixels of the display. SDL counts in units of the window, which are larger on displays of high
    /// density.
    func pixels(_ x: Int, _ y: Int) -> (x: Int, y: Int) {
        var (width, height): (Int32, Int32) = (0, 0)
        functions.GetWindowSize(window, &width, &height)
        guard width > 0, height > 0 else { return (x, y) }
        return (x * size.width / Int(width), y * size.height / Int(height))
    }

    /// Reports the size and draws, both at most once, after all pending events were handled.
    func applyChanges() {
        if mustMeasure {
            mustMeasure = false
            var (width, height): (Int32, Int32) = (0, 0)
            let isKnown = functions.GetRendererOutputSize(renderer, &width, &height) == 0
            let now = PixelSize(width: Int(width), height: Int(height))
            if isKnown, now != size {
                size = now
                mustDraw = true
                if !now.isEmpty { content.deliverSize(now) }
            }
        }
        if mustDraw { draw() }
    }

    // MARK: For tests

    /// Returns the drawn pixels, four bytes each: blue, green, red, unused.
    func pixels() -> [UInt8]? {
        draw()
        var bytes = [UInt8](repeating: 0, count: size.width * size.height * 4)
        let code = functions.RenderReadPixels(
            renderer,
            nil,
            UInt32(PH_SDL_PIXELFORMAT_BGRA),
            &bytes,
            Int32(size.width * 4)
        )
        return code == 0 ? bytes : nil
    }

    func resize(to size: PixelSize) {
        functions.SetWindowSize(window, Int32(size.width), Int32(size.height))
    }
}
