// Defines the tables of FFmpeg's formats and codecs with the few that posters need. The linker takes these definitions, and leaves out the
// objects of FFmpeg that define the whole tables. So no other decoder, demuxer, protocol or hardware interface is in the program, and none
// of their libraries.

#include <cstddef>
#include <cstring>
#include <netdb.h>

extern "C"
{
#include <libavcodec/avcodec.h>
#include <libavcodec/bsf.h>
#include <libavformat/avformat.h>
}

namespace
{
/// The functions of FFmpeg that walk a table keep the index in the caller's pointer.
template <class Entry, std::size_t count>
const Entry* next(const Entry* const (&table)[count], void** state)
{
    const auto index = reinterpret_cast<std::size_t>(*state);
    if (index >= count) return nullptr;
    *state = reinterpret_cast<void*>(index + 1);
    return table[index];
}
} // namespace

extern "C"
{
    // FFmpeg's own types of these objects begin with the public ones.
    extern const AVCodec ff_h264_decoder, ff_hevc_decoder, ff_vp8_decoder, ff_vp9_decoder;
    extern const AVInputFormat ff_mov_demuxer, ff_matroska_demuxer;
    extern const AVCodecParser ff_h264_parser, ff_hevc_parser, ff_vp8_parser, ff_vp9_parser;
    extern const AVBitStreamFilter ff_null_bsf, ff_vp9_superframe_split_bsf;
}

namespace
{
constexpr const AVCodec* decoders[] = {&ff_h264_decoder, &ff_hevc_decoder, &ff_vp8_decoder, &ff_vp9_decoder};
constexpr const AVInputFormat* demuxers[] = {&ff_mov_demuxer, &ff_matroska_demuxer};
constexpr const AVCodecParser* parsers[] = {&ff_h264_parser, &ff_hevc_parser, &ff_vp8_parser, &ff_vp9_parser};
constexpr const AVBitStreamFilter* filters[] = {&ff_null_bsf, &ff_vp9_superframe_split_bsf};

/// Replaces a description of hardware that FFmpeg refers to and never uses: no hardware decodes here.
struct Nothing
{
    alignas(16) char bytes[512];
};
} // namespace

// Functions with the names and types of FFmpeg's.
extern "C"
{
    const AVCodec* av_codec_iterate(void** state) { return next(decoders, state); }
    const AVCodec* avcodec_find_decoder(AVCodecID id)
    {
        for (const auto* one : decoders)
            if (one->id == id) return one;
        return nullptr;
    }
    const AVCodec* avcodec_find_decoder_by_name(const char* name)
    {
        for (const auto* one : decoders)
            if (std::strcmp(one->name, name) == 0) return one;
        return nullptr;
    }
    const AVCodec* avcodec_find_encoder(AVCodecID) { return nullptr; }
    const AVCodec* avcodec_find_encoder_by_name(const char*) { return nullptr; }

    const AVInputFormat* av_demuxer_iterate(void** state) { return next(demuxers, state); }
    const AVOutputFormat* av_muxer_iterate(void**) { return nullptr; }
    const AVCodecParser* av_parser_iterate(void** state) { return next(parsers, state); }
    const AVBitStreamFilter* av_bsf_iterate(void** state) { return next(filters, state); }
    const AVBitStreamFilter* av_bsf_get_by_name(const char* name)
    {
        for (const auto* one : filters)
            if (std::strcmp(one->name, name) == 0) return one;
        return nullptr;
    }
    extern const AVClass* ff_bsf_child_class_iterate(void**);
    const AVClass* ff_bsf_child_class_iterate(void**) { return nullptr; }

    // Protocols and network: there are none.
    extern const AVClass* ff_urlcontext_child_class_iterate(void**);
    const AVClass* ff_urlcontext_child_class_iterate(void**) { return nullptr; }
    const AVClass* avio_protocol_get_class(const char*) { return nullptr; }
    const char* avio_enum_protocols(void**, int) { return nullptr; }
    extern const void** ffurl_get_protocols(const char*, const char*);
    const void** ffurl_get_protocols(const char*, const char*) { return nullptr; }
    extern int ff_tls_init();
    int ff_tls_init() { return -1; }
    extern void ff_tls_deinit();
    void ff_tls_deinit() {}
    extern int ff_network_init();
    int ff_network_init() { return 0; }
    extern void ff_network_close();
    void ff_network_close() {}
    int getaddrinfo(const char*, const char*, const addrinfo*, addrinfo**) { return EAI_FAIL; }
    void freeaddrinfo(addrinfo*) noexcept {}

    extern const Nothing ff_h264_nvdec_hwaccel, ff_h264_vaapi_hwaccel, ff_h264_vdpau_hwaccel, ff_hevc_nvdec_hwaccel, ff_hevc_vaapi_hwaccel,
        ff_hevc_vdpau_hwaccel, ff_vp8_nvdec_hwaccel, ff_vp8_vaapi_hwaccel, ff_vp9_nvdec_hwaccel, ff_vp9_vaapi_hwaccel, ff_vp9_vdpau_hwaccel,
        ff_hwcontext_type_cuda, ff_hwcontext_type_drm, ff_hwcontext_type_opencl, ff_hwcontext_type_qsv, ff_hwcontext_type_vaapi,
        ff_hwcontext_type_vdpau, ff_hwcontext_type_vulkan;
    const Nothing ff_h264_nvdec_hwaccel = {}, ff_h264_vaapi_hwaccel = {}, ff_h264_vdpau_hwaccel = {}, ff_hevc_nvdec_hwaccel = {},
                  ff_hevc_vaapi_hwaccel = {}, ff_hevc_vdpau_hwaccel = {}, ff_vp8_nvdec_hwaccel = {}, ff_vp8_vaapi_hwaccel = {},
                  ff_vp9_nvdec_hwaccel = {}, ff_vp9_vaapi_hwaccel = {}, ff_vp9_vdpau_hwaccel = {}, ff_hwcontext_type_cuda = {},
                  ff_hwcontext_type_drm = {}, ff_hwcontext_type_opencl = {}, ff_hwcontext_type_qsv = {}, ff_hwcontext_type_vaapi = {},
                  ff_hwcontext_type_vdpau = {}, ff_hwcontext_type_vulkan = {};
}
