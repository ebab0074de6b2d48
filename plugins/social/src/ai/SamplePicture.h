#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace portico::social
{

/// Returns a PNG in two colours that follow from the prompt, with the word SAMPLE across it. The same prompt and number give the same
/// bytes.
std::string samplePicture(std::string_view prompt, std::int64_t number, std::int64_t width, std::int64_t height);

} // namespace portico::social
