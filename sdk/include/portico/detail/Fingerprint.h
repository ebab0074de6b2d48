#pragma once

#include "portico/Caller.h"
#include "portico/Problem.h"
#include "portico/Request.h"
#include "portico/Response.h"

#include <cxxabi.h>
#include <string>
#include <vector>

/// The fingerprint is a text of `name=value;` pairs built by the preprocessor, so that it can stand in an ELF note and be read without
/// loading the file. Sizes of the value types are checked apart, in the descriptor's static assertions below, because the preprocessor
/// cannot know them.

#define PORTICO_FP_STRING2(x) #x
#define PORTICO_FP_STRING(x) PORTICO_FP_STRING2(x)

#if defined(__clang__)
#define PORTICO_FP_COMPILER "clang=" PORTICO_FP_STRING(__clang_major__)
#else
#define PORTICO_FP_COMPILER "gcc=" PORTICO_FP_STRING(__GNUC__)
#endif
#if defined(__x86_64__)
#define PORTICO_FP_ARCH "x86_64-linux"
#elif defined(__aarch64__)
#define PORTICO_FP_ARCH "aarch64-linux"
#else
#define PORTICO_FP_ARCH "other-linux"
#endif
#if defined(_GLIBCXX_DEBUG)
#define PORTICO_FP_DEBUG "debug"
#elif defined(_GLIBCXX_ASSERTIONS)
#define PORTICO_FP_DEBUG "assertions"
#else
#define PORTICO_FP_DEBUG "none"
#endif
#ifndef PORTICO_SANITIZE
#define PORTICO_FP_SANITIZE "none"
#else
#define PORTICO_FP_SANITIZE PORTICO_SANITIZE
#endif
#ifndef PORTICO_FP_OVERRIDE_COMPILER
#define PORTICO_FP_OVERRIDE_COMPILER PORTICO_FP_COMPILER
#endif
#ifndef PORTICO_FP_EPOCH
#define PORTICO_FP_EPOCH 1
#endif
#ifndef PORTICO_FP_MINOR
#define PORTICO_FP_MINOR 0
#endif

#define PORTICO_FINGERPRINT                                                                                                                     \
    "epoch=" PORTICO_FP_STRING(PORTICO_FP_EPOCH) ";minor=" PORTICO_FP_STRING(                                                                   \
        PORTICO_FP_MINOR) ";arch=" PORTICO_FP_ARCH ";compiler=" PORTICO_FP_OVERRIDE_COMPILER                                                    \
                          ";cxxabi=" PORTICO_FP_STRING(__GXX_ABI_VERSION) ";libstdcxx=" PORTICO_FP_STRING(                                      \
                              _GLIBCXX_RELEASE) ";cxx11abi=" PORTICO_FP_STRING(_GLIBCXX_USE_CXX11_ABI) ";checks=" PORTICO_FP_DEBUG              \
                                                                                                       ";cplusplus=" PORTICO_FP_STRING(         \
                                                                                                           __cplusplus) ";sanitize"             \
                                                                                                                        "=" PORTICO_FP_SANITIZE \
                                                                                                                        ";"

/// An ELF note (owner `Portico`, type 1) with the fingerprint as its description.
#define PORTICO_FINGERPRINT_NOTE                                                                                                           \
    namespace                                                                                                                              \
    {                                                                                                                                      \
    struct PorticoNote                                                                                                                     \
    {                                                                                                                                      \
        unsigned nameSize, descriptionSize, type;                                                                                          \
        char name[8];                                                                                                                      \
        char description[(sizeof(PORTICO_FINGERPRINT) + 3) / 4 * 4];                                                                       \
    };                                                                                                                                     \
    [[gnu::section(".note.portico"), gnu::used, gnu::aligned(4)]] const PorticoNote porticoNote = {8, sizeof(PORTICO_FINGERPRINT), 1,      \
                                                                                                   "Portico", PORTICO_FINGERPRINT};        \
    }
