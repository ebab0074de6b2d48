// Makes the poster of one video: README.md says how it is called.

#include "VideoFrame.h"

#include "../helper/Copy.h"
#include "../helper/Fail.h"
#include "../helper/Output.h"

#include <new>
#include <string>

namespace
{
constexpr int videoFile = 3;
constexpr int posterFile = 4;
} // namespace

int main(int count, char** words)
try
{
    if (count != 2) images::fail("usage");
    const auto limits = images::limitsOf(words[1]);
    const auto poster = images::encodeWithin(limits, posters::frameOf(videoFile, limits), {});
    images::writeAll(posterFile, poster.bytes);
    images::writeAll(STDOUT_FILENO,
                     poster.type + ' ' + std::to_string(poster.size.width) + ' ' + std::to_string(poster.size.height) + '\n');
    return 0;
}
catch (const std::bad_alloc&)
{
    images::failForMemory();
}
