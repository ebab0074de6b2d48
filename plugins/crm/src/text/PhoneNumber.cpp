#include "text/PhoneNumber.h"

#include "text/VisibleText.h"

#include "portico/Text.h"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace portico::crm
{

namespace
{

struct Country
{
    std::string_view country;
    std::string_view code;
};

/// Country codes of ITU-T E.164, by ISO 3166-1 alpha-2, sorted.
constexpr auto countries = std::to_array<Country>(
    {{"AD", "376"}, {"AE", "971"}, {"AF", "93"},  {"AG", "1"},   {"AI", "1"},   {"AL", "355"}, {"AM", "374"}, {"AO", "244"}, {"AQ", "672"},
     {"AR", "54"},  {"AS", "1"},   {"AT", "43"},  {"AU", "61"},  {"AW", "297"}, {"AX", "358"}, {"AZ", "994"}, {"BA", "387"}, {"BB", "1"},
     {"BD", "880"}, {"BE", "32"},  {"BF", "226"}, {"BG", "359"}, {"BH", "973"}, {"BI", "257"}, {"BJ", "229"}, {"BL", "590"}, {"BM", "1"},
     {"BN", "673"}, {"BO", "591"}, {"BQ", "599"}, {"BR", "55"},  {"BS", "1"},   {"BT", "975"}, {"BW", "267"}, {"BY", "375"}, {"BZ", "501"},
     {"CA", "1"},   {"CC", "61"},  {"CD", "243"}, {"CF", "236"}, {"CG", "242"}, {"CH", "41"},  {"CI", "225"}, {"CK", "682"}, {"CL", "56"},
     {"CM", "237"}, {"CN", "86"},  {"CO", "57"},  {"CR", "506"}, {"CU", "53"},  {"CV", "238"}, {"CW", "599"}, {"CX", "61"},  {"CY", "357"},
     {"CZ", "420"}, {"DE", "49"},  {"DJ", "253"}, {"DK", "45"},  {"DM", "1"},   {"DO", "1"},   {"DZ", "213"}, {"EC", "593"}, {"EE", "372"},
     {"EG", "20"},  {"EH", "212"}, {"ER", "291"}, {"ES", "34"},  {"ET", "251"}, {"FI", "358"}, {"FJ", "679"}, {"FK", "500"}, {"FM", "691"},
     {"FO", "298"}, {"FR", "33"},  {"GA", "241"}, {"GB", "44"},  {"GD", "1"},   {"GE", "995"}, {"GF", "594"}, {"GG", "44"},  {"GH", "233"},
     {"GI", "350"}, {"GL", "299"}, {"GM", "220"}, {"GN", "224"}, {"GP", "590"}, {"GQ", "240"}, {"GR", "30"},  {"GS", "500"}, {"GT", "502"},
     {"GU", "1"},   {"GW", "245"}, {"GY", "592"}, {"HK", "852"}, {"HN", "504"}, {"HR", "385"}, {"HT", "509"}, {"HU", "36"},  {"ID", "62"},
     {"IE", "353"}, {"IL", "972"}, {"IM", "44"},  {"IN", "91"},  {"IO", "246"}, {"IQ", "964"}, {"IR", "98"},  {"IS", "354"}, {"IT", "39"},
     {"JE", "44"},  {"JM", "1"},   {"JO", "962"}, {"JP", "81"},  {"KE", "254"}, {"KG", "996"}, {"KH", "855"}, {"KI", "686"}, {"KM", "269"},
     {"KN", "1"},   {"KP", "850"}, {"KR", "82"},  {"KW", "965"}, {"KY", "1"},   {"KZ", "7"},   {"LA", "856"}, {"LB", "961"}, {"LC", "1"},
     {"LI", "423"}, {"LK", "94"},  {"LR", "231"}, {"LS", "266"}, {"LT", "370"}, {"LU", "352"}, {"LV", "371"}, {"LY", "218"}, {"MA", "212"},
     {"MC", "377"}, {"MD", "373"}, {"ME", "382"}, {"MF", "590"}, {"MG", "261"}, {"MH", "692"}, {"MK", "389"}, {"ML", "223"}, {"MM", "95"},
     {"MN", "976"}, {"MO", "853"}, {"MP", "1"},   {"MQ", "596"}, {"MR", "222"}, {"MS", "1"},   {"MT", "356"}, {"MU", "230"}, {"MV", "960"},
     {"MW", "265"}, {"MX", "52"},  {"MY", "60"},  {"MZ", "258"}, {"NA", "264"}, {"NC", "687"}, {"NE", "227"}, {"NF", "672"}, {"NG", "234"},
     {"NI", "505"}, {"NL", "31"},  {"NO", "47"},  {"NP", "977"}, {"NR", "674"}, {"NU", "683"}, {"NZ", "64"},  {"OM", "968"}, {"PA", "507"},
     {"PE", "51"},  {"PF", "689"}, {"PG", "675"}, {"PH", "63"},  {"PK", "92"},  {"PL", "48"},  {"PM", "508"}, {"PR", "1"},   {"PS", "970"},
     {"PT", "351"}, {"PW", "680"}, {"PY", "595"}, {"QA", "974"}, {"RE", "262"}, {"RO", "40"},  {"RS", "381"}, {"RU", "7"},   {"RW", "250"},
     {"SA", "966"}, {"SB", "677"}, {"SC", "248"}, {"SD", "249"}, {"SE", "46"},  {"SG", "65"},  {"SH", "290"}, {"SI", "386"}, {"SJ", "47"},
     {"SK", "421"}, {"SL", "232"}, {"SM", "378"}, {"SN", "221"}, {"SO", "252"}, {"SR", "597"}, {"SS", "211"}, {"ST", "239"}, {"SV", "503"},
     {"SX", "1"},   {"SY", "963"}, {"SZ", "268"}, {"TC", "1"},   {"TD", "235"}, {"TG", "228"}, {"TH", "66"},  {"TJ", "992"}, {"TK", "690"},
     {"TL", "670"}, {"TM", "993"}, {"TN", "216"}, {"TO", "676"}, {"TR", "90"},  {"TT", "1"},   {"TV", "688"}, {"TW", "886"}, {"TZ", "255"},
     {"UA", "380"}, {"UG", "256"}, {"US", "1"},   {"UY", "598"}, {"UZ", "998"}, {"VA", "39"},  {"VC", "1"},   {"VE", "58"},  {"VG", "1"},
     {"VI", "1"},   {"VN", "84"},  {"VU", "678"}, {"WF", "681"}, {"WS", "685"}, {"XK", "383"}, {"YE", "967"}, {"YT", "262"}, {"ZA", "27"},
     {"ZM", "260"}, {"ZW", "263"}});

char upperLetter(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

constexpr std::size_t fewestDigits = 7, maxDigits = 15; // E.164, 6.1; shorter ones are short codes that work in one country only

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool isPhoneCharacter(char c)
{
    constexpr std::string_view marks = " +-.()/#*,;:=~_";
    // Beyond ASCII: people paste no-break spaces and dashes of all lengths.
    return (c >= '0' && c <= '9') || isLetter(c) || marks.find(c) != std::string_view::npos || static_cast<unsigned char>(c) >= 0x80;
}

std::string_view withoutExtension(std::string_view text)
{
    // A letter before the extension (FLOWERS) means that the digits alone are not the number.
    return text.substr(0, text.find_first_of("xXeE;,#"));
}

/// `+49 (0)170 …` names the trunk zero that is left out when it is dialled from abroad.
std::string withoutTrunkHint(std::string_view text)
{
    std::string out(text);
    if (const auto at = out.find("(0)"); at != std::string::npos) out.erase(at, 3);
    return out;
}

std::optional<std::string> international(std::string digits)
{
    if (digits.size() < fewestDigits || digits.size() > maxDigits || digits.front() == '0') return std::nullopt;
    return '+' + digits;
}

/// Punctuation and symbols beyond ASCII, such as a middle dot or a telephone.
bool isSign(char32_t code) { return (code >= 0xa0 && code <= 0xbf) || (code >= 0x2000 && code <= 0x2bff) || code >= 0x1f000; }

bool hasLettersOrForeignDigits(std::string_view text)
{
    while (!text.empty())
    {
        const auto [code, bytes] = firstCodePoint(text);
        if (code < 0x80 ? isLetter(text.front()) : !isSign(code)) return true;
        text.remove_prefix(bytes);
    }
    return false;
}

/// Decides about a number that begins with the calling code of its country: spreadsheets remove the plus of `+491701234567`, and national
/// numbers may begin with these digits, too. Empty: it is national. An inner empty value: it may be either.
std::optional<std::optional<std::string>> withoutPlus(const std::string& digits, std::size_t codeSize)
{
    // National numbers that begin with their own calling code are not longer than this, without their zero.
    constexpr std::array<std::size_t, 4> longestNational{0, 10, 11, 9};
    if (digits.size() > longestNational.at(codeSize)) return international(digits);
    constexpr std::size_t uncertain = 11;
    if (digits.size() == uncertain) return std::optional<std::string>();
    return std::nullopt;
}

bool isDecimalDigit(char c) { return c >= '0' && c <= '9'; }

/// Removes leading digits, and returns their number.
std::size_t takeDigits(std::string_view& text)
{
    const auto end = std::find_if_not(text.begin(), text.end(), isDecimalDigit);
    const auto count = static_cast<std::size_t>(end - text.begin());
    text.remove_prefix(count);
    return count;
}

bool takeAnyOf(std::string_view& text, std::initializer_list<std::string_view> prefixes)
{
    for (const auto prefix : prefixes)
        if (text.starts_with(prefix))
        {
            text.remove_prefix(prefix.size());
            return true;
        }
    return false;
}

/// Returns true if the rest of the text is an exponent such as `e+11` or `x10^11`.
/// @param mustBeSigned true after many digits, where `e12` is an extension
bool isExponent(std::string_view text, bool mustBeSigned)
{
    const bool letter = takeAnyOf(text, {"e", "d", "\xd0\xb5",
                                         "\xc3\x97"
                                         "10",
                                         "x10", "*10",
                                         "\xc2\xb7"
                                         "10"});
    if (!letter) return false;
    takeAnyOf(text, {"^"});
    const bool isSigned = takeAnyOf(text, {"+", "-"});
    const auto digits = takeDigits(text);
    return digits > 0 && digits <= 3 && text.empty() && (isSigned || !mustBeSigned);
}

/// The text without case, wide forms, spaces and the marks that keep a spreadsheet from calculating.
std::string calculatedForm(std::string_view typed)
{
    auto form = fold(typed);
    std::erase_if(form, [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; });
    const auto from = form.find_first_not_of("'=\"");
    return from == std::string::npos ? std::string() : form.substr(from);
}

/// Removes a decimal separator: a dot, a comma or the Arabic one.
bool takeSeparator(std::string_view& text) { return takeAnyOf(text, {".", ",", "\xd9\xab"}); }

} // namespace

bool isCalculated(std::string_view text)
{
    constexpr std::size_t longestWhole = 3, fewestNegative = 5;
    const auto form = calculatedForm(text);
    std::string_view rest = form;
    const bool negative = takeAnyOf(rest, {"-"});
    if (!negative) takeAnyOf(rest, {"+"});
    const auto whole = takeDigits(rest);
    if (whole == 0) return false;
    if (negative && whole >= fewestNegative && rest.empty()) return true;
    if (takeSeparator(rest)) takeDigits(rest);
    if (negative && whole >= fewestNegative && rest.empty()) return true;
    return isExponent(rest, whole > longestWhole);
}

std::optional<std::string> plainNumber(std::string_view text)
{
    constexpr std::size_t leastDigits = 3, maxZeros = 2, groupDigits = 3;
    const auto form = fold(trim(text));
    std::string_view rest = form;
    std::string number = takeAnyOf(rest, {"+"}) ? "+" : "";
    std::string_view group;
    while (true)
    {
        const auto before = rest;
        const auto count = takeDigits(rest);
        if (count == 0 || (!group.empty() && count != groupDigits)) break;
        number += before.substr(0, count);
        const auto mark = rest.substr(0, std::min<std::size_t>(rest.size(), 1));
        const auto zeros = rest.substr(mark.size());
        const bool isFraction = !zeros.empty() && zeros.size() <= maxZeros && zeros.find_first_not_of('0') == std::string_view::npos;
        if ((mark == "." || mark == ",") && mark != group && isFraction)
            return digitsOf(number).size() >= leastDigits ? std::optional(number) : std::nullopt;
        // Groups of thousands have one mark, which is not that of the fraction.
        constexpr std::string_view groupMarks = ".,' ";
        const bool isGroup = !mark.empty() && groupMarks.find(mark) != std::string_view::npos && (group.empty() || group == mark);
        if (!isGroup || (group.empty() && count > groupDigits)) break;
        group = mark;
        rest = zeros;
    }
    return std::nullopt;
}

bool looksLikePhoneNumber(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), isPhoneCharacter) && digitsOf(fold(text)).size() >= 3 && !isCalculated(text);
}

