#include "media/PictureHelper.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace portico::social
{

namespace
{
/// The helper keeps a few rows of most pictures, and the whole of interlaced ones: 50 megapixels.
constexpr std::uint64_t pictureMemory = std::uint64_t{320} << 20;
/// A decoder of videos keeps several whole frames: 4K with 16 references.
constexpr std::uint64_t videoMemory = std::uint64_t{512} << 20;
constexpr std::uint64_t largestCopy = std::uint64_t{24} << 20;

std::string_view wordOf(std::string_view& text)
{
    const auto end = std::min(text.find_first_of(" \n"), text.size());
    const auto word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return word;
}

std::int64_t numberOf(std::string_view text)
{
    std::int64_t number = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
    if (result.ec != std::errc() || result.ptr != text.data() + text.size() || number <= 0 || number > 65'535)
        throw PictureFault("malformed_report");
    return number;
}

bool isCode(std::string_view text)
{
    return !text.empty() && text.size() <= 40 && std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
}

[[noreturn]] void throwAgain(const HelperFault& fault)
{
    using Cause = HelperFault::Cause;
    if (fault.cause() == Cause::Stopped || fault.cause() == Cause::NotStarted) throw fault;
    // The helper saw bytes of strangers: its report is one too.
    if (fault.cause() == Cause::Failed && isCode(fault.report())) throw PictureFault(fault.report());
    throw PictureFault(std::string(name(fault.cause())));
}
} // namespace

std::string CopyLimits::text() const
{
    std::string text;
    const auto add = [&text](std::string_view name, std::int64_t value)
    {
        if (value > 0) text.append(name).append("=").append(std::to_string(value)).append(",");
    };
    add("edge", edge);
    add("pixels", pixels);
    add("bytes", bytes);
    text += "types=";
    for (std::size_t i = 0; i < types.size(); ++i) text.append(i == 0 ? "" : "+").append(types[i]);
    return text;
}

namespace
{
MadeCopy runHelper(PluginContext& context, std::string_view program, std::uint64_t memory, const FileBody& file, const CopyLimits& limits,
                   const std::stop_token& stop)
{
    HelperTask task;
    task.program = program;
    task.arguments = {limits.text()};
    task.inputs = {&file};
    task.limits = {.memoryBytes = memory,
                   .processorTime = longestPictureRun / 2,
                   .time = longestPictureRun,
                   .outputBytes = limits.bytes > 0 ? static_cast<std::uint64_t>(limits.bytes) : largestCopy};
    HelperResult result;
    try
    {
        result = context.helpers().run(task, stop);
    }
    catch (const HelperFault& fault)
    {
        throwAgain(fault);
    }
    std::string_view report = result.report;
    MadeCopy copy;
    copy.contentType = wordOf(report);
    copy.width = numberOf(wordOf(report));
    copy.height = numberOf(wordOf(report));
    if (std::ranges::find(limits.types, copy.contentType) == limits.types.end() || result.outputs.size() != 1 ||
        result.outputs.front().size == 0)
        throw PictureFault("malformed_report");
    copy.file = std::move(result.outputs.front());
    return copy;
}
} // namespace

MadeCopy makeCopy(PluginContext& context, const FileBody& picture, const CopyLimits& limits, const std::stop_token& stop)
{
    return runHelper(context, "helpers/images", pictureMemory, picture, limits, stop);
}

bool hasPosters() noexcept
{
#ifdef SOCIAL_POSTERS
    return true;
#else
    return false;
#endif
}

MadeCopy makePoster(PluginContext& context, const FileBody& video, const CopyLimits& limits, const std::stop_token& stop)
{
    return runHelper(context, "helpers/posters", videoMemory, video, limits, stop);
}

} // namespace portico::social
