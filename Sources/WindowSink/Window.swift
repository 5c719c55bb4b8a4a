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
    /// Whether there is no window system: the window is the whole display then.
    private let isDirect: Bool
    private var isFullscreen = false
    /// The place of the window, in SDL's units, to return to.
    private var placeBeforeFullscreen: ph_sdl_rect?
    /// The size in pixels that was last reported.
    private(set) var size = PixelSize.zero
    private var mustDraw = true
    private var mustMeasure = true
    /// The frame on the screen, which is needed again if the display loses it.
    private(set) var frame: VideoFrame?
    private var destroyHandlers: [@Sendable () -> Void] = []

    private var functions: ph_sdl { sdl.functions.pointee }

    /// Opens a window for frames of the given size, or as large as the display permits.
    ///
    /// - Parameter isDirect: Whether there is no window system.
    init(_ sdl: SDLLibrary, _ content: WindowContent, for size: PixelSize, isDirect: Bool)
        throws(PlaybackError)
    {
        self.sdl = sdl
        self.content = content
        self.isDirect = isDirect
        let functions = sdl.functions.pointee
        try Self.checkDisplay(content.display, count: Int(functions.GetNumVideoDisplays()))
        let display = content.display ?? 0
        // A window manager chooses the place unless a display was named.
        let place = content.display == nil ? PH_SDL_WINDOWPOS_UNDEFINED : PH_SDL_WINDOWPOS_CENTERED
        let position = Int32(place | display)
        // A full-screen window of the desktop's size keeps the mode of the display.
        let flags = isDirect ? PH_SDL_WINDOW_FULLSCREEN_DESKTOP : PH_SDL_WINDOW_RESIZABLE
        var bounds = ph_sdl_rect()
        let isKnown = ph_sdl_usable_bounds(sdl.functions, Int32(display), &bounds) == 0
        let available = PixelSize(width: Int(bounds.w), height: Int(bounds.h))
        let opening = Self.size(for: size, in: isKnown ? available : size)
        guard
            let window = functions.CreateWindow(
                content.title,
                position,
                position,
                Int32(clamping: opening.width),
                Int32(clamping: opening.height),
                UInt32(flags | PH_SDL_WINDOW_ALLOW_HIGHDPI)
            )
        else { throw .cannotShowFrames(sdl.lastError) }
        guard let renderer = Self.makeRenderer(sdl, window, isDirect: isDirect) else {
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

    /// Throws if a display is named that does not exist.
    static func checkDisplay(_ display: Int?, count: Int) throws(PlaybackError) {
        if count < 1 { throw .cannotOpenWindow("no screen is connected") }
        guard let display, !(0..<count).contains(display) else { return }
        let existing =
            count == 1
            ? "there is 1 display, number 0" : "there are \(count) displays, numbered 0 to \(count - 1)"
        throw .cannotOpenWindow("display \(display) does not exist: \(existing)")
    }

    /// Returns the size of a window: that of the frame, scaled down if necessary to be completely visible.
    static func size(for size: PixelSize, in available: PixelSize) -> PixelSize {
        if size.width <= available.width, size.height <= available.height { return size }
        return VideoGeometry(VideoShape(size: size), gravity: .resizeAspect, target: available).videoRect.size
    }

    /// Closes the window. It must not be used afterwards.
    ///
    /// - Returns: The closures to call after the window has disappeared.
    func destroy() -> [@Sendable () -> Void] {
        texture.destroy()
        functions.DestroyRenderer(renderer)
        functions.DestroyWindow(window)
        return destroyHandlers
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
        try draw()
    }

    /// Uploads the frame again after the display has lost it.
    func restore() throws(PlaybackError) {
        texture.destroy()
        guard let frame else { return }
        try texture.load(frame)
        mustDraw = true
    }

    private func draw() throws(PlaybackError) {
        mustDraw = false
        // Until the layer has adopted a new window size, frames have another size: they are shown completely, with
        // their aspect ratio kept.
        let rect =
            texture.size.isEmpty || size.isEmpty
            ? .zero
            : VideoGeometry(VideoShape(size: texture.size), gravity: .resizeAspect, target: size).videoRect
        var isDrawn = true
        if rect.size != size {
            _ = functions.SetRenderDrawColor(renderer, 0, 0, 0, 255)
            isDrawn = functions.RenderClear(renderer) == 0
        }
        isDrawn =
            texture.draw(
                ph_sdl_rect(
                    x: Int32(clamping: rect.x),
                    y: Int32(clamping: rect.y),
                    w: Int32(clamping: rect.width),
                    h: Int32(clamping: rect.height)
                )
            ) && isDrawn
        // Presenting has no result; what was queued fails here.
        guard functions.RenderFlush(renderer) == 0, isDrawn else { throw .cannotShowFrames(sdl.lastError) }
        functions.RenderPresent(renderer)
    }

    // MARK: Changes

    func setTitle(_ title: String) { functions.SetWindowTitle(window, title) }

    func applyFullscreen() {
        if isDirect {
            _ = functions.ShowCursor(0)
            return
        }
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
        var place = ph_sdl_rect()
        functions.GetWindowPosition(window, &place.x, &place.y)
        functions.GetWindowSize(window, &place.w, &place.h)
        placeBeforeFullscreen = place
        fillCurrentDisplay()
    }

    private func fillCurrentDisplay() {
        var bounds = ph_sdl_rect()
        let display = functions.GetWindowDisplayIndex(window)
        guard display >= 0, ph_sdl_display_bounds(sdl.functions, display, &bounds) == 0 else { return }
        setPlace(bounds)
    }

    /// Adapts to a change of the displays.
    func displaysChanged() {
        if isFullscreen, !isDirect { fillCurrentDisplay() }
        mustMeasure = true
        mustDraw = true
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
    func applyChanges() throws(PlaybackError) {
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
        if mustDraw { try draw() }
    }

    // MARK: For tests

    /// Returns the drawn pixels, four bytes each: blue, green, red, unused.
    func pixels() -> [UInt8]? {
        do throws(PlaybackError) {
            try draw()
        } catch {
            // Without a result there are no pixels to compare.
            return nil
        }
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
