#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::ctl
{

/// The command line is wrong: exit code 2.
class UsageError : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

struct Option
{
    std::string_view name; ///< Without the two hyphens.
    /// What stands behind it in the help (`FILE`); empty: the option takes no value.
    std::string_view value;
    std::string_view description;
};

/// Words and options of one command.
class Arguments
{
public:
    /// `--name value`, `--name=value`; `--` ends the options. @throws UsageError
    Arguments(std::span<const Option> known, std::span<const std::string> words);

    bool has(std::string_view option) const { return _options.contains(option); }
    std::optional<std::string> option(std::string_view name) const;
    const std::vector<std::string>& words() const noexcept { return _words; }
    /// @throws UsageError unless the number of words is within the two.
    void expectWords(std::size_t least, std::size_t most) const;

private:
    std::map<std::string, std::string, std::less<>> _options;
    std::vector<std::string> _words;
};

/// A number from 1. @throws UsageError
std::int64_t wholeNumber(const std::string& value);

} // namespace portico::host::ctl
