#pragma once

#include "portico/Access.h"
#include "portico/Caller.h"
#include "portico/Config.h"
#include "portico/Events.h"
#include "portico/Health.h"
#include "portico/HostInfo.h"
#include "portico/Jobs.h"
#include "portico/Mailer.h"
#include "portico/Problem.h"
#include "portico/Request.h"
#include "portico/Response.h"
#include "portico/Routes.h"

#include <cstddef>
#include <string>
#include <string_view>

/// Raised by any change of the SDK that is not an addition. A plugin of another epoch is not loaded. docs/decisions has the reason of each.
#ifndef PORTICO_SDK_EPOCH
#define PORTICO_SDK_EPOCH 1
#endif
/// Raised for every addition; a plugin with a higher one than the host's is not loaded.
#ifndef PORTICO_SDK_MINOR
#define PORTICO_SDK_MINOR 0
#endif

#define PORTICO_FP_STRING2(x) #x
#define PORTICO_FP_STRING(x) PORTICO_FP_STRING2(x)

#ifndef PORTICO_FP_COMPILER
#if defined(__clang__)
#define PORTICO_FP_COMPILER "clang-" PORTICO_FP_STRING(__clang_major__)
#else
#define PORTICO_FP_COMPILER "gcc-" PORTICO_FP_STRING(__GNUC__)
#endif
#endif
#if defined(__x86_64__)
#define PORTICO_FP_ARCH "x86_64-linux"
#elif defined(__aarch64__)
#define PORTICO_FP_ARCH "aarch64-linux"
#else
#define PORTICO_FP_ARCH "other-linux"
#endif
#if defined(_GLIBCXX_DEBUG)
#define PORTICO_FP_CHECKS "debug"
#elif defined(_GLIBCXX_ASSERTIONS)
#define PORTICO_FP_CHECKS "assertions"
#else
#define PORTICO_FP_CHECKS "none"
#endif
#ifdef PORTICO_SANITIZE
#define PORTICO_FP_SANITIZE PORTICO_SANITIZE
#else
#define PORTICO_FP_SANITIZE "none"
#endif

namespace portico::detail
{

/// A text built at compile time, so that an ELF note can contain it as plain bytes.
struct FingerprintText
{
    char data[1024] = {};
    std::size_t size = 0;

    constexpr void append(std::string_view text)
    {
        for (const char c : text) data[size++] = c;
    }
    constexpr void append(std::size_t number)
    {
        char digits[20] = {};
        std::size_t count = 0;
        do digits[count++] = static_cast<char>('0' + number % 10);
        while ((number /= 10) != 0);
        while (count > 0) data[size++] = digits[--count];
    }
    /// `name=size/alignment;` of a type that crosses the edge by value or by reference to its members.
    template <class T>
    constexpr void layout(std::string_view name)
    {
        append(name);
        append("=");
        append(sizeof(T));
        append("/");
        append(alignof(T));
        append(";");
    }
};

/// Everything that must agree between a host and a plugin, as `name=value;` pairs in a fixed order. `minor` alone may be lower in the
/// plugin.
constexpr FingerprintText makeFingerprint()
{
    FingerprintText text;
    text.append("epoch=" PORTICO_FP_STRING(PORTICO_SDK_EPOCH) ";minor=" PORTICO_FP_STRING(PORTICO_SDK_MINOR) ";");
    text.append("arch=" PORTICO_FP_ARCH ";compiler=" PORTICO_FP_COMPILER ";cxxabi=" PORTICO_FP_STRING(__GXX_ABI_VERSION) ";");
    text.append("libstdcxx=" PORTICO_FP_STRING(_GLIBCXX_RELEASE) ";cxx11abi=" PORTICO_FP_STRING(_GLIBCXX_USE_CXX11_ABI) ";");
    text.append("checks=" PORTICO_FP_CHECKS ";cplusplus=" PORTICO_FP_STRING(__cplusplus) ";sanitize=" PORTICO_FP_SANITIZE ";");
    text.layout<std::string>("string");
    text.layout<Access>("Access");
    text.layout<Caller>("Caller");
    text.layout<Config>("Config");
    text.layout<Event>("Event");
    text.layout<HealthCheck>("HealthCheck");
    text.layout<HostInfo>("HostInfo");
    text.layout<Job>("Job");
    text.layout<Jobs::Options>("JobOptions");
    text.layout<Mail>("Mail");
    text.layout<Problem>("Problem");
    text.layout<Request>("Request");
    text.layout<Response>("Response");
    text.layout<RouteDeclaration>("RouteDeclaration");
    return text;
}

inline constexpr FingerprintText fingerprint = makeFingerprint();

/// An ELF note (owner `Portico`, type 1) whose description is the fingerprint: read from the file without loading it, because static
/// constructors run inside `dlopen` and a check afterwards would be too late.
struct FingerprintNote
{
    unsigned nameSize = 8;
    unsigned descriptionSize = static_cast<unsigned>(fingerprint.size + 1);
    unsigned type = 1;
    char name[8] = {'P', 'o', 'r', 't', 'i', 'c', 'o', '\0'};
    char description[(fingerprint.size + 1 + 3) / 4 * 4] = {};

    constexpr FingerprintNote()
    {
        for (std::size_t i = 0; i < fingerprint.size; ++i) description[i] = fingerprint.data[i];
    }
};

} // namespace portico::detail

/// Defines the note; part of PORTICO_PLUGIN.
#define PORTICO_FINGERPRINT_NOTE                                                                                                           \
    namespace                                                                                                                              \
    {                                                                                                                                      \
    [[gnu::section(".note.portico"), gnu::used, gnu::aligned(4)]] constinit const ::portico::detail::FingerprintNote porticoNote;          \
    }
