#pragma once

#include "exchange/ContactWriter.h"

#include <string>
#include <vector>

namespace portico::crm
{

/// A CSV file: a header, and a record for each contact.
class CsvWriter : public ContactWriter
{
public:
    void begin(std::string& out) final;
    void write(std::string& out, const ContactView& contact) final;

protected:
    CsvWriter(ExportStyle style) : _style(std::move(style)) {}
    /// Fills the cells of a contact, which are empty, as many as the header has.
    virtual void fill(const Contact& contact, std::vector<std::string>& cells) const = 0;

    const ExportStyle _style;
    std::vector<std::string> _header;

private:
    std::vector<std::string> _cells;
};

} // namespace portico::crm
