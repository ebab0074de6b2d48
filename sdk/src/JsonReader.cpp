#include "TextReader.h"
#include "Validation.h"

#include "portico/Text.h"

#include <boost/json/basic_parser_impl.hpp>

#include <cmath>
#include <limits>
#include <set>

namespace portico::detail
{

namespace
{

constexpr std::size_t maxDepth = 32;

std::string_view describeKind(const Type& type)
{
    switch (type.kind)
    {
    case Kind::Boolean:
        return "true or false";
    case Kind::Integer:
        return "an integer";
    case Kind::Number:
        return "a number";
    case Kind::String:
    case Kind::Formatted:
    case Kind::Choice:
        return "text";
    case Kind::Record:
    case Kind::Map:
        return "an object";
    case Kind::List:
        return "an array";
    default:
        return "another value";
    }
}

/// Receives the parser's events and writes straight into the record. Faults are collected; only what makes the text no JSON ends the parse.
class RecordReader
{
public:
    static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t max_array_size = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t max_key_size = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t max_string_size = std::numeric_limits<std::size_t>::max();
    using Error = boost::json::error_code;

    RecordReader(const Type& type, void* value, ReadMode mode, std::vector<bool>* seen)
        : _rootType(type), _root(value), _mode(mode), _rootSeen(seen)
    {
    }

    Faults& faults() { return _faults; }
    /// Where the text broke off: a value that is kept as text is whole, or none.
    void dropUnfinished()
    {
        if (_raw) rawText() = "null";
    }
    const std::string& refusal() const { return _refusal; }

    bool on_document_begin(Error&) { return true; }
    bool on_document_end(Error&) { return true; }

    bool on_object_begin(Error&)
    {
        if (raw()) return rawOpen('{');
        Slot slot = take();
        if (slot.skipped()) return push({.what = Frame::Skip});
        if (slot.type->kind == Kind::Json) return rawBegin(slot, '{');
        const bool fresh = engage(slot);
        const bool merge = slot.merge && !fresh;
        if (slot.type->kind == Kind::Record)
        {
            Frame frame{.what = Frame::Record, .type = slot.type, .target = slot.target, .merge = merge};
            frame.seen.resize(slot.type->memberCount);
            return push(std::move(frame));
        }
        if (slot.type->kind == Kind::Map)
        {
            if (!merge) slot.type->reset(slot.target);
            return push({.what = Frame::Map, .type = slot.type, .target = slot.target, .merge = merge});
        }
        mismatch(*slot.type, "an object");
        return push({.what = Frame::Skip});
    }

    bool on_object_end(std::size_t, Error&)
    {
        if (raw()) return rawClose('}');
        Frame& frame = _frames.back();
        if (frame.what == Frame::Record) endRecord(frame);
        _frames.pop_back();
        return true;
    }

    bool on_array_begin(Error&)
    {
        if (raw()) return rawOpen('[');
        Slot slot = take();
        if (slot.skipped()) return push({.what = Frame::Skip});
        if (slot.type->kind == Kind::Json) return rawBegin(slot, '[');
        engage(slot);
        if (slot.type->kind == Kind::List)
        {
            slot.type->reset(slot.target);
            return push({.what = Frame::List, .type = slot.type, .target = slot.target, .trimmed = slot.trimmed});
        }
        mismatch(*slot.type, "an array");
        return push({.what = Frame::Skip});
    }

    bool on_array_end(std::size_t, Error&)
    {
        if (raw()) return rawClose(']');
        _frames.pop_back();
        return true;
    }

    bool on_key_part(boost::json::string_view part, std::size_t, Error&)
    {
        _text.append(part.data(), part.size());
        return true;
    }

    bool on_key(boost::json::string_view part, std::size_t, Error& error)
    {
        _text.append(part.data(), part.size());
        std::string key;
        key.swap(_text);
        if (key.find('\0') != std::string::npos) return refuse("A member's name holds a NUL character.", error);
        if (raw()) return rawKey(key, error);
        Frame& frame = _frames.back();
        frame.key = std::move(key);
        frame.member = nullptr;
        if (frame.what == Frame::Record) return recordKey(frame, error);
        return frame.what != Frame::Map || noteKey(frame, error);
    }

    bool on_string_part(boost::json::string_view part, std::size_t, Error&)
    {
        _text.append(part.data(), part.size());
        return true;
    }

    bool on_string(boost::json::string_view part, std::size_t, Error& error)
    {
        _text.append(part.data(), part.size());
        std::string text;
        text.swap(_text);
        if (text.find('\0') != std::string::npos) return refuse("A text holds a NUL character.", error);
        if (raw())
        {
            rawComma();
            appendJsonString(rawText(), text);
            return true;
        }
        Slot slot = take();
        if (slot.skipped()) return true;
        engage(slot);
        setString(slot, std::move(text));
        return true;
    }

