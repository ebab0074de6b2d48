#pragma once

#include <exception>
#include <stdexcept>
#include <string>

namespace portico::host::plugins
{

/// A plugin could not be started because something that it needs is away for now. Carries on what was thrown on another thread.
class DependencyAway : public std::runtime_error
{
public:
    DependencyAway(std::string dependency, const std::string& text) : std::runtime_error(text), _dependency(std::move(dependency)) {}
    /// As `whatIsAway` names it.
    const std::string& dependency() const noexcept { return _dependency; }

private:
    std::string _dependency;
};

/// What is away, in words that fit behind "waits for", when an error says that and no more: the same may succeed later. Empty for every
/// other error: a refusal, a migration that is wrong, a file that is damaged, which nobody cures by trying again.
std::string whatIsAway(const std::exception& error);

} // namespace portico::host::plugins
