import Foundation

/// A virtual desktop for the command: an X server without a screen (Xvfb), and a client that simulates the user through
/// libX11.
enum Desktop {
    static let isThere: Bool = {
        guard Terminal.isThere, hasServer else {
            print("Xvfb is not installed: tests of windows are skipped")
            return false
        }
        return true
    }()

    private static let hasServer: Bool = {
        let paths = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return paths.contains { FileManager.default.isExecutableFile(atPath: "\($0)/Xvfb") }
    }()

    /// Runs a script like `Terminal.run`, with `display(width, height)` for the server, and the functions below for its
    /// windows.
    static func run(_ script: String, _ arguments: String...) async throws -> Outcome {
        try await Terminal.run(prelude + script, arguments)
    }

    /// `window()` waits for the command's window, and `remaining()` until there is none; `title()`, `size()`,
    /// `pixels()`: rows of blue, green, red; `shows(check)` waits until `check(pixels())` holds; `key('space')` presses
    /// one; `resize(w, h)`; `close()`.
    private static let prelude = """
        import atexit, ctypes, subprocess
        from ctypes import c_char_p, c_int, c_long, c_uint, c_ulong, c_void_p, byref, POINTER
        X = ctypes.CDLL('libX11.so.6')
        def declare(name, result, *arguments):
            function = getattr(X, name)
            function.restype, function.argtypes = result, arguments
        declare('XOpenDisplay', c_void_p, c_char_p)
        declare('XDefaultRootWindow', c_ulong, c_void_p)
        declare('XQueryTree', c_int, c_void_p, c_ulong, POINTER(c_ulong), POINTER(c_ulong), POINTER(POINTER(c_ulong)), POINTER(c_uint))
        declare('XFetchName', c_int, c_void_p, c_ulong, POINTER(c_char_p))
        declare('XGetGeometry', c_int, c_void_p, c_ulong, POINTER(c_ulong), *[POINTER(c_int)] * 2, *[POINTER(c_uint)] * 4)
        declare('XGetImage', c_void_p, c_void_p, c_ulong, c_int, c_int, c_uint, c_uint, c_ulong, c_int)
        declare('XDestroyImage', c_int, c_void_p)
        declare('XSendEvent', c_int, c_void_p, c_ulong, c_int, c_long, c_void_p)
        declare('XInternAtom', c_ulong, c_void_p, c_char_p, c_int)
        declare('XStringToKeysym', c_ulong, c_char_p)
        declare('XKeysymToKeycode', ctypes.c_ubyte, c_void_p, c_ulong)
        declare('XKeycodeToKeysym', c_ulong, c_void_p, ctypes.c_ubyte, c_int)
        declare('XResizeWindow', c_int, c_void_p, c_ulong, c_uint, c_uint)
        declare('XSync', c_int, c_void_p, c_int)
        handler = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p)(lambda display, error: 0)
        X.XSetErrorHandler(handler)
        class Key(ctypes.Structure):
            _fields_ = [('type', c_int), ('serial', c_ulong), ('sent', c_int), ('display', c_void_p),
                        ('window', c_ulong), ('root', c_ulong), ('child', c_ulong), ('time', c_ulong),
                        ('x', c_int), ('y', c_int), ('rootX', c_int), ('rootY', c_int),
                        ('state', c_uint), ('code', c_uint), ('same', c_int), ('padding', c_long * 12)]
        class Message(ctypes.Structure):
            _fields_ = [('type', c_int), ('serial', c_ulong), ('sent', c_int), ('display', c_void_p),
                        ('window', c_ulong), ('kind', c_ulong), ('format', c_int), ('data', c_long * 5),
                        ('padding', c_long * 12)]
        def display(width, height):
            global server, screen, root
            ours, its = os.pipe()
            # It goes with this process, however that ends.
            server = subprocess.Popen(
                ['Xvfb', '-displayfd', str(its), '-screen', '0', f'{width}x{height}x24', '-nolisten', 'tcp', '-noreset'],
                pass_fds=[its], stderr=subprocess.DEVNULL, preexec_fn=lambda: ctypes.CDLL(None).prctl(1, signal.SIGKILL))
            os.close(its)
            number = b''
            while not number.endswith(b'\\n'):
                byte = os.read(ours, 1)
                if not byte: sys.exit('Xvfb does not start')
                number += byte
            os.environ['DISPLAY'] = ':' + number.decode().strip()
            for name in ('WAYLAND_DISPLAY', 'SDL_VIDEODRIVER'): os.environ.pop(name, None)
            atexit.register(server.kill)
            screen = X.XOpenDisplay(None)
            root = X.XDefaultRootWindow(screen)
        def children():
            one, two, list, count = c_ulong(), c_ulong(), POINTER(c_ulong)(), c_uint()
            X.XQueryTree(screen, root, byref(one), byref(two), byref(list), byref(count))
            return [list[index] for index in range(count.value)]
        def name(window):
            text = c_char_p()
            return text.value.decode() if X.XFetchName(screen, window, byref(text)) and text.value else ''
        def wait(check, words):
            limit = time.monotonic() + 30
            while True:
                found = check()
                if found: return found
                if time.monotonic() > limit: fail(words)
                more(time.monotonic() + 0.02)
        def window():
            global own
            own = wait(lambda: next((w for w in children() if name(w)), None), 'there is no window')
            return own
        def remaining():
            # The server may notice the end of a process later than its parent does.
            wait(lambda: not children(), 'a window remains')
            return children()
        def title(): return name(own)
        def size():
            parent, values = c_ulong(), [c_int(), c_int()] + [c_uint() for _ in range(4)]
            X.XGetGeometry(screen, own, byref(parent), *[byref(value) for value in values])
            return values[2].value, values[3].value
        def pixels():
            width, height = size()
            image = X.XGetImage(screen, own, 0, 0, width, height, c_ulong(-1).value, 2)
            if not image: return None
            # width, height, xoffset, format, then the memory; bytes_per_line is the fifth number behind it.
            memory = c_void_p.from_address(image + 16).value
            bytes = ctypes.string_at(memory, width * height * 4)
            X.XDestroyImage(image)
            return [[bytes[(y * width + x) * 4:][:3] for x in range(width)] for y in range(height)]
        def shows(check, words='what is expected'):
            def now():
                picture = pixels()
                return picture if picture and check(picture) else None
            return wait(now, 'the window does not show ' + words)
        def key(word):
            symbol = X.XStringToKeysym(word.encode())
            code = X.XKeysymToKeycode(screen, symbol)
            shift = 1 if X.XKeycodeToKeysym(screen, code, 0) != symbol else 0
            for type in (2, 3):
                event = Key(type=type, window=own, root=root, state=shift, code=code, same=1, display=screen)
                X.XSendEvent(screen, own, 1, type - 1, byref(event))
            X.XSync(screen, 0)
        def close():
            event = Message(type=33, window=own, kind=X.XInternAtom(screen, b'WM_PROTOCOLS', 0), format=32)
            event.data[0] = X.XInternAtom(screen, b'WM_DELETE_WINDOW', 0)
            X.XSendEvent(screen, own, 0, 0, byref(event))
            X.XSync(screen, 0)
        def resizeWindow(width, height):
            X.XResizeWindow(screen, own, width, height)
            X.XSync(screen, 0)
        def near(color, wanted): return all(abs(a - b) <= 2 for a, b in zip(color, wanted))
        # A clip of 160x120: white, black; red, blue; BT.601 and limited range.
        def writeQuarters(path, count=60):
            colors = [[(235, 128, 128), (16, 128, 128)], [(81, 90, 240), (41, 240, 110)]]
            def plane(index, width, height):
                return b''.join(bytes([colors[y][x][index] for x in (0, 1) for _ in range(width // 2)])
                                for y in (0, 1) for _ in range(height // 2))
            picture = plane(0, 160, 120) + plane(1, 80, 60) + plane(2, 80, 60)
            with open(path, 'wb') as file:
                file.write(b'YUV4MPEG2 W160 H120 F25:1 Ip A1:1 C420mpeg2\\n')
                for _ in range(count): file.write(b'FRAME\\n' + picture)
        def quarters(picture, top=0, left=0):
            height, width = len(picture) - 2 * top, len(picture[0]) - 2 * left
            at = lambda x, y: picture[top + int(height * y)][left + int(width * x)]
            return (near(at(.25, .25), (255, 255, 255)) and near(at(.75, .25), (0, 0, 0))
                    and near(at(.25, .75), (0, 0, 255)) and near(at(.75, .75), (255, 0, 0)))

        """
}
