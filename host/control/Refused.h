#pragma once

#include <boost/json/value.hpp>

#include <stdexcept>
#include <string>
#include <utility>

namespace portico::host::control
{

/// A command that was understood and refused, or failed, in the daemon or in porticoctl. `code()` is for scripts, `what()` a sentence for
/// people that ends with the remedy, `result()` the partial result.
class Refused : public std::runtime_error
{
public:
    Refused(std::string code, const std::string& sentence, boost::json::value result = nullptr)
        : std::runtime_error(sentence), _code(std::move(code)), _result(std::move(result))
    {
    }
    const std::string& code() const noexcept { return _code; }
    const boost::json::value& result() const noexcept { return _result; }

private:
    std::string _code;
    boost::json::value _result;
};

} // namespace portico::host::control
