#include "pipelines/OrderKey.h"

#include <optional>

namespace portico::crm
{

namespace
{

constexpr std::string_view keyDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr char lowest = keyDigits.front();
constexpr char highest = keyDigits.back();
constexpr std::string_view zero = "a0";

std::size_t digitOf(char digit) { return keyDigits.find(digit); }

/// `a` and `Z` are followed by one digit, `b` and `Y` by two, …
std::size_t integerLength(char head) { return static_cast<std::size_t>(head >= 'a' ? head - 'a' : 'Z' - head) + 2; }

std::string_view integerOf(std::string_view key) { return key.substr(0, key.empty() ? 0 : integerLength(key.front())); }

/// The head after or before another; the two letters at zero are neighbours.
char nextHead(char head) { return head == 'Z' ? 'a' : static_cast<char>(head + 1); }
char previousHead(char head) { return head == 'a' ? 'Z' : static_cast<char>(head - 1); }

/// The next integer; none after 62 to the power of 26.
std::optional<std::string> incremented(std::string_view integer)
{
    std::string next(integer);
    for (std::size_t i = next.size() - 1; i > 0; --i)
    {
        if (next[i] != highest)
        {
            next[i] = keyDigits[digitOf(next[i]) + 1];
            return next;
        }
        next[i] = lowest;
    }
    if (integer.front() == 'z') return std::nullopt;
    const char head = nextHead(integer.front());
    return head + std::string(integerLength(head) - 1, lowest);
}

/// The integer before; none before the lowest.
std::optional<std::string> decremented(std::string_view integer)
{
    std::string previous(integer);
    for (std::size_t i = previous.size() - 1; i > 0; --i)
    {
        if (previous[i] != lowest)
        {
            previous[i] = keyDigits[digitOf(previous[i]) - 1];
            return previous;
        }
        previous[i] = highest;
    }
    if (integer.front() == 'A') return std::nullopt;
    const char head = previousHead(integer.front());
    return head + std::string(integerLength(head) - 1, highest);
}

/// A fraction between two, without a zero at its end; an empty `high` is one.
std::string fractionBetween(std::string_view low, std::string_view high)
{
    std::string between;
    bool bounded = !high.empty();
    for (;; low.remove_prefix(low.empty() ? 0 : 1))
    {
        const auto from = low.empty() ? 0 : digitOf(low.front());
        const auto to = bounded ? digitOf(high.front()) : keyDigits.size();
        if (to > from + 1) return between + keyDigits[from + (to - from) / 2];
        if (bounded && to == from + 1 && high.size() > 1) return between + high.front();
        between += keyDigits[from];
        // Below this digit of `high` everything is free; at the same digit its rest still is the limit.
        if (bounded && to == from)
            high.remove_prefix(1);
        else
            bounded = false;
    }
}

std::string keyAfter(std::string_view before)
{
    const auto integer = integerOf(before);
    if (auto next = incremented(integer)) return *std::move(next);
    return std::string(integer) + fractionBetween(before.substr(integer.size()), {});
}

std::string keyBefore(std::string_view after)
{
    const auto integer = integerOf(after);
    if (after.size() > integer.size()) return std::string(integer);
    if (auto previous = decremented(integer)) return *std::move(previous);
    return std::string(integer) + fractionBetween({}, after.substr(integer.size()));
}

} // namespace

std::string keyBetween(std::string_view before, std::string_view after)
{
    if (before.empty() && after.empty()) return std::string(zero);
    if (after.empty()) return keyAfter(before);
    if (before.empty()) return keyBefore(after);
    const auto low = integerOf(before), high = integerOf(after);
    const auto fraction = before.substr(low.size());
    if (low == high) return std::string(low) + fractionBetween(fraction, after.substr(high.size()));
    if (auto next = incremented(low); next && *next < after) return *std::move(next);
    return std::string(low) + fractionBetween(fraction, {});
}

std::vector<std::string> freshKeys(std::size_t count)
{
    std::vector<std::string> keys;
    keys.reserve(count);
    for (std::size_t i = 0; i < count; ++i) keys.push_back(keyBetween(keys.empty() ? std::string_view() : keys.back(), {}));
    return keys;
}

} // namespace portico::crm
