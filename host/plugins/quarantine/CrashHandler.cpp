#include "host/plugins/quarantine/CrashHandler.h"

#include "host/plugins/runtime/PluginScope.h"
#include "host/telemetry/Tracer.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <stdexcept>
#include <string_view>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <system_error>
#include <ucontext.h>
#include <unistd.h>
#include <utility>

namespace portico::host::plugins
{

namespace
{

struct Entry
{
    /// Cleared while the rest is written.
    std::atomic<bool> valid{false};
    MappedImages::Image image;
};

constinit std::array<Entry, MappedImages::capacity> entries;

bool isValid(const Entry& entry) noexcept { return entry.valid.load(std::memory_order_acquire); }

} // namespace

MappedImages::Slot MappedImages::noteMapped(const PluginTag& tag, AddressRange range) noexcept
{
    Slot chosen = capacity;
    for (Slot slot = 0; slot < capacity; ++slot)
    {
        const auto& entry = entries[slot];
        if (!isValid(entry))
        {
            chosen = slot;
            break;
        }
        if (entry.image.unmappedAt == 0) continue;
        if (chosen == capacity || entry.image.unmappedAt < entries[chosen].image.unmappedAt) chosen = slot;
    }
    if (chosen == capacity) return chosen;
    auto& entry = entries[chosen];
    entry.valid.store(false);
    entry.image = {.tag = tag, .range = range};
    entry.valid.store(true, std::memory_order_release);
    return chosen;
}

void MappedImages::noteUnmapped(Slot slot, std::int64_t nowMillis) noexcept
{
    if (slot >= capacity) return;
    auto& entry = entries[slot];
    entry.valid.store(false);
    entry.image.unmappedAt = nowMillis;
    entry.valid.store(true, std::memory_order_release);
}

const MappedImages::Image* MappedImages::find(std::uintptr_t address) noexcept
{
    const Image* found = nullptr;
    for (const auto& entry : entries)
    {
        if (!isValid(entry) || !entry.image.range.holds(address)) continue;
        if (entry.image.unmappedAt == 0) return &entry.image;
        if (!found || entry.image.unmappedAt > found->unmappedAt) found = &entry.image;
    }
    return found;
}

const MappedImages::Image* MappedImages::of(const PluginTag& tag) noexcept
{
    for (const auto& entry : entries)
        if (isValid(entry) && entry.image.unmappedAt == 0 && entry.image.tag.generation == tag.generation &&
            std::strcmp(entry.image.tag.serviceId.data(), tag.serviceId.data()) == 0)
            return &entry.image;
    return nullptr;
}

std::array<const MappedImages::Image*, MappedImages::lately> MappedImages::unmappedLately() noexcept
{
    std::array<const Image*, lately> last{};
    for (const auto& entry : entries)
    {
        if (!isValid(entry) || entry.image.unmappedAt == 0) continue;
        const Image* image = &entry.image;
        for (auto& place : last)
            if (image && (!place || image->unmappedAt > place->unmappedAt)) std::swap(place, image);
    }
    return last;
}

namespace
{

/// A line made without memory from the heap and without functions that a signal handler may not call.
class SignalSafeLine
{
public:
    SignalSafeLine& text(std::string_view text) noexcept
    {
        for (const char c : text)
            if (_size + 1 < _buffer.size()) _buffer[_size++] = c;
        return *this;
    }

    /// Replaces unprintable characters, which a client may have chosen, by underscores.
    SignalSafeLine& printable(std::string_view characters) noexcept
    {
        for (const char c : characters) text(c >= ' ' && c < 0x7f ? std::string_view(&c, 1) : "_");
        return *this;
    }

    SignalSafeLine& number(std::uint64_t number) noexcept
    {
        std::array<char, 20> digits;
        std::size_t count = 0;
        do digits[count++] = static_cast<char>('0' + number % 10);
        while ((number /= 10) != 0);
        while (count > 0) text({&digits[--count], 1});
        return *this;
    }

    SignalSafeLine& hexadecimal(std::uint64_t number) noexcept
    {
        text("0x");
        int shift = 60;
        while (shift > 0 && (number >> shift) == 0) shift -= 4;
        for (; shift >= 0; shift -= 4) text({&"0123456789abcdef"[number >> shift & 15], 1});
        return *this;
    }

