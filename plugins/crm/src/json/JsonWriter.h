#pragma once

#include "exports/ContactWriter.h"

#include <string>
#include <vector>

namespace portico::crm
{

/// Contacts as the interface gives them: in one JSON array, whose bracket closes only behind the last, or one a line.
class JsonWriter final : public ContactWriter
{
public:
    explicit JsonWriter(const ExportStyle& style);
    void begin(std::string& out) override;
    void write(std::string& out, const ContactView& contact) override;
    void end(std::string& out) override;

private:
    const bool _lines;
    const std::vector<std::string> _fields;
    bool _first = true;
};

} // namespace portico::crm
