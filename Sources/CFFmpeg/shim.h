// The parts of libav that Swift uses, with wrappers for those that Swift cannot import: macros with casts, and
// interfaces that differ between versions (compat.h).
#ifndef PLAYHEAD_CFFMPEG_SHIM_H
#define PLAYHEAD_CFFMPEG_SHIM_H

#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/aes.h>
#include <libavutil/avutil.h>
#include <libavutil/channel_layout.h>
#include <libavutil/display.h>
#include <libavutil/hwcontext.h>
#include <libavutil/hwcontext_drm.h>
#include <libavutil/imgutils.h>
#include <libavutil/intreadwrite.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/md5.h>
#include <libavutil/murmur3.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libavutil/sha.h>
#include <libavutil/tx.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>

#include "compat.h"
#include "convert.h"
#include "devices.h"
#include "filters.h"
#include "hardware.h"
#include "tone.h"

// Tests/check-ffmpeg-headers.sh sets this macro, so that the check does not pass with other headers.
#if defined(PLAYHEAD_REQUIRED_LIBAVFORMAT) && LIBAVFORMAT_VERSION_MAJOR < PLAYHEAD_REQUIRED_LIBAVFORMAT
#error "these are not the libavformat headers that were asked for"
#endif

// Error codes. In libav they are macros that encode four characters or negate errno.
static const int PH_ERROR_EOF = AVERROR_EOF;
static const int PH_ERROR_EXIT = AVERROR_EXIT;
static const int PH_ERROR_DECODER_NOT_FOUND = AVERROR_DECODER_NOT_FOUND;
static const int PH_ERROR_EAGAIN = AVERROR(EAGAIN);
static const int PH_ERROR_EINVAL = AVERROR(EINVAL);
static const int PH_ERROR_ENOMEM = AVERROR(ENOMEM);
static const int PH_ERROR_ENOSYS = AVERROR(ENOSYS);
static const int PH_ERROR_EIO = AVERROR(EIO);
static const int PH_ERROR_EPERM = AVERROR(EPERM);
static const int PH_ERROR_ENOENT = AVERROR(ENOENT);
static const int PH_ERROR_EACCES = AVERROR(EACCES);
static const int PH_ERROR_ETIMEDOUT = AVERROR(ETIMEDOUT);

// The value for "no timestamp", which is the minimum of int64_t.
static const int64_t PH_NOPTS = AV_NOPTS_VALUE;

// Reads a little-endian field of side data whose layout libav documents in bytes.
static inline uint32_t ph_read_le32(const uint8_t *bytes) { return AV_RL32(bytes); }

// A four-character code as containers store it in codec_tag.
static inline uint32_t ph_tag(char a, char b, char c, char d) { return MKTAG(a, b, c, d); }

#endif