std::string digitsOf(std::string_view text)
{
    std::string digits;
    for (const char c : text)
        if (c >= '0' && c <= '9') digits += c;
    return digits;
}

std::optional<std::string> e164(std::string_view typed, std::string_view callingCode)
{
    if (isCalculated(typed)) return std::nullopt;
    // Wide forms, spaces and dashes become those of ASCII.
    const auto plain = fold(typed);
    const auto number = trim(withoutExtension(plain));
    if (hasLettersOrForeignDigits(number)) return std::nullopt;
    auto digits = digitsOf(number);
    if (number.find('+') < number.find_first_of("0123456789")) return international(digitsOf(withoutTrunkHint(number)));
    if (digits.starts_with("00")) return international(digitsOf(withoutTrunkHint(number)).substr(2));
    if (callingCode.empty() || digits.empty()) return std::nullopt;
    if (digits.front() == '0') return international(std::string(callingCode) + digits.substr(1));
    if (digits.starts_with(callingCode))
        if (const auto found = withoutPlus(digits, callingCode.size())) return *found;
    return international(std::string(callingCode) + digits);
}

std::string withCallingCode(std::string_view number, std::string_view code)
{
    constexpr std::size_t longestCode = 4;
    auto digits = digitsOf(code);
    digits.erase(0, digits.find_first_not_of('0'));
    if (digits.empty()) digits = callingCode(trim(code));
    const auto typed = trim(number);
    if (digits.empty() || digits.size() > longestCode || typed.starts_with('+') || digitsOf(typed).starts_with("00"))
        return std::string(number);
    return e164(typed, digits).value_or(std::string(number));
}

std::string_view callingCode(std::string_view country)
{
    std::string wanted;
    for (const char c : country.substr(0, 3)) wanted += upperLetter(c);
    const auto found = std::lower_bound(countries.begin(), countries.end(), wanted,
                                        [](const Country& item, std::string_view name) { return item.country < name; });
    return found != countries.end() && found->country == wanted ? found->code : std::string_view{};
}

bool hasCallingCode(std::string_view country) { return !callingCode(country).empty(); }

} // namespace portico::crm
