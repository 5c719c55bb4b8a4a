// Declarations of SDL2. The library is opened when a window is first created, so it is not required to build or start a
// program. Windows, renderers and textures are opaque here; structures that are read or written are declared as
// ph_sdl_... with the same layout. `make headers` checks all of this against SDL's headers.
#ifndef PLAYHEAD_CSDL_SDL_H
#define PLAYHEAD_CSDL_SDL_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

typedef struct SDL_Window SDL_Window;
typedef struct SDL_Renderer SDL_Renderer;
typedef struct SDL_Texture SDL_Texture;
struct SDL_Rect;
struct SDL_RendererInfo;
union SDL_Event;

int SDL_InitSubSystem(uint32_t flags);
void SDL_QuitSubSystem(uint32_t flags);
const char *SDL_GetError(void);
unsigned SDL_SetHint(const char *name, const char *value);
const char *SDL_GetCurrentVideoDriver(void);
void SDL_EnableScreenSaver(void);
void SDL_DisableScreenSaver(void);
unsigned SDL_IsScreenSaverEnabled(void);
int SDL_ShowCursor(int toggle);
void SDL_StartTextInput(void);

int SDL_GetNumVideoDisplays(void);
int SDL_GetDisplayUsableBounds(int display, struct SDL_Rect *bounds);
int SDL_GetDisplayBounds(int display, struct SDL_Rect *bounds);
int SDL_GetWindowDisplayIndex(SDL_Window *window);
void SDL_GetWindowPosition(SDL_Window *window, int *x, int *y);
void SDL_SetWindowPosition(SDL_Window *window, int x, int y);
SDL_Window *SDL_CreateWindow(const char *title, int x, int y, int w, int h, uint32_t flags);
void SDL_DestroyWindow(SDL_Window *window);
uint32_t SDL_GetWindowID(SDL_Window *window);
void SDL_SetWindowTitle(SDL_Window *window, const char *title);
void SDL_SetWindowSize(SDL_Window *window, int w, int h);
void SDL_GetWindowSize(SDL_Window *window, int *w, int *h);
int SDL_SetWindowFullscreen(SDL_Window *window, uint32_t flags);

SDL_Renderer *SDL_CreateRenderer(SDL_Window *window, int index, uint32_t flags);
void SDL_DestroyRenderer(SDL_Renderer *renderer);
int SDL_GetRendererInfo(SDL_Renderer *renderer, struct SDL_RendererInfo *info);
int SDL_GetRendererOutputSize(SDL_Renderer *renderer, int *w, int *h);
int SDL_SetRenderDrawColor(SDL_Renderer *renderer, uint8_t r, uint8_t g, uint8_t b, uint8_t a);
int SDL_RenderClear(SDL_Renderer *renderer);
int SDL_RenderCopy(SDL_Renderer *renderer, SDL_Texture *texture, const struct SDL_Rect *source,
                   const struct SDL_Rect *target);
int SDL_RenderFlush(SDL_Renderer *renderer);
void SDL_RenderPresent(SDL_Renderer *renderer);
int SDL_RenderReadPixels(SDL_Renderer *renderer, const struct SDL_Rect *rect, uint32_t format, void *pixels,
                         int pitch);
SDL_Texture *SDL_CreateTexture(SDL_Renderer *renderer, uint32_t format, int access, int w, int h);
void SDL_DestroyTexture(SDL_Texture *texture);
int SDL_SetTextureBlendMode(SDL_Texture *texture, unsigned mode);
int SDL_SetTextureScaleMode(SDL_Texture *texture, unsigned mode);
int SDL_UpdateTexture(SDL_Texture *texture, const struct SDL_Rect *rect, const void *pixels, int pitch);

int SDL_WaitEventTimeout(union SDL_Event *event, int timeout);
int SDL_PushEvent(union SDL_Event *event);