    bool on_number_part(boost::json::string_view part, Error&)
    {
        _text.append(part.data(), part.size());
        return true;
    }

    bool on_int64(std::int64_t value, boost::json::string_view part, Error&)
    {
        return number(part, true, value, static_cast<double>(value));
    }

    bool on_uint64(std::uint64_t value, boost::json::string_view part, Error&)
    {
        const bool fits = value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        return number(part, fits, static_cast<std::int64_t>(value), static_cast<double>(value));
    }

    bool on_double(double value, boost::json::string_view part, Error&)
    {
        // 1.0 and 1e3 are integers in JSON, too (RFC 8259, 6, leaves it to us; clients print them so).
        const bool whole = std::nearbyint(value) == value && std::fabs(value) < 9.0e15;
        return number(part, whole, whole ? static_cast<std::int64_t>(value) : 0, value);
    }

    bool on_bool(bool value, Error&)
    {
        if (raw()) return rawScalar(value ? "true" : "false");
        Slot slot = take();
        if (slot.skipped()) return true;
        engage(slot);
        if (slot.type->kind == Kind::Boolean)
            slot.type->setInteger(slot.target, value);
        else if (slot.type->kind == Kind::Json)
            static_cast<Json*>(slot.target)->text = value ? "true" : "false";
        else
            mismatch(*slot.type, "true or false");
        return true;
    }

    bool on_null(Error&)
    {
        if (raw()) return rawScalar("null");
        if (!_frames.empty() && _frames.back().what == Frame::Map && _frames.back().merge)
        {
            _frames.back().type->erase(_frames.back().target, _frames.back().key);
            return true;
        }
        // Null as a whole body would also clear members that clients may not write.
        const bool mustBeOne = _frames.empty() ? !stored() : _frames.back().what == Frame::List;
        Slot slot = take();
        if (slot.skipped()) return true;
        const bool required = slot.rules && slot.rules->required;
        if (!required && mustBeOne && slot.type->kind != Kind::Optional && slot.type->kind != Kind::Json)
            mismatch(*slot.type, "null");
        else if (required || (!stored() && !canBeNone(slot)))
            _faults.add(path(), "required", "Must have a value");
        else
            slot.type->reset(slot.target);
        return true;
    }

    bool on_comment_part(boost::json::string_view, Error&) { return true; }
    bool on_comment(boost::json::string_view, Error&) { return true; }

private:
    struct Frame
    {
        enum What
        {
            Record,
            List,
            Map,
            Skip
        };
        What what = Skip;
        const Type* type = nullptr;
        void* target = nullptr;
        bool merge = false;
        bool trimmed = false;
        std::string key = {};
        const Member* member = nullptr;
        std::size_t index = 0;
        std::vector<bool> seen = {};
        std::set<std::string> keys = {};
    };
    /// Where the next value goes.
    struct Slot
    {
        const Type* type = nullptr;
        void* target = nullptr;
        const Rules* rules = nullptr;
        bool merge = false;
        bool trimmed = false;
        bool skipped() const { return type == nullptr; }
    };

    bool push(Frame frame)
    {
        _frames.push_back(std::move(frame));
        return true;
    }

    bool refuse(std::string_view why, Error& error)
    {
        _refusal = why;
        error = boost::json::error::syntax;
        return false;
    }

    Slot take()
    {
        if (_frames.empty()) return {&_rootType, _root, nullptr, _mode == ReadMode::Merge};
        Frame& frame = _frames.back();
        switch (frame.what)
        {
        case Frame::Record:
            if (!frame.member) return {};
            return {frame.member->type, frame.member->reach(frame.target), &frame.member->rules, frame.merge,
                    frame.member->rules.trimmed && !stored()};
        case Frame::List:
            ++frame.index;
            return {frame.type->element, frame.type->append(frame.target), nullptr, false, frame.trimmed};
        case Frame::Map:
        {
            const auto before = frame.type->size(frame.target);
            void* target = frame.type->insert(frame.target, frame.key);
            return {frame.type->element, target, nullptr, frame.merge && frame.type->size(frame.target) == before};
        }
        default:
            return {};
        }
    }

    bool stored() const { return _mode == ReadMode::Stored; }

    /// Steps through optionals; true if one was empty until now, so that there is nothing to merge with.
    static bool engage(Slot& slot)
    {
        bool fresh = false;
        while (slot.type->kind == Kind::Optional)
        {
            fresh = fresh || slot.type->value(slot.target) == nullptr;
            slot.target = slot.type->engage(slot.target);
            slot.type = slot.type->element;
        }
        return fresh;
    }

