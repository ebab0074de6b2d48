#include "host/ctl/ProgressLine.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <iostream>
#include <unistd.h>

namespace portico::host::ctl
{

ProgressLine::ProgressLine(bool json) : _json(json), _terminal(::isatty(STDERR_FILENO) == 1) {}

void ProgressLine::show(const std::string& what, std::uint64_t bytes, std::uint64_t files)
{
    if (_json)
        std::cerr << boost::json::serialize(boost::json::object{{"progress", {{"what", what}, {"bytes", bytes}, {"files", files}}}})
                  << '\n';
    else if (_terminal)
        std::cerr << "\r\033[K" << what << ": " << bytes / (1024 * 1024) << " MiB"
                  << (files == 0 ? "" : ", " + std::to_string(files) + " files") << std::flush;
    _shown = true;
}

void ProgressLine::clear()
{
    if (_shown && _terminal && !_json) std::cerr << "\r\033[K" << std::flush;
    _shown = false;
}

} // namespace portico::host::ctl
