#include "attachments/Attachment.h"
#include "bulk/BulkState.h"
#include "contacts/ContactRow.h"
#include "crm/CrmFixture.h"
#include "fields/CustomField.h"
#include "imports/ImportState.h"
#include "imports/ImportStore.h"
#include "merges/Dismissals.h"
#include "merges/MergeRecords.h"
#include "notes/Note.h"
#include "pipelines/CardRow.h"
#include "pipelines/HistoryEntry.h"
#include "pipelines/Pipeline.h"

#include <cppunit/extensions/HelperMacros.h>

namespace portico::tests
{

/// Records against the tables that the migrations make.
class CrmTablesTest : public CrmFixture
{
    CPPUNIT_TEST_SUITE(CrmTablesTest);
    CPPUNIT_TEST(recordsFitTheirTables);
    CPPUNIT_TEST_SUITE_END();

public:
    void recordsFitTheirTables()
    {
        checkTables(database(), crm::attachmentRows, crm::bulkTable, crm::bulkContactTable, crm::newContactRows, crm::customFieldTable,
                    crm::importTable, crm::importErrorTable, crm::importChangeTable, crm::dismissalTable, crm::mergeTable, crm::noteRows,
                    crm::cardTable, crm::historyTable, crm::pipelineTable);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(CrmTablesTest);

} // namespace portico::tests
