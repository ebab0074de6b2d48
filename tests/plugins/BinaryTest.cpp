#include "support/Suite.h"

#include "host/plugins/binary/BinaryCheck.h"
#include "host/plugins/binary/ElfFile.h"
#include "host/plugins/binary/HelperCheck.h"

#include "portico/Plugin.h"

#include <algorithm>
#include <elf.h>
#include <fstream>
#include <random>
#include <sstream>

using namespace portico;
using namespace portico::host::plugins;

namespace
{

using portico::testing::equal;
using portico::testing::Suite;

std::string fixtureBytes(const std::string& situation)
{
    std::ostringstream bytes;
    bytes << std::ifstream(std::string(FIXTURES) + "/" + situation + "/" + situation + ".so", std::ios::binary).rdbuf();
    return bytes.str();
}

Manifest currentManifest()
{
    Manifest manifest;
    manifest.sdkEpoch = portico::abi::epoch;
    return manifest;
}

/// A host's fingerprint with one field changed.
std::string with(const std::string& field, const std::string& value)
{
    std::string text(hostFingerprint());
    const auto at = text.find(field + "=");
    CHECK(at != std::string::npos);
    return text.replace(at, text.find(';', at) - at, field + "=" + value);
}
} // namespace

/// Reading shared objects that may be anything, and comparing fingerprints field by field.
class BinaryTest : public Suite<BinaryTest>
{
    TEST(helpersAreStaticPrograms)
    {
        const auto has = [](const std::string& fault, const char* text) { return fault.find(text) != std::string::npos; };
        CHECK(has(helperFault("#!/bin/sh\nexit 0\n"), "expected a 64-bit ELF program"));
        std::ostringstream bytes;
        bytes << std::ifstream("/proc/self/exe", std::ios::binary).rdbuf();
        const auto own = bytes.str();
        CHECK(has(helperFault(own), "needs a dynamic loader"));
        CHECK(has(helperFault(own.substr(0, sizeof(Elf64_Ehdr))), "beyond its end"));
        equal("", helperFault(fixtureBytes("ok-v1")));
    }

    TEST(readsWhatAPluginSays)
    {
        const auto file = ElfFile::parse(fixtureBytes("ok-v1"));
        equal(std::string(hostFingerprint()), file.fingerprint.value());
        CHECK(std::ranges::find(file.needed, "libportico.so.1") != file.needed.end());
        CHECK(!file.searchPath && !file.neverUnloads);
        equal(1, std::ranges::count_if(file.symbols, &ElfSymbol::defined));
        CHECK(checkBinary(file, currentManifest()).empty());
    }

    TEST(everyTruncationIsRefusedOrHarmless)
    {
        const auto bytes = fixtureBytes("ok-v1");
        for (std::size_t size = 0; size < bytes.size(); size += size < 4096 ? 1 : 997)
            CPPUNIT_ASSERT_THROW(ElfFile::parse(std::string_view(bytes).substr(0, size)), ElfError);
    }

    TEST(randomDamageIsRefusedOrHarmless)
    {
        const auto original = fixtureBytes("ok-v1");
        std::mt19937 random(42);
        int refused = 0;
        for (int round = 0; round < 2000; ++round)
        {
            auto bytes = original;
            // Half of the damage goes into headers and tables, where it matters.
            for (int i = 0; i < 8; ++i) bytes[random() % (i < 4 ? 1024 : bytes.size())] = static_cast<char>(random());
            try
            {
                ElfFile::parse(bytes);
            }
            catch (const ElfError&)
            {
                ++refused;
            }
        }
        CHECK(refused > 0);
    }