    /// Ends it, also where there was no room for all of it, and writes it.
    void write(int descriptor) noexcept
    {
        _buffer[_size++] = '\n';
        for (std::size_t done = 0; done < _size;)
        {
            const auto written = ::write(descriptor, _buffer.data() + done, _size - done);
            if (written <= 0) return;
            done += static_cast<std::size_t>(written);
        }
    }

private:
    std::array<char, 1024> _buffer;
    std::size_t _size = 0;
};

using Words = std::array<std::uintptr_t, 256>;

/// The kernel looks whether memory is there when it is asked to write it into a pipe.
bool readCarefully(const std::array<int, 2>& probe, std::uintptr_t address, Words& words) noexcept
{
    const auto written = ::write(probe[1], reinterpret_cast<const void*>(address), sizeof words);
    if (written <= 0) return false;
    return ::read(probe[0], words.data(), static_cast<std::size_t>(written)) == static_cast<ssize_t>(sizeof words);
}

void describeImage(SignalSafeLine& line, const MappedImages::Image& image, std::uintptr_t address) noexcept
{
    line.text(image.tag.serviceId.data()).text(".so+").hexadecimal(address - image.range.begin);
    if (image.unmappedAt != 0) line.text(" of generation ").number(image.tag.generation).text(", which is unmapped");
}

void describeUnmapped(SignalSafeLine& line) noexcept
{
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    const char* separator = "; unmapped lately: ";
    for (const auto* image : MappedImages::unmappedLately())
    {
        if (!image) return;
        line.text(std::exchange(separator, ", ")).text(image->tag.serviceId.data()).text(" ").number(image->tag.generation);
        const auto seconds = std::max<std::int64_t>(std::int64_t{now.tv_sec} - image->unmappedAt / 1000, 0);
        line.text(" (").number(static_cast<std::uint64_t>(seconds)).text(" s ago)");
    }
}

/// Facts about the crashing thread. Made and used in a signal handler.
class CrashScene
{
public:
    /// `context` is the handler's third argument; `probe` a pipe, through which memory is looked at that may not be there.
    CrashScene(const siginfo_t& info, [[maybe_unused]] const void* context, const std::array<int, 2>& probe) noexcept
        : _info(info), _probe(probe), _tag(PluginScope::current())
    {
#if defined(__x86_64__)
        const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
        _instruction = static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
        _stack = static_cast<std::uintptr_t>(machine.gregs[REG_RSP]);
#elif defined(__aarch64__)
        const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
        _instruction = machine.pc;
        _stack = machine.sp;
#endif
    }

    /// `address 0x10, thread 77 worker-1, at crm.so+0x1f2, route GET …`, for people.
    void describe(SignalSafeLine& line) const noexcept
    {
        // Signals that the process raised itself have no address.
        const auto address = _info.si_code > 0 ? reinterpret_cast<std::uintptr_t>(_info.si_addr) : 0;
        if (_info.si_code > 0) line.text("address ").hexadecimal(address).text(", ");
        std::array<char, 17> thread{};
        ::prctl(PR_GET_NAME, thread.data());
        line.text("thread ").number(static_cast<std::uint64_t>(::syscall(SYS_gettid))).text(" ").printable(thread.data());
        describeCode(line);
        if (const auto* touched = MappedImages::find(address); touched && address != _instruction)
            describeImage(line.text(", touching "), *touched, address);
        if (const auto* request = telemetry::RequestContext::request())
        {
            if (!request->route().empty()) line.text(", route ").printable(request->route());
            line.text(", request ").printable(request->requestId);
        }
        describeUnmapped(line);
    }

private:
    /// Returns the instruction itself. If it is in a library that the plugin called, returns the nearest word on the stack that looks like
    /// a return address. 0 if there is none.
    std::uintptr_t placeIn(std::uintptr_t begin, std::uintptr_t end) const noexcept
    {
        const auto inside = [&](std::uintptr_t address) { return begin <= address && address < end; };
        if (inside(_instruction)) return _instruction;
        constexpr int pages = 32;
        Words words;
        for (int page = 0; page < pages; ++page)
        {
            if (!readCarefully(_probe, _stack + static_cast<std::uintptr_t>(page) * sizeof words, words)) return 0;
            if (const auto found = std::ranges::find_if(words, inside); found != words.end()) return *found;
        }
        return 0;
    }

