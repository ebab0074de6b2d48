#include "VectorInput.h"

#include <algorithm>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <stdexcept>

namespace portico::calendar
{

namespace
{

using ByDate = std::map<std::string, std::vector<std::string>>;

struct Vector
{
    std::string id;
    Json input;
    std::optional<std::vector<Instant>> expected;
    std::optional<ByDate> expectedByGuestDate;
    std::optional<std::string> expectedError;
};

constexpr auto schemaOf(const Vector*)
{
    return describe(members<&Vector::id, &Vector::input, &Vector::expected, &Vector::expectedByGuestDate, &Vector::expectedError>());
}

struct VectorFile
{
    int version = 0;
    std::vector<Vector> vectors;
};

constexpr auto schemaOf(const VectorFile*) { return describe(members<&VectorFile::version, &VectorFile::vectors>()); }

/// Without a fraction, as vectors are written.
std::string shown(Instant instant)
{
    auto text = toString(instant);
    if (const auto fraction = text.find(".000Z"); fraction != std::string::npos) text.erase(fraction, 4);
    return text;
}

std::string shown(const std::vector<Instant>& instants)
{
    std::string text;
    for (const auto instant : instants) text += (text.empty() ? "" : " ") + shown(instant);
    return text.empty() ? "nothing" : text;
}

std::string shown(const ByDate& dates)
{
    std::string text;
    for (const auto& [date, times] : dates)
    {
        text += (text.empty() ? "" : " ") + date;
        for (const auto& time : times) text += " " + time;
    }
    return text.empty() ? "nothing" : text;
}

/// The code of the problem, and those of its fields.
std::vector<std::string> codesOf(const Problem& problem)
{
    std::vector<std::string> codes{problem.code()};
    for (const auto& error : problem.errors()) codes.push_back(error.code);
    return codes;
}

ByDate byDate(const std::vector<Instant>& starts, const TimeZone& zone)
{
    ByDate dates;
    for (const auto start : starts)
    {
        const auto local = zone.localOf(start);
        dates[local.date.text()].push_back(WallTime::ofMinutes(local.secondOfDay / 60).text());
    }
    return dates;
}

/// Expected and computed values of a field that differs.
struct Difference
{
    std::string expected;
    std::string found;
};

std::optional<Difference> compareError(const Vector& vector, const Problem& problem)
{
    const auto codes = codesOf(problem);
    if (vector.expectedError && std::find(codes.begin(), codes.end(), *vector.expectedError) != codes.end()) return std::nullopt;
    std::string found = "refused:";
    for (const auto& code : codes) found += " " + code;
    return Difference{vector.expectedError ? "refused: " + *vector.expectedError : shown(vector.expected.value_or(std::vector<Instant>())),
                      found};
}

std::optional<Difference> compareStarts(const Vector& vector, const std::vector<Instant>& found, const TimeZone& guestZone)
{
    if (vector.expectedError) return Difference{"refused: " + *vector.expectedError, shown(found)};
    if (vector.expected)
    {
        auto expected = *vector.expected;
        std::sort(expected.begin(), expected.end());
        if (expected != found) return Difference{shown(expected), shown(found)};
    }
    if (vector.expectedByGuestDate)
    {
        auto expected = *vector.expectedByGuestDate;
        std::erase_if(expected, [](const auto& date) { return date.second.empty(); });
        if (const auto dates = byDate(found, guestZone); expected != dates) return Difference{shown(expected), shown(dates)};
    }
    if (!vector.expected && !vector.expectedByGuestDate) return Difference{"(the vector does not say)", shown(found)};
    return std::nullopt;
}

std::optional<Difference> check(const Vector& vector, const TimeZones& zones)
{
    std::optional<VectorQuestion> question;
    try
    {
        question = readVectorInput(vector.input.text, zones);
    }
    catch (const Problem& problem)
    {
        return compareError(vector, problem);
    }
    std::vector<Instant> found;
    for (const auto& slot : openSlots(question->rules, question->taken, question->asking, question->from, question->to))
        found.push_back(slot.start);
    return compareStarts(vector, found, question->guestZone);
}

VectorFile readFile(const char* path)
{
    std::ifstream stream(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    if (!stream) throw std::runtime_error("cannot be read");
    try
    {
        // Vectors may have members for people: a title, the rules that they are about.
        auto file = fromStoredJson<VectorFile>(text);
        if (file.version != 1) throw std::runtime_error("is not of version 1 of slot vectors");
        return file;
    }
    catch (const Problem& problem)
    {
        std::string faults;
        for (const auto& error : problem.errors()) faults += "; " + error.field + ": " + error.message;
        throw std::runtime_error("is not a file of slot vectors: " + problem.code() + " " + problem.detail() + faults);
    }
}

/// 0 if all passed, 1 if one did not.
int run(const char* path)
{
    const auto file = readFile(path);
    const TimeZones zones;
    std::size_t failed = 0;
    for (const auto& vector : file.vectors)
    {
        const auto difference = check(vector, zones);
        if (!difference) continue;
        ++failed;
        std::cout << vector.id << "\n  expected " << difference->expected << "\n  found    " << difference->found << "\n";
    }
    std::cout << file.vectors.size() - failed << " passed, " << failed << " failed\n";
    return failed == 0 ? 0 : 1;
}

} // namespace

} // namespace portico::calendar

/// slot-vectors FILE.json: 0 if every vector passed, 1 if one failed, 2 if there is nothing to test.
int main(int argc, char** argv)
{
    if (argc != 2 || std::string_view(argv[1]).starts_with("--"))
    {
        std::cerr
            << "usage: slot-vectors FILE.json\nTests the rules of booking times by a file of vectors, on this machine's time zones.\n";
        return 2;
    }
    try
    {
        return portico::calendar::run(argv[1]);
    }
    catch (const std::exception& error)
    {
        std::cerr << argv[1] << ": " << error.what() << "\n";
        return 2;
    }
}