enum {
    PH_SDL_INIT_VIDEO = 0x20,
    PH_SDL_WINDOW_RESIZABLE = 0x20,
    PH_SDL_WINDOW_ALLOW_HIGHDPI = 0x2000,
    PH_SDL_WINDOW_FULLSCREEN_DESKTOP = 0x1001,
    PH_SDL_WINDOWPOS_UNDEFINED = 0x1FFF0000,
    PH_SDL_WINDOWPOS_CENTERED = 0x2FFF0000,
    PH_SDL_RENDERER_SOFTWARE = 1,
    PH_SDL_RENDERER_PRESENTVSYNC = 4,
    PH_SDL_TEXTUREACCESS_STREAMING = 1,
    PH_SDL_BLENDMODE_NONE = 0,
    PH_SDL_SCALEMODE_LINEAR = 1,
    // On little-endian machines: the bytes blue, green and red, and an unused byte or alpha.
    PH_SDL_PIXELFORMAT_BGR0 = 0x16161804,
    PH_SDL_PIXELFORMAT_BGRA = 0x16362004,

    PH_SDL_QUIT = 0x100,
    PH_SDL_DISPLAYEVENT = 0x150,
    PH_SDL_WINDOWEVENT = 0x200,
    PH_SDL_KEYDOWN = 0x300,
    PH_SDL_TEXTINPUT = 0x303,
    PH_SDL_MOUSEBUTTONDOWN = 0x401,
    PH_SDL_MOUSEWHEEL = 0x403,
    PH_SDL_RENDER_TARGETS_RESET = 0x2000,
    PH_SDL_RENDER_DEVICE_RESET = 0x2001,
    PH_SDL_USEREVENT = 0x8000,
    PH_SDL_DISPLAYEVENT_CONNECTED = 2,
    PH_SDL_DISPLAYEVENT_DISCONNECTED = 3,
    PH_SDL_WINDOWEVENT_EXPOSED = 3,
    PH_SDL_WINDOWEVENT_SIZE_CHANGED = 6,
    PH_SDL_WINDOWEVENT_CLOSE = 14,
    PH_SDL_BUTTON_LEFT = 1,

    PH_SDLK_BACKSPACE = 8,
    PH_SDLK_TAB = 9,
    PH_SDLK_RETURN = 13,
    PH_SDLK_ESCAPE = 27,
    PH_SDLK_HOME = 0x4000004A,
    PH_SDLK_PAGEUP = 0x4000004B,
    PH_SDLK_END = 0x4000004D,
    PH_SDLK_PAGEDOWN = 0x4000004E,
    PH_SDLK_RIGHT = 0x4000004F,
    PH_SDLK_LEFT = 0x40000050,
    PH_SDLK_DOWN = 0x40000051,
    PH_SDLK_UP = 0x40000052,
};

#define PH_SDL_HINT_VIDEODRIVER "SDL_VIDEODRIVER"
#define PH_SDL_HINT_APP_NAME "SDL_APP_NAME"
#define PH_SDL_HINT_NO_SIGNAL_HANDLERS "SDL_NO_SIGNAL_HANDLERS"
#define PH_SDL_HINT_VIDEO_ALLOW_SCREENSAVER "SDL_VIDEO_ALLOW_SCREENSAVER"
#define PH_SDL_HINT_VIDEO_MINIMIZE_ON_FOCUS_LOSS "SDL_VIDEO_MINIMIZE_ON_FOCUS_LOSS"
#define PH_SDL_HINT_QUIT_ON_LAST_WINDOW_CLOSE "SDL_QUIT_ON_LAST_WINDOW_CLOSE"
#define PH_SDL_HINT_FRAMEBUFFER_ACCELERATION "SDL_FRAMEBUFFER_ACCELERATION"
#define PH_SDL_HINT_BYPASS_COMPOSITOR "SDL_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR"

typedef struct {
    int x, y, w, h;
} ph_sdl_rect;

typedef struct {
    const char *name;
    uint32_t flags, num_texture_formats, texture_formats[16];
    int max_texture_width, max_texture_height;
} ph_sdl_renderer_info;