    /// Returns true if null is accepted. Booleans, numbers, choices and ids reject it unless their rules say otherwise: their empty value
    /// would be a valid value, no option, or an id of no record.
    static bool canBeNone(const Slot& slot)
    {
        const Type& type = *slot.type;
        const bool needsOne = type.kind == Kind::Boolean || type.kind == Kind::Integer || type.kind == Kind::Number ||
                              type.kind == Kind::Choice || (type.kind == Kind::Formatted && type.format == "id");
        return !needsOne || (slot.rules && slot.rules->clearable);
    }

    bool recordKey(Frame& frame, Error& error)
    {
        for (std::size_t i = 0; i < frame.type->memberCount; ++i)
        {
            const Member& member = frame.type->members[i];
            if (member.name != frame.key || (!stored() && (member.rules.columnOnly || member.rules.flattened))) continue;
            if (frame.seen[i]) return refuse("Duplicate member: " + path() + ".", error);
            frame.seen[i] = true;
            if (!member.rules.readOnly || stored()) frame.member = &member;
            return true;
        }
        if (!noteKey(frame, error)) return false;
        if (!stored()) _faults.addUnknown(path());
        return true;
    }

    bool noteKey(Frame& frame, Error& error)
    {
        if (frame.keys.insert(frame.key).second) return true;
        return refuse("Duplicate member: " + path() + ".", error);
    }

    void endRecord(Frame& frame)
    {
        if (!frame.merge && !stored())
            for (std::size_t i = 0; i < frame.type->memberCount; ++i)
            {
                const Member& member = frame.type->members[i];
                if (!member.rules.required || member.rules.readOnly || frame.seen[i]) continue;
                frame.key = member.name;
                _faults.add(path(), "required", "Must be present");
            }
        if (_frames.size() == 1 && _rootSeen) *_rootSeen = frame.seen;
    }

    void setString(const Slot& slot, std::string text)
    {
        switch (slot.type->kind)
        {
        case Kind::String:
            *static_cast<std::string*>(slot.target) = slot.trimmed ? std::string(trim(text)) : std::move(text);
            return;
        case Kind::Json:
        {
            auto& raw = static_cast<Json*>(slot.target)->text;
            raw.clear();
            appendJsonString(raw, text);
            return;
        }
        case Kind::Formatted:
            if (!slot.type->parse(slot.target, text)) addUnparsed(_faults, path(), *slot.type, slot.rules);
            return;
        case Kind::Choice:
            for (std::size_t i = 0; i < slot.type->choiceCount; ++i)
                if (slot.type->choices[i] == text)
                {
                    slot.type->setInteger(slot.target, static_cast<std::int64_t>(i));
                    return;
                }
            _faults.add(path(), "unknown_option", "Not one of " + options(*slot.type));
            return;
        default:
            mismatch(*slot.type, "text");
        }
    }

    bool number(boost::json::string_view part, bool whole, std::int64_t integer, double real)
    {
        std::string text;
        text.swap(_text);
        text.append(part.data(), part.size());
        if (raw()) return rawScalar(text);
        Slot slot = take();
        if (slot.skipped()) return true;
        engage(slot);
        if (slot.type->kind == Kind::Number)
            slot.type->setNumber(slot.target, real);
        else if (slot.type->kind == Kind::Json)
            static_cast<Json*>(slot.target)->text = text;
        else if (slot.type->kind != Kind::Integer)
            mismatch(*slot.type, "a number");
        else if (!whole)
            _faults.add(path(), "wrong_type", "Expected an integer");
        else if (!slot.type->setInteger(slot.target, integer))
            _faults.add(path(), "out_of_range", "The number is too large or too small");
        return true;
    }

    void mismatch(const Type& expected, std::string_view found)
    {
        std::string message = "Expected ";
        message += describeKind(expected);
        message += ", found ";
        message += found;
        _faults.add(path(), "wrong_type", message);
    }

    std::string path() const
    {
        std::string text;
        for (const Frame& frame : _frames)
        {
            if (frame.what == Frame::List)
                text += '[' + std::to_string(frame.index == 0 ? 0 : frame.index - 1) + ']';
            else
            {
                if (!text.empty()) text += '.';
                text += frame.key;
            }
        }
        return text;
    }

    // --- values kept as text -------------------------------------------------------------------------------------------------------
    bool raw() const { return _raw != nullptr; }
    std::string& rawText() { return _raw->text; }

