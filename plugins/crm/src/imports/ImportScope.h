#pragma once

#include "imports/ImportStage.h"

#include "portico/Database.h"
#include "portico/Tenant.h"

#include <string>
#include <string_view>

namespace portico::crm
{

/// What the statements of one transaction of an import need. Lives no longer than the transaction.
struct ImportScope
{
    Transaction& transaction;
    Tenant tenant;
    const ImportId& importId;
    const ContactStore& contacts;
    const ImportStore& imports;
    const AttachmentService& attachments;
    /// Who imports, and when this transaction began.
    std::string_view userId;
    Instant now;
    /// Where the import puts its contacts; null: nowhere.
    const ImportStage* stage = nullptr;
    /// In a snapshot, for a look ahead: nothing can be locked.
    bool readsOnly = false;
};

} // namespace portico::crm