typedef union {
    uint32_t type;
    struct {
        uint32_t type, timestamp, display;
        uint8_t event, padding[3];
        int32_t data1;
    } display;
    struct {
        uint32_t type, timestamp, windowID;
        uint8_t event, padding[3];
        int32_t data1, data2;
    } window;
    struct {
        uint32_t type, timestamp, windowID;
        uint8_t state, repeat, padding[2];
        int32_t scancode, sym;
        uint16_t mod;
        uint32_t unused;
    } key;
    struct {
        uint32_t type, timestamp, windowID;
        char text[32];
    } text;
    struct {
        uint32_t type, timestamp, windowID, which;
        uint8_t button, state, clicks, padding;
        int32_t x, y;
    } button;
    struct {
        uint32_t type, timestamp, windowID, which;
        int32_t x, y;
        uint32_t direction;
        // Since SDL 2.0.18; zero in events of older versions.
        float preciseX, preciseY;
    } wheel;
    struct {
        uint32_t type, timestamp, windowID;
        int32_t code;
        void *data1, *data2;
    } user;
    uint8_t padding[56];
} ph_sdl_event;

#define PH_SDL_FUNCTIONS(F) \
    F(InitSubSystem) F(QuitSubSystem) F(GetError) F(SetHint) F(GetCurrentVideoDriver) F(EnableScreenSaver) \
    F(DisableScreenSaver) F(IsScreenSaverEnabled) F(ShowCursor) F(StartTextInput) F(GetNumVideoDisplays) \
    F(GetDisplayUsableBounds) F(GetDisplayBounds) F(GetWindowDisplayIndex) F(GetWindowPosition) F(SetWindowPosition) \
    F(CreateWindow) F(DestroyWindow) F(GetWindowID) F(SetWindowTitle) F(GetWindowSize) F(SetWindowSize) F(SetWindowFullscreen) \
    F(CreateRenderer) F(DestroyRenderer) F(GetRendererInfo) F(GetRendererOutputSize) F(SetRenderDrawColor) \
    F(RenderClear) F(RenderCopy) F(RenderFlush) F(RenderPresent) F(RenderReadPixels) F(CreateTexture) F(DestroyTexture) \
    F(SetTextureBlendMode) F(SetTextureScaleMode) F(UpdateTexture) F(WaitEventTimeout) \
    F(PushEvent)

#define PH_SDL_FIELD(name) __typeof__(&SDL_##name) name;
typedef struct {
    PH_SDL_FUNCTIONS(PH_SDL_FIELD)
} ph_sdl;
#undef PH_SDL_FIELD

// Fills the table from an opened library. Returns NULL, or the name of the first function that the library lacks.
static inline const char *ph_sdl_load(void *library, ph_sdl *table) {
#define PH_SDL_LOAD(name) \
    if (!(table->name = (__typeof__(&SDL_##name))dlsym(library, "SDL_" #name))) return "SDL_" #name;
    PH_SDL_FUNCTIONS(PH_SDL_LOAD)
#undef PH_SDL_LOAD
    return NULL;
}

static inline int ph_sdl_wait(const ph_sdl *sdl, ph_sdl_event *event, int timeout) {
    return sdl->WaitEventTimeout((union SDL_Event *)event, timeout);
}
static inline int ph_sdl_push(const ph_sdl *sdl, ph_sdl_event *event) {
    return sdl->PushEvent((union SDL_Event *)event);
}
static inline int ph_sdl_usable_bounds(const ph_sdl *sdl, int display, ph_sdl_rect *bounds) {
    return sdl->GetDisplayUsableBounds(display, (struct SDL_Rect *)bounds);
}
static inline int ph_sdl_display_bounds(const ph_sdl *sdl, int display, ph_sdl_rect *bounds) {
    return sdl->GetDisplayBounds(display, (struct SDL_Rect *)bounds);
}
static inline int ph_sdl_renderer_facts(const ph_sdl *sdl, SDL_Renderer *renderer, ph_sdl_renderer_info *info) {
    return sdl->GetRendererInfo(renderer, (struct SDL_RendererInfo *)info);
}
static inline int ph_sdl_copy(const ph_sdl *sdl, SDL_Renderer *renderer, SDL_Texture *texture, ph_sdl_rect target) {
    return sdl->RenderCopy(renderer, texture, NULL, (const struct SDL_Rect *)&target);
}
static inline int ph_sdl_update(const ph_sdl *sdl, SDL_Texture *texture, ph_sdl_rect rect, const void *pixels,
                                int pitch) {
    return sdl->UpdateTexture(texture, (const struct SDL_Rect *)&rect, pixels, pitch);
}
// The text that was entered, in UTF-8.
static inline const char *ph_sdl_text(const ph_sdl_event *event) { return event->text.text; }

#endif