    bool rawBegin(const Slot& slot, char bracket)
    {
        _raw = static_cast<Json*>(slot.target);
        _raw->text.clear();
        return rawOpen(bracket);
    }
    bool rawOpen(char bracket)
    {
        rawComma();
        rawText() += bracket;
        _rawKeys.emplace_back();
        return true;
    }
    bool rawClose(char bracket)
    {
        rawText() += bracket;
        _rawKeys.pop_back();
        if (_rawKeys.empty()) _raw = nullptr;
        return true;
    }
    bool rawKey(const std::string& key, Error& error)
    {
        if (!_rawKeys.back().insert(key).second) return refuse("Duplicate member.", error);
        rawComma();
        appendJsonString(rawText(), key);
        rawText() += ':';
        return true;
    }
    bool rawScalar(std::string_view text)
    {
        rawComma();
        rawText() += text;
        return true;
    }
    void rawComma()
    {
        if (const auto& text = rawText(); !text.empty() && text.back() != '[' && text.back() != '{' && text.back() != ':') rawText() += ',';
    }

    const Type& _rootType;
    void* _root;
    ReadMode _mode;
    std::vector<bool>* _rootSeen;
    std::vector<Frame> _frames;
    Faults _faults;
    std::string _text;
    std::string _refusal;
    Json* _raw = nullptr;
    std::vector<std::set<std::string>> _rawKeys;
};

/// Parses one document strictly. Throws what makes the text no JSON.
void parse(std::string_view text, boost::json::basic_parser<RecordReader>& parser)
{
    boost::json::error_code error;
    const auto used = parser.write_some(false, text.data(), text.size(), error);
    if (!error && text.find_first_not_of(" \t\r\n", used) != std::string_view::npos) error = boost::json::error::extra_data;
    if (!error) return;
    parser.handler().dropUnfinished();
    const auto& refusal = parser.handler().refusal();
    throw Problem::badRequest("invalid_json", refusal.empty() ? "The text is not valid JSON: " + error.message() + ", near byte " +
                                                                    std::to_string(used) + "."
                                                              : refusal);
}

boost::json::parse_options strictOptions()
{
    boost::json::parse_options options;
    options.max_depth = maxDepth;
    return options;
}

Faults readFaults(std::string_view text, const Type& type, void* value, ReadMode mode, std::vector<bool>* seen)
{
    boost::json::basic_parser<RecordReader> parser(strictOptions(), type, value, mode, seen);
    parse(text, parser);
    return std::move(parser.handler().faults());
}

bool isScalar(const Type& type)
{
    if (type.kind == Kind::Optional) return isScalar(*type.element);
    return type.kind != Kind::Record && type.kind != Kind::Map && type.kind != Kind::List;
}

/// Name and JSON text of each member that may be set only at creation.
std::vector<std::pair<std::string_view, std::string>> createOnlyValues(const Type& type, void* record)
{
    std::vector<std::pair<std::string_view, std::string>> values;
    for (std::size_t i = 0; i < type.memberCount; ++i)
        if (const Member& member = type.members[i]; member.rules.createOnly)
            writeStored(values.emplace_back(member.name, std::string()).second, *member.type, member.reach(record));
    return values;
}

} // namespace

void readJson(std::string_view text, const Type& type, void* value, ReadMode mode, std::vector<bool>* seen)
{
    readFaults(text, type, value, mode, seen).raise();
}

void readBody(std::string_view text, const Type& type, void* value, std::vector<bool>* seen)
{
    auto faults = readFaults(text, type, value, ReadMode::Whole, seen);
    Faults rules;
    if (faults.empty())
        validateRecord(type, value, rules);
    else
        validateMembers(type, value, rules);
    faults.addRest(rules);
    faults.raise();
}

void readPatch(std::string_view text, const Type& type, void* values, std::vector<bool>& seen)
{
    auto faults = readFaults(text, type, values, ReadMode::Merge, &seen);
    if (faults.empty()) return;
    Faults rules;
    for (std::size_t i = 0; i < type.memberCount; ++i)
        if (seen[i] && isScalar(*type.members[i].type)) validateMember(type.members[i], values, rules);
    faults.addRest(rules);
    faults.raise();
}

void mergeBody(std::string_view text, const Type& type, void* record, const std::vector<bool>& seen)
{
    const auto createOnly = createOnlyValues(type, record);
    readJson(text, type, record, ReadMode::Merge);
    Faults faults;
    const auto after = createOnlyValues(type, record);
    for (std::size_t i = 0; i < createOnly.size(); ++i)
        if (createOnly[i].second != after[i].second)
            faults.add(std::string(createOnly[i].first), "create_only", "Can be set only when the record is created");
    Faults rules;
    validateRecord(type, record, rules, seen.empty() ? nullptr : &seen);
    faults.addRest(rules);
    faults.raise();
}

} // namespace portico::detail

namespace portico
{

bool isJson(std::string_view text) noexcept
try
{
    Json value;
    detail::readJson(text, detail::typeOf<Json>, &value, detail::ReadMode::Whole);
    return true;
}
catch (const std::exception&)
{
    return false;
}

} // namespace portico
