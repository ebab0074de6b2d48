#pragma once

#include "contacts/ContactView.h"
#include "exchange/ExportShape.h"
#include "exchange/ExportStyle.h"

#include <memory>
#include <string>

namespace portico::crm
{

/// Writes contacts one after the other to the end of a text. Used by one thread.
class ContactWriter
{
public:
    virtual ~ContactWriter() = default;
    /// Before the first contact, also when there is none.
    virtual void begin(std::string&) {}
    virtual void write(std::string& out, const ContactView& contact) = 0;
    /// After the last contact.
    virtual void end(std::string&) {}
};

/// `shape` must have seen all contacts if `needsShape(style)`.
std::unique_ptr<ContactWriter> makeContactWriter(const ExportStyle& style, const ExportShape& shape);

/// True for files whose columns depend on what the contacts have.
bool needsShape(const ExportStyle& style);

/// The contact for a file of another form than JSON: without members that are not wanted, and plain.
Contact exportedContact(const ContactView& view, const ExportStyle& style);

} // namespace portico::crm
