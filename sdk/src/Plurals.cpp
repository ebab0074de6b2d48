#include "Plurals.h"

#include <algorithm>

namespace portico::detail
{

namespace
{

/// Operands of the CLDR: the number is i.f, with v digits behind the point; t is f without zeros at its end.
struct Operands
{
    std::uint64_t i = 0;
    std::uint64_t f = 0;
    std::uint64_t t = 0;
    std::size_t v = 0;

    bool whole() const noexcept { return t == 0; }
    /// n = value, for whole numbers.
    bool is(std::uint64_t value) const noexcept { return whole() && i == value; }
    /// n % modulus within the bounds.
    bool mod(std::uint64_t modulus, std::uint64_t low, std::uint64_t high) const noexcept
    {
        return whole() && i % modulus >= low && i % modulus <= high;
    }
};

bool within(std::uint64_t value, std::uint64_t low, std::uint64_t high) noexcept { return value >= low && value <= high; }

/// Beyond 18 digits only the last ones count, as in every rule.
Operands operandsOf(std::string_view number) noexcept
{
    constexpr std::uint64_t bound = 1'000'000'000'000'000'000;
    Operands operands;
    bool fraction = false;
    for (const char c : number)
    {
        if (c == '.') fraction = true;
        // An exponent: no rule applies to numbers that large.
        if (c == 'e') break;
        if (c < '0' || c > '9') continue;
        auto& part = fraction ? operands.f : operands.i;
        part = part % (bound / 10) * 10 + static_cast<std::uint64_t>(c - '0');
        if (fraction) ++operands.v;
    }
    for (operands.t = operands.f; operands.t != 0 && operands.t % 10 == 0;) operands.t /= 10;
    return operands;
}

using Rule = PluralCategory (*)(const Operands&) noexcept;
using enum PluralCategory;

PluralCategory always(const Operands&) noexcept { return Other; }
/// i = 1 and v = 0
PluralCategory english(const Operands& n) noexcept { return n.i == 1 && n.v == 0 ? One : Other; }
/// n = 1
PluralCategory exactlyOne(const Operands& n) noexcept { return n.is(1) ? One : Other; }
/// i = 0 or n = 1
PluralCategory hindi(const Operands& n) noexcept { return n.i == 0 || n.is(1) ? One : Other; }
PluralCategory danish(const Operands& n) noexcept { return n.is(1) || (n.t != 0 && n.i <= 1) ? One : Other; }

bool isMillions(const Operands& n) noexcept { return n.i != 0 && n.i % 1'000'000 == 0 && n.v == 0; }
PluralCategory french(const Operands& n) noexcept { return n.i <= 1 ? One : isMillions(n) ? Many : Other; }
PluralCategory italian(const Operands& n) noexcept { return n.i == 1 && n.v == 0 ? One : isMillions(n) ? Many : Other; }
PluralCategory spanish(const Operands& n) noexcept { return n.is(1) ? One : isMillions(n) ? Many : Other; }

PluralCategory icelandic(const Operands& n) noexcept
{
    const bool one = (n.t == 0 && n.i % 10 == 1 && n.i % 100 != 11) || (n.t % 10 == 1 && n.t % 100 != 11);
    return one ? One : Other;
}

PluralCategory latvian(const Operands& n) noexcept
{
    if (n.mod(10, 0, 0) || n.mod(100, 11, 19) || (n.v == 2 && within(n.f % 100, 11, 19))) return Zero;
    const bool one =
        (n.mod(10, 1, 1) && !n.mod(100, 11, 11)) || (n.v == 2 && n.f % 10 == 1 && n.f % 100 != 11) || (n.v != 2 && n.f % 10 == 1);
    return one ? One : Other;
}

PluralCategory lithuanian(const Operands& n) noexcept
{
    if (n.mod(10, 1, 1) && !n.mod(100, 11, 19)) return One;
    if (n.mod(10, 2, 9) && !n.mod(100, 11, 19)) return Few;
    return n.f != 0 ? Many : Other;
}

PluralCategory polish(const Operands& n) noexcept
{
    if (n.v != 0) return Other;
    if (n.i == 1) return One;
    return within(n.i % 10, 2, 4) && !within(n.i % 100, 12, 14) ? Few : Many;
}

PluralCategory russian(const Operands& n) noexcept
{
    if (n.v != 0) return Other;
    if (n.i % 10 == 1 && n.i % 100 != 11) return One;
    return within(n.i % 10, 2, 4) && !within(n.i % 100, 12, 14) ? Few : Many;
}

PluralCategory czech(const Operands& n) noexcept
{
    if (n.v != 0) return Many;
    return n.i == 1 ? One : within(n.i, 2, 4) ? Few : Other;
}

PluralCategory slovenian(const Operands& n) noexcept
{
    if (n.v != 0 || within(n.i % 100, 3, 4)) return Few;
    return n.i % 100 == 1 ? One : n.i % 100 == 2 ? Two : Other;
}

PluralCategory croatian(const Operands& n) noexcept
{
    const auto last = n.v == 0 ? n.i : n.f;
    if (last % 10 == 1 && last % 100 != 11) return One;
    return within(last % 10, 2, 4) && !within(last % 100, 12, 14) ? Few : Other;
}

PluralCategory romanian(const Operands& n) noexcept
{
    if (n.i == 1 && n.v == 0) return One;
    return n.v != 0 || n.is(0) || n.mod(100, 1, 19) ? Few : Other;
}

PluralCategory arabic(const Operands& n) noexcept
{
    if (!n.whole()) return Other;
    if (n.i <= 2) return n.i == 0 ? Zero : n.i == 1 ? One : Two;
    return n.mod(100, 3, 10) ? Few : n.mod(100, 11, 99) ? Many : Other;
}

PluralCategory hebrew(const Operands& n) noexcept
{
    if ((n.i == 1 && n.v == 0) || (n.i == 0 && n.v != 0)) return One;
    return n.i == 2 && n.v == 0 ? Two : Other;
}

PluralCategory irish(const Operands& n) noexcept
{
    if (!n.whole()) return Other;
    return n.i == 1 ? One : n.i == 2 ? Two : within(n.i, 3, 6) ? Few : within(n.i, 7, 10) ? Many : Other;
}

PluralCategory welsh(const Operands& n) noexcept
{
    if (!n.whole()) return Other;
    return n.i == 0 ? Zero : n.i == 1 ? One : n.i == 2 ? Two : n.i == 3 ? Few : n.i == 6 ? Many : Other;
}

struct LanguageRule
{
    std::string_view language;
    Rule rule;
};

/// Languages whose rule is not that of English, sorted.
constexpr LanguageRule languageRules[] = {
    {"af", exactlyOne}, {"am", hindi},      {"ar", arabic},     {"az", exactlyOne}, {"be", russian},    {"bg", exactlyOne},
    {"bn", hindi},      {"bs", croatian},   {"ca", italian},    {"cs", czech},      {"cy", welsh},      {"da", danish},
    {"el", exactlyOne}, {"eo", exactlyOne}, {"es", spanish},    {"eu", exactlyOne}, {"fa", hindi},      {"fr", french},
    {"ga", irish},      {"gu", hindi},      {"he", hebrew},     {"hi", hindi},      {"hr", croatian},   {"hu", exactlyOne},
    {"hy", hindi},      {"id", always},     {"is", icelandic},  {"it", italian},    {"ja", always},     {"ka", exactlyOne},
    {"kk", exactlyOne}, {"km", always},     {"kn", hindi},      {"ko", always},     {"ku", exactlyOne}, {"ky", exactlyOne},
    {"lo", always},     {"lt", lithuanian}, {"lv", latvian},    {"ml", exactlyOne}, {"mn", exactlyOne}, {"mr", exactlyOne},
    {"ms", always},     {"my", always},     {"nb", exactlyOne}, {"ne", exactlyOne}, {"nn", exactlyOne}, {"no", exactlyOne},
    {"pl", polish},     {"pt", french},     {"ro", romanian},   {"ru", russian},    {"sk", czech},      {"sl", slovenian},
    {"sq", exactlyOne}, {"sr", croatian},   {"ta", exactlyOne}, {"te", exactlyOne}, {"th", always},     {"tr", exactlyOne},
    {"uk", russian},    {"uz", exactlyOne}, {"vi", always},     {"zh", always},     {"zu", hindi}};
static_assert(std::ranges::is_sorted(languageRules, {}, &LanguageRule::language));

Rule ruleOf(std::string_view language) noexcept
{
    if (language == "pt-PT") return italian;
    const auto primary = language.substr(0, language.find('-'));
    const auto* found = std::ranges::lower_bound(languageRules, primary, {}, &LanguageRule::language);
    return found != std::end(languageRules) && found->language == primary ? found->rule : english;
}

} // namespace

std::optional<PluralCategory> parsePluralCategory(std::string_view name) noexcept
{
    const auto* found = std::ranges::find(pluralNames, name);
    if (found == pluralNames.end()) return std::nullopt;
    return static_cast<PluralCategory>(found - pluralNames.begin());
}

PluralCategory pluralCategory(std::string_view language, std::string_view number) noexcept { return ruleOf(language)(operandsOf(number)); }

bool needsCategory(std::string_view language, PluralCategory category) noexcept
{
    if (category == Other) return true;
    const auto rule = ruleOf(language);
    for (std::uint64_t i = 0; i < 200; ++i)
        if (rule(Operands{.i = i}) == category) return true;
    return false;
}

bool hasCategory(std::string_view language, PluralCategory category) noexcept
{
    const auto comesInto = [&](std::string_view number) { return pluralCategory(language, number) == category; };
    constexpr std::string_view others[] = {"1000000", "0.0", "0.1", "1.0", "1.5", "2.0", "2.5"};
    return needsCategory(language, category) || std::ranges::any_of(others, comesInto);
}

} // namespace portico::detail