    TEST(absurdTablesAreRefused)
    {
        auto bytes = fixtureBytes("ok-v1");
        auto& header = *reinterpret_cast<Elf64_Ehdr*>(bytes.data());
        header.e_shoff = ~std::uint64_t{0} - 8;
        CPPUNIT_ASSERT_THROW(ElfFile::parse(bytes), ElfError);
        header.e_shoff = 64;
        header.e_shentsize = 1;
        CPPUNIT_ASSERT_THROW(ElfFile::parse(bytes), ElfError);
        CPPUNIT_ASSERT_THROW(ElfFile::parse(""), ElfError);
    }

    TEST(equalFingerprintsFit)
    {
        CHECK(compareFingerprints(hostFingerprint(), hostFingerprint()).empty());
        for (const auto* field : {"epoch=", "minor=", "arch=", "compiler=", "cxxabi=", "libstdcxx=", "cxx11abi=", "checks=", "cplusplus=",
                                  "sanitize=", "Request=", "Problem="})
            CPPUNIT_ASSERT_MESSAGE(field, hostFingerprint().find(field) != std::string_view::npos);
    }

    TEST(everyDifferingFieldIsReported)
    {
        const auto one = compareFingerprints(hostFingerprint(), with("Request", "8/8"));
        equal(1, one.size());
        equal("fingerprint field 'Request': expected " + std::to_string(sizeof(Request)) + "/8, found 8/8", one[0]);
        equal(3, compareFingerprints("a=1;b=2;c=3;d=4;", "a=1;b=x;c=;e=5;d=4").size());
        equal("fingerprint field 'b': expected 2, found nothing", compareFingerprints("a=1;b=2;", "a=1;").at(0));
        equal("fingerprint field 'b': expected nothing, found 2", compareFingerprints("a=1;", "a=1;b=2;").at(0));
    }

    TEST(olderMinorFits)
    {
        CHECK(compareFingerprints("minor=3;", "minor=2;").empty());
        equal("fingerprint field 'minor': expected at most 3, found 4", compareFingerprints("minor=3;", "minor=4;").at(0));
        equal(1, compareFingerprints("minor=3;", "minor=-1;").size());
        equal(1, compareFingerprints("minor=3;", "minor=99999999999999999999;").size());
    }

    TEST(hostileFingerprints)
    {
        for (const auto* text : {"", ";", "=", "===;;;", "epoch", "epoch=1\x01\x02;"})
            CHECK(!compareFingerprints(hostFingerprint(), text).empty());
        const auto faults = compareFingerprints("a=1;", "a=\x1b[31m" + std::string(500, 'x') + ";");
        equal(1, faults.size());
        CHECK(faults[0].size() < 150 && faults[0].find('\x1b') == std::string::npos);
    }

    TEST(gateRulesAreRepeated)
    {
        ElfFile file;
        file.fingerprint = std::string(hostFingerprint());
        file.symbols = {{"portico_plugin", true, false}};
        const auto manifest = currentManifest();
        CHECK(checkBinary(file, manifest).empty());
        const auto refuses = [&](auto change, std::string_view part)
        {
            auto changed = file;
            change(changed);
            const auto faults = checkBinary(changed, manifest);
            equal(1, faults.size());
            CPPUNIT_ASSERT_MESSAGE(faults[0], faults[0].find(part) != std::string::npos);
        };
        refuses([](ElfFile& f) { f.needed = {"libportico.so.1", "libcurl.so.4"}; }, "it needs libcurl.so.4");
        refuses([](ElfFile& f) { f.needed = {"libc.so"}; }, "it needs libc.so,");
        refuses([](ElfFile& f) { f.searchPath = "/tmp"; }, "search path");
        refuses([](ElfFile& f) { f.neverUnloads = true; }, "NODELETE");
        refuses([](ElfFile& f) { f.symbols.push_back({"helper", true, false}); }, "portico_plugin, helper");
        refuses([](ElfFile& f) { f.symbols.clear(); }, "found: none");
        refuses([](ElfFile& f) { f.fingerprint.reset(); }, "ELF note");
        refuses([](ElfFile& f) { f.symbols.push_back({"__cxa_thread_atexit", false, false}); }, "thread_local");
    }
};
