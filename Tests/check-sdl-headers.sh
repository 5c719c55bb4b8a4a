#!/bin/sh
# Checks that the declarations of CSDL match SDL2's own headers: functions, constants and layouts.
# The system's headers are used. If they are missing, their package is downloaded to .build-sdl/ and unpacked there;
# nothing is installed.
set -eu

cd "$(dirname "$0")/.."

fail() {
    echo "check-sdl-headers: $*" >&2
    exit 1
}
. Tests/fetch-packages.sh

flags=""
if [ ! -r /usr/include/SDL2/SDL.h ]; then
    root="$PWD/.build-sdl"
    fetch_packages "$root" libsdl2-dev
    flags="-I$root/usr/include -I$root/usr/include/$(architecture)"
fi

# The compiler rejects a second declaration that differs from the first.
clang -fsyntax-only -Werror -std=c11 $flags -ISources/CSDL -x c - <<END || fail "SDL2 is not as declared"
#include <SDL2/SDL.h>
#include "sdl.h"
#define IS(name) _Static_assert((long long)PH_##name == (long long)name, #name);
#define HINT(ours, theirs) _Static_assert(!__builtin_strcmp(ours, theirs), ours);
#define AT(ours, theirs, field) \
    _Static_assert(offsetof(ours, field) == offsetof(theirs, field), #ours " " #field); \
    _Static_assert(sizeof(((ours *)0)->field) == sizeof(((theirs *)0)->field), #ours " " #field);
#define SAME(ours, theirs) _Static_assert(sizeof(ours) == sizeof(theirs), #ours);
IS(SDL_INIT_VIDEO) IS(SDL_WINDOW_RESIZABLE) IS(SDL_WINDOW_ALLOW_HIGHDPI) IS(SDL_WINDOW_FULLSCREEN_DESKTOP)
IS(SDL_WINDOWPOS_UNDEFINED) IS(SDL_RENDERER_SOFTWARE) IS(SDL_RENDERER_PRESENTVSYNC) IS(SDL_TEXTUREACCESS_STREAMING)
IS(SDL_BLENDMODE_NONE) _Static_assert(PH_SDL_SCALEMODE_LINEAR == SDL_ScaleModeLinear, "linear");
_Static_assert(PH_SDL_PIXELFORMAT_BGR0 == SDL_PIXELFORMAT_RGB888, "bgr0");
_Static_assert(PH_SDL_PIXELFORMAT_BGRA == SDL_PIXELFORMAT_ARGB8888, "bgra");
_Static_assert(PH_SDL_WINDOWPOS_UNDEFINED == SDL_WINDOWPOS_UNDEFINED_MASK, "undefined");
_Static_assert(PH_SDL_WINDOWPOS_CENTERED == SDL_WINDOWPOS_CENTERED_MASK, "centered");
IS(SDL_QUIT) IS(SDL_DISPLAYEVENT) IS(SDL_DISPLAYEVENT_CONNECTED) IS(SDL_DISPLAYEVENT_DISCONNECTED)
IS(SDL_WINDOWEVENT) IS(SDL_KEYDOWN) IS(SDL_TEXTINPUT) IS(SDL_MOUSEBUTTONDOWN) IS(SDL_MOUSEWHEEL)
IS(SDL_RENDER_TARGETS_RESET)
IS(SDL_RENDER_DEVICE_RESET) IS(SDL_USEREVENT) IS(SDL_WINDOWEVENT_EXPOSED) IS(SDL_WINDOWEVENT_SIZE_CHANGED)
IS(SDL_WINDOWEVENT_CLOSE) IS(SDL_BUTTON_LEFT)
IS(SDLK_BACKSPACE) IS(SDLK_TAB) IS(SDLK_RETURN) IS(SDLK_ESCAPE) IS(SDLK_HOME) IS(SDLK_PAGEUP) IS(SDLK_END)
IS(SDLK_PAGEDOWN) IS(SDLK_RIGHT) IS(SDLK_LEFT) IS(SDLK_DOWN) IS(SDLK_UP)
HINT(PH_SDL_HINT_VIDEODRIVER, SDL_HINT_VIDEODRIVER)
HINT(PH_SDL_HINT_APP_NAME, SDL_HINT_APP_NAME)
HINT(PH_SDL_HINT_NO_SIGNAL_HANDLERS, SDL_HINT_NO_SIGNAL_HANDLERS)
HINT(PH_SDL_HINT_VIDEO_ALLOW_SCREENSAVER, SDL_HINT_VIDEO_ALLOW_SCREENSAVER)
HINT(PH_SDL_HINT_VIDEO_MINIMIZE_ON_FOCUS_LOSS, SDL_HINT_VIDEO_MINIMIZE_ON_FOCUS_LOSS)
HINT(PH_SDL_HINT_QUIT_ON_LAST_WINDOW_CLOSE, SDL_HINT_QUIT_ON_LAST_WINDOW_CLOSE)
HINT(PH_SDL_HINT_FRAMEBUFFER_ACCELERATION, SDL_HINT_FRAMEBUFFER_ACCELERATION)
HINT(PH_SDL_HINT_BYPASS_COMPOSITOR, SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR)
SAME(ph_sdl_rect, SDL_Rect) AT(ph_sdl_rect, SDL_Rect, x) AT(ph_sdl_rect, SDL_Rect, y)
AT(ph_sdl_rect, SDL_Rect, w) AT(ph_sdl_rect, SDL_Rect, h)
#define FACT(field) AT(ph_sdl_renderer_info, SDL_RendererInfo, field)
SAME(ph_sdl_renderer_info, SDL_RendererInfo) FACT(name) FACT(flags) FACT(num_texture_formats) FACT(texture_formats)
#define EVENT(field) AT(ph_sdl_event, SDL_Event, field)
SAME(ph_sdl_event, SDL_Event) EVENT(type) EVENT(display.display) EVENT(display.event)
EVENT(window.windowID) EVENT(window.event) EVENT(window.data1)
EVENT(window.data2) EVENT(key.windowID) EVENT(key.repeat) EVENT(text.windowID) EVENT(text.text) EVENT(user.code)
EVENT(button.windowID) EVENT(button.button) EVENT(button.clicks) EVENT(button.x) EVENT(button.y)
EVENT(wheel.windowID) EVENT(wheel.x) EVENT(wheel.y) EVENT(wheel.preciseX) EVENT(wheel.preciseY)
_Static_assert(offsetof(ph_sdl_event, key.sym) == offsetof(SDL_Event, key.keysym.sym), "sym");
_Static_assert(offsetof(ph_sdl_event, key.mod) == offsetof(SDL_Event, key.keysym.mod), "mod");
END
echo "SDL2's functions, constants and layouts match our declarations"
