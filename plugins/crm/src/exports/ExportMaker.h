#pragma once

#include "exchange/ContactWriter.h"
#include "exports/ContactScan.h"
#include "exports/ExportSlots.h"

#include <memory>
#include <optional>
#include <string>

namespace portico::crm
{

/// Makes the file of an export from one snapshot of the database, a part at a time. Used by one thread at a time.
class ExportMaker
{
public:
    /// Takes the snapshot. @throws DatabaseError
    ExportMaker(ExportSlots::Slot session, Transaction snapshot, ContactSelection selection, ExportStyle style);

    /// Appends what some more contacts give, which may be nothing; false when the file is complete.
    bool makeSome(std::string& out);

private:
    /// Writes the next contact, if there is one. If the columns depend on the contacts, scans all of them first.
    bool takeOne(std::string& out);
    void beginFile(std::string& out);

    ExportSlots::Slot _session;
    Transaction _snapshot;
    const ContactSelection _selection;
    const ExportStyle _style;
    ExportShape _shape;
    std::optional<ContactScan> _scan;
    std::unique_ptr<ContactWriter> _writer;
};

} // namespace portico::crm
