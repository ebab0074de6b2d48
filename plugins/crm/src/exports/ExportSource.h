#pragma once

#include "exchange/ContactWriter.h"
#include "exports/ContactScan.h"
#include "exports/ExportSlots.h"

#include "portico/Response.h"

#include <memory>
#include <optional>

namespace portico::crm
{

/// The file of an export, written while it is sent, from one snapshot of the database.
class ExportSource final : public BodySource
{
public:
    /// Takes the snapshot. @throws DatabaseError
    ExportSource(ExportSlots::Slot slot, Transaction snapshot, ContactSelection selection, ExportStyle style);
    bool read(std::string& out, std::size_t wanted) override;

private:
    /// Goes through all contacts once before, for files whose columns depend on them.
    ExportShape shape();

    ExportSlots::Slot _slot;
    Transaction _snapshot;
    const ContactSelection _selection;
    const ExportStyle _style;
    ContactScan _scan;
    std::unique_ptr<ContactWriter> _writer;
};

} // namespace portico::crm
