#include "bulk/BulkState.h"
#include "crm/CrmFixture.h"
#include "imports/ImportState.h"
#include "imports/ImportStore.h"
#include "merges/Dismissals.h"
#include "merges/MergeRecords.h"
#include "pipelines/CardRow.h"
#include "pipelines/Pipeline.h"
#include "records/Attachment.h"
#include "records/HistoryEntry.h"
#include "records/Note.h"
#include "support/Suite.h"

namespace portico::tests
{

/// Records against the tables that the migrations make. Contacts and custom fields are not among them: a member there is optional for
/// clients only, and the service fills its column.
class CrmTablesTest : public Suite<CrmTablesTest, CrmFixture>
{
    TEST(recordsFitTheirTables)
    {
        checkTables(database(), crm::attachmentRows, crm::bulkTable, crm::bulkContactTable, crm::importTable, crm::importErrorTable,
                    crm::importChangeTable, crm::dismissalTable, crm::mergeTable, crm::noteRows, crm::cardTable, crm::historyTable,
                    crm::pipelineTable);
    }
};

} // namespace portico::tests