    void describeCode(SignalSafeLine& line) const noexcept
    {
        const auto* own = _tag.phase == PluginTag::Phase::None ? nullptr : MappedImages::of(_tag);
        if (const auto place = own ? placeIn(own->range.begin, own->range.end) : 0)
            describeImage(line.text(", at "), *own, place);
        else if (const auto* image = MappedImages::find(_instruction))
            describeImage(line.text(", at "), *image, _instruction);
    }

    const siginfo_t& _info;
    const std::array<int, 2>& _probe;
    const PluginTag& _tag;
    /// Instruction and stack pointer of the thread; 0 on an unknown architecture.
    std::uintptr_t _instruction = 0;
    std::uintptr_t _stack = 0;
};

constexpr auto signalCount = CrashHandler::fatalSignals.size();

// A signal handler has no argument of ours: what it needs is here, written before the handler is installed.
std::atomic<int> reportDescriptor{-1};
std::array<int, 2> probePipe{-1, -1};
std::int64_t runMillis = 0;
std::array<struct sigaction, signalCount> earlier;
[[maybe_unused]] const struct sigaction endOfProcess
{
};

static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may not wait for a lock");

std::int64_t millisNow() noexcept
{
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

void report(const PluginTag& tag, const siginfo_t& info, const void* context) noexcept
{
    const bool inside = tag.phase != PluginTag::Phase::None;
    const char phase = inside ? static_cast<char>(tag.phase) : '-';
    const auto signal = static_cast<std::uint64_t>(info.si_signo);
    const CrashScene scene(info, context, probePipe);
    SignalSafeLine line;
    line.number(static_cast<std::uint64_t>(millisNow())).text(" ").number(static_cast<std::uint64_t>(runMillis)).text(" ");
    line.text(inside ? tag.serviceId.data() : "-").text(" ").text(inside ? tag.sha256.data() : "-").text(" ");
    line.number(inside ? tag.generation : 0).text(" ").text({&phase, 1}).text(" ").number(signal).text(" ");
    scene.describe(line);
    line.write(reportDescriptor.load());

    SignalSafeLine spoken;
    spoken.text("porticod: signal ").number(signal);
    if (inside)
        spoken.text(" inside the plugin ").text(tag.serviceId.data()).text(", generation ").number(tag.generation);
    else
        spoken.text(" outside of any plugin");
    scene.describe(spoken.text(", "));
    spoken.text("; the process ends").write(STDERR_FILENO);
}

/// The kernel's own, and what the process raised itself, as abort() does.
bool happenedHere(const siginfo_t& info) noexcept { return info.si_code > 0 || info.si_pid == ::getpid(); }

/// A sanitizer's report, or the end of the process with a core. Never what POCO installs for its applications: an exception thrown out of a
/// signal handler, which hides where the fault was.
const struct sigaction& nextCourse([[maybe_unused]] const struct sigaction& before) noexcept
{
#ifdef PORTICO_SANITIZE
    return before;
#else
    return endOfProcess;
#endif
}

extern "C" void portico_crash_handler(int signal, siginfo_t* info, void* context)
{
    const int kept = errno;
    if (happenedHere(*info)) report(PluginScope::current(), *info, context);
    // The next handler runs when this returns: the fault happens again, or the pending signal is delivered.
    for (std::size_t i = 0; i < signalCount; ++i)
        if (CrashHandler::fatalSignals[i] == signal) ::sigaction(signal, &nextCourse(earlier[i]), nullptr);
    if (info->si_code <= 0) ::raise(signal);
    errno = kept;
}

[[noreturn]] void failToInstall(const std::filesystem::path& file)
{
    throw std::system_error(errno, std::generic_category(), "cannot open the file for crash reports " + file.string());
}

} // namespace

CrashHandler::CrashHandler(const std::filesystem::path& report)
{
    if (reportDescriptor.load() >= 0) throw std::logic_error("there is a crash handler already");
    const int descriptor = ::open(report.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (descriptor < 0 || ::pipe2(probePipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) failToInstall(report);
    runMillis = millisNow();
    reportDescriptor.store(descriptor);
    struct sigaction action
    {
    };
    action.sa_sigaction = portico_crash_handler;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < signalCount; ++i) ::sigaction(fatalSignals[i], &action, &earlier[i]);
}

CrashHandler::~CrashHandler()
{
    for (std::size_t i = 0; i < signalCount; ++i) ::sigaction(fatalSignals[i], &earlier[i], nullptr);
    ::close(reportDescriptor.exchange(-1));
    for (auto& end : probePipe) ::close(std::exchange(end, -1));
}

} // namespace portico::host::plugins
