#include "portico/Multipart.h"
#include "portico/Problem.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace
{

using namespace portico;

class Received final : public ReceivedFile
{
public:
    Received(std::string_view text, std::size_t pieceBytes) : _text(text), _pieceBytes(pieceBytes) {}
    std::uint64_t size() const noexcept override { return _text.size(); }
    std::size_t read(std::uint64_t offset, std::span<char> buffer) const override
    {
        if (offset >= _text.size()) return 0;
        return _text.copy(buffer.data(), std::min(buffer.size(), _pieceBytes), static_cast<std::size_t>(offset));
    }

private:
    std::string_view _text;
    std::size_t _pieceBytes;
};

void require(bool holds)
{
    if (!holds) std::abort();
}

/// Everything that was read, or the refusal, as one text to compare.
std::string outcome(std::string_view contentType, std::string_view body, std::size_t pieceBytes)
{
    const Received received(body, pieceBytes);
    std::string told;
    try
    {
        const auto parts = readForm(received, contentType, {.parts = 4, .headerBytes = 512});
        require(parts.size() <= 4);
        std::uint64_t end = 0;
        for (const auto& part : parts)
        {
            require(!part.name.empty() && part.content.offset() >= end);
            end = part.content.offset() + part.content.size();
            require(end <= body.size());
            told += part.name + '\0' + part.fileName.value_or("-") + '\0' + part.contentType + '\0' +
                    std::string(body.substr(part.content.offset(), part.content.size())) + '\0';
        }
    }
    catch (const Problem& problem)
    {
        require(problem.status() == 400 || problem.status() == 415);
        told = problem.toJson("");
    }
    return told;
}

} // namespace

/// The first line is the Content-Type, the rest the body. However the body comes from the disk, it reads the same; parts lie in it, in
/// order, and apart.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const auto line = std::min(input.find('\n'), input.size());
    const auto contentType = input.substr(0, line);
    const auto body = input.substr(std::min(line + 1, input.size()));
    const auto whole = outcome(contentType, body, body.size() + 1);
    for (const std::size_t pieceBytes : {1, 7}) require(outcome(contentType, body, pieceBytes) == whole);
    require(outcome("multipart/form-data; boundary=b", body, 3) == outcome("multipart/form-data; boundary=b", body, body.size() + 1));
    return 0;
}
