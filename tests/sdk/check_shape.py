#!/usr/bin/python3
"""Counts that must not grow: uses of SDK internals outside of the SDK, functions with an organization as text, SQL and tables of plugins on tenant rows without the
tenant, and includes between rooms.

Each list holds what there is today, with the reason. What is new fails, and so does an entry that no longer occurs.
"""

import json
import pathlib
import re
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
import shape  # noqa: E402
import sql_texts  # noqa: E402
from blackbox import main  # noqa: E402

DETAIL = {
}

RENEW = "run tests/support/shape.py --graph"

# Elsewhere a function takes a Tenant or an OrganizationId. File, and why.
ORGANIZATION_TEXTS = {
    "sdk/include/portico/interfaces/SignIns.h": "what a page asks to change to, which may be no organization at all",
    "plugins/identity/src/interfaces/InProcessSignIns.h": "implements it",
    "plugins/identity/src/interfaces/InProcessSignIns.cpp": "implements it",
    "plugins/identity/src/common/Changes.h": "the name of a counter, of an organization or of nobody",
    "plugins/identity/src/common/Changes.cpp": "the name of a counter, of an organization or of nobody",
}

CALENDAR, CRM, IDENTITY = "plugins/calendar/src/", "plugins/crm/src/", "plugins/identity/src/"
LAUNCHPAD, SOCIAL = "plugins/launchpad/src/", "plugins/social/src/"
# Folders of a plugin from the lowest: an include points to the same one or to a lower one.
FLOORS = {
    CALENDAR: ("service", "texts", "records", "slots", "icalendar", "hosttime", "invitations", "pictures", "hosts", "schedules", "embed",
               "eventtypes", "holds", "external", "bookings", "public", "pages", "widget", "mails", "privacy"),
    CRM: ("data", "text", "records", "blobs", "search", "contacts", "notes", "tags", "fields", "attachments", "pipelines", "exchange",
          "csv", "vcard", "json", "exports", "merges", "imports", "bulk", "service", "widget", "privacy"),
    IDENTITY: ("common", "mails", "human", "outbox", "audit", "web", "users", "catalog", "jose", "tokens", "records", "sessions", "permissions",
               "clients", "upstream", "organizations", "factors", "signin", "passkeys", "households", "keys", "onboarding",
               "accounts", "people", "oauth", "credentials", "access", "services", "webhooks", "login", "providers", "pages", "scim", "interfaces",
               "developers", "privacy", "system"),
    LAUNCHPAD: ("common", "plans", "catalog", "preferences", "notifications", "actions", "installs", "launches", "workspace", "widgets", "onboarding", "causes", "billing", "seats", "checkout", "marketing",
                "privacy", "pages", "mobile"),
    SOCIAL: ("common", "text", "links", "audit", "brands", "networks", "integrations", "media", "ai", "content", "trends", "analytics", "widget", "notices", "privacy",
             "publishing"),
}
# Includes of a higher folder that are older than the floors: file, and the folders. A new plugin has none; the list may only shrink.
UPWARD = {
}
# Reason, and the places it holds for: file, and how the text goes on from its beginning, § for what is put in when it runs.
SQL = {
    "a job looks through all organizations, and goes on by the organization that each row names": [
        (CALENDAR + "bookings/BookingService.cpp", "SELECT organization_id, id FROM booking WHERE (status = 'pending'"),
        (CALENDAR + "holds/HoldSweep.cpp", "SELECT organization_id, host_id, id FROM slot_hold WHERE status = 'reserved'"),
        (CALENDAR + "holds/HoldSweep.cpp", "UPDATE slot_hold SET status = 'expired'"),
        (CALENDAR + "pictures/Pictures.cpp", "SELECT organization_id, id, blob_key FROM picture WHERE remove_at"),
        (CALENDAR + "pictures/Pictures.cpp", "UPDATE picture SET remove_at = 0 WHERE remove_at"),
        (CRM + "blobs/UnownedBlobs.cpp", "SELECT organization_id, blob_key FROM unowned_blob WHERE remove_at"),
        (CRM + "bulk/BulkService.cpp", "SELECT organization_id, bulk_id FROM bulk WHERE forget_at"),
        (CRM + "contacts/ContactService.cpp", "SELECT organization_id FROM contact WHERE deleted_at"),
        (CRM + "search/ContactText.cpp", "SELECT 1 FROM contact_text WHERE NOT has_words"),
        (CRM + "search/ContactText.cpp", "SELECT organization_id, contact_id FROM contact_text WHERE folding"),
        (CRM + "search/ContactText.cpp", "SELECT organization_id, max(row_id) FROM (SELECT organization_id, row_id FROM contact_text"),
        (CRM + "imports/ImportStore.cpp", "SELECT organization_id, import_id FROM import WHERE phase"),
        (CRM + "imports/ImportStore.cpp", "SELECT organization_id, import_id FROM import WHERE file_until"),
        (CRM + "imports/ImportStore.cpp", "SELECT organization_id, import_id FROM import WHERE forget_at"),
        (CRM + "merges/MergeRecords.cpp", "SELECT organization_id, merge_id FROM contact_merge WHERE merged_at"),
        (CALENDAR + "external/ExternalSync.cpp", "SELECT organization_id, host_id, id FROM external_calendar WHERE next_sync_at"),
    ],
    "guests belong to no organization: a handle, a hold, a picture or a link with its token tells which it is": [
        (CALENDAR + "bookings/PublicOffer.cpp", "SELECT o.organization_id, o.kept_until, h. FROM host_handle o JOIN host h ON h.organization_id = o.organization_id"),
        (CALENDAR + "bookings/PublicOffer.cpp", "SELECT t. FROM host_handle o JOIN host h ON h.organization_id = o.organization_id"),
        (CALENDAR + "bookings/PublicOffer.cpp", "SELECT s. FROM host_handle o JOIN host h ON h.organization_id = o.organization_id"),
        (CALENDAR + "bookings/PublicOffer.cpp", "SELECT b. FROM host_handle o JOIN host h ON h.organization_id = o.organization_id"),
        (CALENDAR + "bookings/PublicOffer.cpp", "SELECT c. FROM host_handle o JOIN host h ON h.organization_id = o.organization_id"),
        (CALENDAR + "holds/HoldService.cpp", "SELECT organization_id, host_id FROM slot_hold WHERE id = $1"),
        (CALENDAR + "hosts/Handles.cpp", "SELECT organization_id, host_id FROM host_handle WHERE handle = $1"),
        (CALENDAR + "hosts/PictureRoutes.cpp", "SELECT § FROM picture WHERE id = $1"),
        (CALENDAR + "public/GuestAccess.cpp", "SELECT organization_id FROM booking WHERE id = $1 AND manage_token_hash = $2"),
    ],
    "an account is suspended in all of its organizations, each of which the row names": [
        (CALENDAR + "hosts/Departures.cpp", "SELECT organization_id, id FROM host WHERE user_id = $1"),
    ],
    "the conditions are those of addFilter in ContactList.cpp, which begin with the organization": [
        (CRM + "bulk/BulkService.cpp", "INSERT INTO bulk_contact (organization_id, bulk_id, contact_id) SELECT c.organization_id"),
        (CRM + "search/SortedWalk.cpp", "SELECT 1 FROM contact c WHERE §"),
        (CRM + "search/ContactBatch.cpp", "SELECT c.id, c. FROM contact c WHERE §"),
        (CRM + "contacts/ContactList.cpp", "SELECT c.id, §, c. FROM contact c WHERE §"),
        (CRM + "contacts/ContactList.cpp", "SELECT count(*) FROM contact c WHERE §"),
        (CRM + "search/SearchStatements.cpp", "SELECT t.row_id, t.has_words, TRUE, c.id, "),
        (CRM + "search/SearchStatements.cpp", "SELECT w.id, w.§, t.has_words, "),
        (CRM + "search/SearchStatements.cpp", "SELECT w.id, w.§ FROM (SELECT c.id, § FROM contact c WHERE §"),
        (CRM + "exports/ContactScan.cpp", "DECLARE contact_scan NO SCROLL CURSOR FOR §SELECT § FROM contact c WHERE §"),
    ],
    "a beginning that each of its uses ends with conditions that name the organization": [
        (CRM + "pipelines/Board.cpp", "CROSS JOIN contact_text t"),
    ],
    "row_id is one count for all organizations": [
        (CRM + "search/ContactText.cpp", "SELECT coalesce(max(row_id), 0) FROM contact_text"),
    ],
    "reads nothing: the first statement of a transaction makes its snapshot": [
        (CRM + "exports/ExportMaker.cpp", "SELECT count(*) FROM (SELECT 1 FROM contact LIMIT 1)"),
    ],
    "whoever calls it names table and columns, in a text that is looked at there": [
        (CRM + "data/ManyRows.cpp", "INSERT INTO § VALUES ("),
    ],
    "refolds stored names of all organizations once, row by row by the organization that each row names": [
        (IDENTITY + "scim/NameKeys.cpp", "SELECT organization_id, §, §, § FROM § WHERE LENGTH(CAST(§ AS BLOB))"),
    ],
    "only for tables of the catalog, which is the installation's": [
        (IDENTITY + "catalog/CatalogStore.cpp", "SELECT § FROM § WHERE service_id = $1"),
        (IDENTITY + "catalog/CatalogStore.cpp", "DELETE FROM § WHERE service_id = $1"),
    ],
    "keys of all organizations expire; each event names the organization of its key": [
        (IDENTITY + "keys/KeyExpiry.cpp", "SELECT § FROM api_keys WHERE expiry_announced_at IS NULL"),
        (IDENTITY + "keys/KeyExpiry.cpp", "UPDATE api_keys SET expiry_announced_at = $2"),
    ],
    "what an operator changes in a service reaches the keys of all organizations": [
        (IDENTITY + "services/ScopeUse.cpp", "SELECT § FROM api_keys WHERE status IN"),
    ],
    "a provider is met by its id on the way to it and back, by people who belong nowhere yet; who looks after it is asked after that": [
        (IDENTITY + "upstream/IdentityProvider.cpp", "SELECT § FROM identity_providers WHERE id = $1"),
        (IDENTITY + "upstream/LinkedAccount.cpp", "SELECT 1 FROM users u WHERE u.id = $1 AND (u.password_hash IS NOT NULL"),
    ],
    "the host knows endpoints of webhooks by their ids; what waits to be sent, or is over, is of all organizations": [
        (IDENTITY + "webhooks/WebhookSender.cpp", "SELECT organization_id FROM webhook_endpoints WHERE id = $1"),
        (IDENTITY + "webhooks/WebhookSender.cpp", "DELETE FROM webhook_deliveries WHERE created_at < $1"),
        (IDENTITY + "webhooks/WebhookSender.cpp", "SELECT § FROM webhook_deliveries WHERE sent_at IS NULL"),
        (IDENTITY + "webhooks/WebhookSender.cpp", "UPDATE webhook_deliveries SET sent_at"),
        (IDENTITY + "webhooks/WebhookSender.cpp", "UPDATE webhook_deliveries SET attempts"),
        (IDENTITY + "outbox/WebhookStore.cpp", "DELETE FROM webhook_endpoints WHERE EXISTS"),
    ],
    "an operator reads the audit trail of the installation, for everybody else the filter names the organization": [
        (IDENTITY + "audit/AuditTrail.cpp", "SELECT id, sequence, at, type, actor_type"),
    ],
    "the audit trail is one chain for all organizations, checked as a whole": [
        (IDENTITY + "audit/Audit.cpp", "SELECT sequence, at, id, type, actor_type"),
        (IDENTITY + "audit/Audit.cpp", "SELECT hash FROM audit_events WHERE sequence = $1"),
    ],
    "a key is the credential that tells the organization; it belongs to an owner, who may be a person": [
        (IDENTITY + "records/ApiKey.cpp", "SELECT § FROM api_keys WHERE §"),
        (IDENTITY + "records/ApiKey.cpp", "SELECT § FROM api_keys WHERE owner_id = $1"),
        (IDENTITY + "records/ApiKey.cpp", "SELECT COUNT(*) FROM api_keys WHERE owner_id = $1"),
        (IDENTITY + "records/ApiKey.cpp", "UPDATE api_keys WHERE id = §"),
        (IDENTITY + "records/ApiKey.cpp", "UPDATE api_keys SET status = 'revoked'"),
    ],
    "a sign-in belongs to a person and tells the organization; it is found by its id or its owner's": [
        (IDENTITY + "sessions/SignIn.cpp", "SELECT § FROM sessions WHERE §"),
        (IDENTITY + "login/SessionRoutes.cpp", "SELECT user_id FROM sessions WHERE id = $1"),
        (IDENTITY + "outbox/WebhookStore.cpp", "SELECT user_id FROM sessions WHERE id = $1"),
        (IDENTITY + "sessions/RefreshFamilies.cpp", "UPDATE sessions SET last_seen_at"),
        (IDENTITY + "sessions/SignIn.cpp", "SELECT organization_id FROM last_contexts WHERE user_id = $1"),
    ],
    "asks which organizations a person belongs to": [
        (IDENTITY + "outbox/WebhookStore.cpp", "SELECT organization_id FROM memberships WHERE user_id = $1"),
        (IDENTITY + "interfaces/InProcessDirectory.cpp", "SELECT o.id, o.slug, o.name, COALESCE(o.logo_url, ''), m.role, o.security_policy"),
        (IDENTITY + "records/Organization.cpp", "SELECT o.id, o.name, o.slug, o.kind, o.status, m.role FROM memberships m"),
        (IDENTITY + "records/Organization.cpp", "SELECT 1 FROM memberships m JOIN organizations o ON o.id = m.organization_id "
         "WHERE m.user_id = $1 AND m.status = 'active'"),
        (IDENTITY + "records/Organization.cpp", "SELECT 1 FROM memberships m JOIN organizations o ON o.id = m.organization_id "
         "WHERE m.user_id = $1 AND m.status <> 'removed'"),
        (IDENTITY + "organizations/Memberships.cpp", "SELECT organization_id FROM memberships WHERE user_id = $1"),
        (IDENTITY + "organizations/Memberships.cpp", "SELECT DISTINCT role FROM memberships WHERE user_id = $1"),
        (IDENTITY + "organizations/OrganizationRoutes.cpp", "SELECT COUNT(*) FROM memberships WHERE user_id = $1"),
        (IDENTITY + "organizations/OrganizationRoutes.cpp", "id IN (SELECT m.organization_id FROM memberships m WHERE m.user_id = ?"),
        (IDENTITY + "accounts/SecurityRoutes.cpp", "SELECT 1 FROM memberships WHERE user_id = $1 AND organization_id <> $2"),
        (IDENTITY + "permissions/PlatformPower.cpp", "SELECT o.security_policy FROM memberships m JOIN organizations o"),
        (IDENTITY + "permissions/PlatformPower.cpp", "SELECT organization_id FROM identity_providers WHERE id = $1"),
    ],
    "lists or ends what opens the account of a person, wherever it works": [
        (IDENTITY + "accounts/AccountCredentials.cpp", "UPDATE refresh_families SET revoked_at"),
        (IDENTITY + "accounts/AccountCredentials.cpp", "SELECT organization_id FROM agents WHERE user_id = $1"),
        (IDENTITY + "accounts/AccountCredentials.cpp", "SELECT id, created_at FROM api_keys WHERE owner_type = 'user'"),
        (IDENTITY + "accounts/AccountCredentials.cpp", "WITH RECURSIVE made (id) AS (SELECT id FROM api_keys"),
        (IDENTITY + "accounts/AccountCredentials.cpp", "SELECT a.user_id, u.created_at FROM agents a JOIN users u"),
        (IDENTITY + "accounts/AccountCredentials.cpp", "SELECT id, created_at FROM sessions WHERE user_id = $1"),
        (IDENTITY + "accounts/AccountCredentials.cpp", "SELECT f.id, f.created_at FROM refresh_families f JOIN sessions s"),
        (IDENTITY + "accounts/AccountCredentials.cpp", "SELECT user_id FROM agents WHERE owner_user_id = $1"),
    ],
    "a person is forgotten, or given what is kept of them, wherever they are": [
        (CALENDAR + "privacy/PersonRecords.cpp", "SELECT organization_id, id, title, start_at, end_at, guest, answers, notes FROM booking"),
        (CALENDAR + "privacy/PersonRecords.cpp", "SELECT organization_id, id, title, start_at, end_at, additional_guests FROM booking"),
        (IDENTITY + "privacy/Forgetting.cpp", "DELETE FROM § WHERE session_id IN (SELECT id FROM sessions"),
        (IDENTITY + "privacy/Forgetting.cpp", "DELETE FROM § WHERE user_id = $1"),
        (IDENTITY + "privacy/Forgetting.cpp", "DELETE FROM § WHERE api_key_id IN"),
        (IDENTITY + "privacy/Forgetting.cpp", "DELETE FROM api_keys WHERE owner_type = 'user'"),
        (IDENTITY + "privacy/Forgetting.cpp", "UPDATE § SET email = ''"),
        (IDENTITY + "privacy/Keepers.cpp", "SELECT organization_id FROM memberships WHERE user_id = $1"),
        (IDENTITY + "privacy/OwnRecords.cpp", "SELECT m.organization_id, o.name AS organization_name"),
        (IDENTITY + "privacy/OwnRecords.cpp", "SELECT § FROM api_keys WHERE owner_type = 'user'"),
        (IDENTITY + "privacy/OwnRecords.cpp", "SELECT § FROM sessions WHERE user_id = $1"),
        (IDENTITY + "privacy/OwnRecords.cpp", "SELECT u.api_key_id, u.hour, u.count"),
        (IDENTITY + "privacy/OwnRecords.cpp", "SELECT d.api_key_id, d.day, d.service_id"),
        (IDENTITY + "privacy/OwnRecords.cpp", "SELECT organization_id, user_name, external_id, attributes"),
        (IDENTITY + "privacy/OwnRecords.cpp", "SELECT m.organization_id, g.display_name FROM scim_group_members"),
        (IDENTITY + "privacy/OwnRecords.cpp", "SELECT organization_id, permission, effect, reason"),
        (IDENTITY + "privacy/OwnRecords.cpp", "SELECT o.name AS place, i.email"),
        (IDENTITY + "privacy/OwnRecords.cpp", "SELECT service_id, organization_id, used_at FROM last_contexts"),
    ],
    "a registration that nobody has confirmed goes with the organization that it made": [
        (IDENTITY + "accounts/EmailProofs.cpp", "SELECT m.organization_id FROM memberships m WHERE m.user_id = $1"),
        (IDENTITY + "accounts/EmailProofs.cpp", "DELETE FROM memberships WHERE user_id = $1"),
    ],
    "tells of all organizations": [
        (IDENTITY + "outbox/WebhookStore.cpp", "SELECT sequence, type, target, COALESCE(organization_id"),
    ],
    "a domain belongs to the one organization that has proved it": [
        (IDENTITY + "organizations/DomainRoutes.cpp", "SELECT 1 FROM organization_domains WHERE domain = $1"),
        (IDENTITY + "organizations/DomainRoutes.cpp", "SELECT d.organization_id, d.auto_join_role, d.auto_join_by FROM organization_domains d"),
        (IDENTITY + "organizations/DomainRoutes.cpp", "SELECT organization_id FROM organization_domains WHERE domain = $1"),
    ],
    "a job looks again at the domains of all organizations": [
        (IDENTITY + "organizations/DomainRoutes.cpp", "SELECT organization_id, domain FROM organization_domains WHERE status"),
    ],
    "who is suspended has invited nobody any more, wherever that was": [
        (IDENTITY + "organizations/Invitations.cpp", "UPDATE invitations SET status = 'revoked'"),
    ],
    "whoever has a service is told that it opens or closes": [
        (IDENTITY + "outbox/WebhookStore.cpp", "SELECT DISTINCT e.organization_id FROM webhook_endpoints e"),
        (IDENTITY + "upstream/IdentityProvider.cpp", "SELECT organization_id FROM organization_domains WHERE domain = $1"),
    ],
    "a secret or the ID of an invitation tells its organization": [
        (IDENTITY + "common/OneTimeRows.h", "SELECT §§ FROM § WHERE § = $1"),
    ],
    "a person sees the invitations to their address, whichever organization sent them": [
        (IDENTITY + "outbox/InvitationNews.cpp", "SELECT i.id, o.name, u.display_name"),
    ],
    "the record has the organization as one of its members": [
        (IDENTITY + "records/ApiKey.cpp", "INSERT INTO api_keys ()"),
        (IDENTITY + "sessions/SignIn.cpp", "INSERT INTO sessions ()"),
    ],
    "jobs of the launchpad look at the rows of all organizations, and use the organization that each row names": [
        (LAUNCHPAD + "actions/ActionQueue.cpp", "SELECT organization_id, id FROM action WHERE expires_at <= $1"),
        (LAUNCHPAD + "launches/Launches.cpp", "DELETE FROM launch WHERE at < $1"),
        (LAUNCHPAD + "notifications/Notifications.cpp", "DELETE FROM notification WHERE created_at < $1"),
    ],
    "an event or a delivery names a record of the launchpad by its ID only": [
        (LAUNCHPAD + "actions/DecisionCallbacks.cpp", "SELECT organization_id FROM action WHERE id = $1"),
        (LAUNCHPAD + "launches/Launches.cpp", "UPDATE launch SET exchanged = TRUE WHERE handoff_id = $1"),
    ],
    "the public store sorts by the launches of the whole installation": [
        (LAUNCHPAD + "launches/Launches.cpp", "SELECT service_id, count(*) FROM launch WHERE at >= $1 GROUP BY service_id"),
    ],
    "the worker of social and a job of it look at the items of all organizations": [
        (SOCIAL + "content/Publications.cpp", "SELECT organization_id, brand_id, id, integration_id, platform"),
        (SOCIAL + "content/Publications.cpp", "SELECT count(*) FROM content_item WHERE due_at IS NOT NULL"),
        (SOCIAL + "content/Publications.cpp", "UPDATE content_item SET leased_until = $1, due_at = $1 WHERE leased_by <>"),
        (SOCIAL + "content/Publications.cpp", "UPDATE content_item SET leased_until = $1, due_at = $1, leased_by = '' WHERE leased_by LIKE"),
        (SOCIAL + "content/ItemService.cpp", "SELECT organization_id, brand_id, id FROM content_item WHERE kind = 'suggestion'"),
    ],
    "the name of a person is erased in the events of all organizations": [
        (SOCIAL + "privacy/PersonRecords.cpp", "UPDATE audit_event SET actor = $2"),
        (SOCIAL + "privacy/PersonRecords.cpp", "DELETE FROM notice_choice WHERE user_id"),
    ],
    "jobs of social fetch numbers of the items of all organizations, and an item tells its owner": [
        (SOCIAL + "analytics/NumbersService.cpp", "SELECT organization_id FROM post_numbers WHERE content_id = $1"),
        (SOCIAL + "analytics/NumbersService.cpp", "SELECT organization_id, id FROM content_item i WHERE publish_status"),
        (SOCIAL + "analytics/NumbersService.cpp", "SELECT brand_id, content_id FROM post_numbers WHERE next_fetch_at"),
    ],
    "a job of social looks for what waits in all organizations": [
        (SOCIAL + "notices/NoticeMails.cpp", "SELECT organization_id, brand_id, count(*), max(submitted_at) FROM content_item"),
        (SOCIAL + "notices/NoticeMails.cpp", "SELECT organization_id, brand_id, count(*), max(updated_at) FROM integration"),
    ],
    "jobs of social read the feeds of all organizations, and a feed tells its brand": [
        (SOCIAL + "trends/TrendService.cpp", "SELECT organization_id FROM trend_source WHERE id = $1"),
        (SOCIAL + "trends/TrendService.cpp", "SELECT brand_id, id FROM trend_source WHERE enabled"),
        (SOCIAL + "trends/TrendService.cpp", "DELETE FROM source_item WHERE observed_at"),
    ],
    "a job of social looks at the accounts of all organizations": [
        (SOCIAL + "integrations/IntegrationService.cpp", "SELECT organization_id, brand_id, id FROM integration WHERE connection_state"),
        (SOCIAL + "integrations/IntegrationService.cpp", "SELECT organization_id, brand_id, id, secrets FROM integration WHERE id > $1"),
    ],
    "the ticket of an upload or the signed address of a file tells the brand": [
        (SOCIAL + "media/MediaService.cpp", "SELECT § FROM media WHERE upload_id = $1"),
        (SOCIAL + "media/MediaService.cpp", "UPDATE media SET original_key = $2"),
        (SOCIAL + "media/MediaService.cpp", "UPDATE media SET uploaded = TRUE, original_sha256"),
        (SOCIAL + "media/MediaService.cpp", "UPDATE media SET publish_key = $2"),
        (SOCIAL + "media/MediaRoutes.cpp", "SELECT § FROM media WHERE id = $1"),
        (SOCIAL + "media/MediaRoutes.cpp", "SELECT blob_key, content_type, sha256 FROM media_copy WHERE media_id = $1"),
    ],
    "files that were never sent are removed in all organizations": [
        (SOCIAL + "media/MediaService.cpp", "SELECT organization_id, brand_id, id, original_key, publish_key FROM media WHERE status"),
    ],
    "thumbnails are made for the files of all organizations; a file tells its owner": [
        (SOCIAL + "media/MediaCopies.cpp", "SELECT id FROM media WHERE thumbnail_key = '' AND thumbnail_fault IS NULL AND kind IN"),
        (SOCIAL + "media/MediaCopies.cpp", "SELECT id FROM media WHERE thumbnail_key = '' AND thumbnail_fault IS NULL AND kind = 'video'"),
        (SOCIAL + "media/MediaCopies.cpp", "SELECT organization_id FROM media WHERE id = $1"),
        (SOCIAL + "media/MediaCopies.cpp", "SELECT § FROM media WHERE id = $1"),
    ],
    "an account tells its owner: a transfer may have changed it during a call to the network": [
        (SOCIAL + "integrations/Accounts.cpp", "SELECT organization_id FROM integration WHERE id = $1"),
    ],
}  # fmt: skip

TEXT_ORGANIZATION = re.compile(r"(?:std::string_view|const std::string&) organization(?:Id)?(?=\s*[,)=])")


def faults_of_detail(root, allowed):
    left = {(file, name) for file, (_, names) in allowed.items() for name in names}
    for file, line, name in shape.detail_uses(root):
        if name not in allowed.get(file, ("", ()))[1]:
            yield f"{file}:{line}: names detail::{name}, the inside of the SDK; use what its public headers offer, or add there what is missing"
        left.discard((file, name))
    for file, name in sorted(left):
        yield f"{file} no longer names detail::{name}: take it off the list in {pathlib.Path(__file__).name}"


def faults_of_organizations(root, allowed):
    left = set(allowed)
    for path in shape.sources(root, *shape.OUTSIDE, "sdk/include/portico/interfaces"):
        file = str(path.relative_to(root))
        found = TEXT_ORGANIZATION.search(shape.without_comments(path.read_text()))
        if found and file not in allowed:
            yield f"{file}: a function takes an organization as text ({found.group()}); portico::Tenant or OrganizationId says what it is"
        if found:
            left.discard(file)
    for file in sorted(left):
        yield f"{file} no longer takes an organization as text: take it off the list in {pathlib.Path(__file__).name}"


def faults_of_sql(root, allowed):
    entries = {(file, text): set() for places in allowed.values() for file, text in places}
    for file, line, text in shape.sql_without_tenant(root):
        # The longest that fits: one beginning may be that of another.
        fitting = [entry for entry in entries if entry[0] == file and text.startswith(entry[1])]
        if fitting:
            entries[max(fitting, key=lambda entry: len(entry[1]))].add(line)
        else:
            yield (f"{file}:{line}: SQL on a table with {sql_texts.TENANT} that does not name it for each of its tables: {text}\n"
                   f"  Use portico::Table or Select, or add the tenant to its conditions; if it is meant, list it with the reason in {pathlib.Path(__file__).name}")
    for (file, text), lines in entries.items():
        if not lines:
            yield f"{file} has no SQL any more that begins with '{text}': take it off the list in {pathlib.Path(__file__).name}"
        elif len(lines) > 1:
            yield f"{file}: '{text}' is the beginning of several, lines {sorted(lines)}: list each by what tells it from the others"


def faults_of_global_tables(root):
    tables = sql_texts.tenant_tables(sorted(root.glob("migrations/*/*.sql")))
    for path in shape.sources(root, "plugins"):
        for table in re.findall(r'\bGlobalTable\s+\w+\s*\{\s*"(\w+)"', shape.without_comments(path.read_text())):
            if table in tables:
                yield f"{path.relative_to(root)}: {table} has {sql_texts.TENANT}: use portico::Table instead of GlobalTable"


def faults_of_floors(root, floors, upward):
    left = {(plugin, file, folder) for plugin, files in upward.items() for file, folders in files.items() for folder in folders}
    for plugin, names in floors.items():
        for path in shape.sources(root, plugin):
            file = path.relative_to(root / plugin)
            own = names.index(file.parts[0]) if file.parts[0] in names else len(names)
            if len(file.parts) > 1 and own == len(names):
                yield f"{plugin}{file}: the folder {file.parts[0]} is on no floor; add it to the list in {pathlib.Path(__file__).name}"
            for included in re.findall(r'#include "(\w+)/', path.read_text()):
                if len(file.parts) == 1 or included not in names or names.index(included) <= own:
                    continue
                if included not in upward.get(plugin, {}).get(str(file), ()):
                    yield f"{plugin}{file}: includes {included}, which is above it"
                left.discard((plugin, str(file), included))
    for plugin, file, folder in sorted(left):
        yield f"{plugin}{file} no longer includes {folder}: take it off the list"


class Tree(unittest.TestCase):
    maxDiff = None

    def test_plugins_do_not_name_detail(self):
        self.assertEqual(list(faults_of_detail(ROOT, DETAIL)), [])

    def test_no_function_takes_an_organization_as_text(self):
        self.assertEqual(list(faults_of_organizations(ROOT, ORGANIZATION_TEXTS)), [])

    def test_sql_names_the_tenant(self):
        self.assertEqual(list(faults_of_sql(ROOT, SQL)), [])

    def test_global_tables_have_no_tenant(self):
        self.assertEqual(list(faults_of_global_tables(ROOT)), [])

    def test_includes_of_plugins_point_down(self):
        self.assertEqual(list(faults_of_floors(ROOT, FLOORS, UPWARD)), [])

    def test_graphs_of_rooms_are_current(self):
        """All of them where the READMEs of rooms name includes; elsewhere the rooms, so that a new include changes one file only."""
        page = (ROOT / "docs/rooms.md").read_text()
        for plugin in FLOORS:
            name = plugin.split("/")[1]
            graph = shape.room_graph(ROOT, f"plugins/{name}")
            table = page.partition(f"<!-- rooms of {name} -->\n")[2].partition("\n<!-- end of ")[0]
            self.assertEqual(sorted(re.findall(r"^\| \d+ \| `(\w+)` \|", table, re.MULTILINE)), sorted(graph), f"{name}: {RENEW}")
            if plugin in (CALENDAR, CRM, IDENTITY):
                self.assertEqual(table, shape.floor_table(graph), f"{name}: {RENEW}")
                self.assertEqual((ROOT / f"docs/pictures/rooms/{name}.dot").read_text(), shape.dot_of(name, graph), f"{name}: {RENEW}")

    def test_a_room_includes_what_its_readme_names(self):
        for plugin in (CALENDAR, CRM, IDENTITY):
            for room, included in shape.room_graph(ROOT, pathlib.Path(plugin).parent).items():
                text = (ROOT / plugin / room / "README.md").read_text()
                [named] = re.findall(r"It may use ((?:`\w+`(?:, )?)+|the SDK only)\.", text)
                self.assertEqual(sorted(included), re.findall(r"`(\w+)`", named), f"{plugin}{room}/README.md names the rooms that it includes")

    def test_each_room_says_what_it_is_for(self):
        rooms = [room for parent in ("host", CALENDAR, CRM, IDENTITY) for room in (ROOT / parent).iterdir() if room.is_dir()]
        for readme in [room / "README.md" for room in rooms]:
            text = readme.read_text()
            self.assertIn("ay use", text, readme)
            self.assertIn("Begin with `", text, readme)
            for file in re.findall(r"`([\w/]+\.(?:h|cpp))`", text):
                self.assertTrue(list(readme.parent.glob(f"**/{file}")), f"{readme} names {file}, which is not there")

    def test_pages_stay_readable(self):
        """Whoever writes an app reads the kit, and whoever looks after one reads it whole."""
        rooms = shape.web_rooms(ROOT)
        for name, most in shape.WEB_GOALS.items():
            self.assertGreater(rooms[name]["code"], 1_000, name)
            self.assertLessEqual(rooms[name]["code"], most, f"{name}: see what tests/support/shape.py counts, and take out what is there twice or used by nobody")

    def test_release_has_the_batches_of_check(self):
        """Names that clash in a batch of `release` clash in `check`, too, which the tests build (decision 28)."""
        presets = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
        sized = [each["name"] for each in presets if "CMAKE_UNITY_BUILD_BATCH_SIZE" in each.get("cacheVariables", {})]
        self.assertEqual(sized, ["whole"])

    def test_the_filters_of_contacts_begin_with_the_organization(self):
        """What many entries of the list rest on."""
        for file, condition in (("contacts/ContactList.cpp", '_conditions.add("c.organization_id = " + '), ("search/SortedWalk.cpp", '_filters.add("c.organization_id = " + ')):
            self.assertIn(condition, (ROOT / CRM / file).read_text())

    def test_there_is_something_to_look_at(self):
        tables = sql_texts.tenant_tables(ROOT.glob("migrations/*/*.sql"))
        self.assertLessEqual({"contact", "note", "pipeline_card", "memberships", "sessions"}, tables)
        self.assertNotIn("users", tables)
        texts = [text for path in shape.sources(ROOT, "plugins") for _, text in sql_texts.Source(path.read_text()).texts()]
        self.assertGreater(sum(1 for text in texts if sql_texts.touched_tables(text, tables)), 100)


class Lists(unittest.TestCase):
    """In a sample tree: new and removed entries are reported."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.put("migrations/demo/0001_notes.sql", "CREATE TABLE note (\n    organization_id TEXT NOT NULL,\n    id TEXT\n);\n")
        self.put("migrations/demo/0002_words.sql", "CREATE TABLE word (\n    id TEXT\n);\n")

    def put(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def test_functions(self):
        self.put("plugins/demo/src/Notes.cpp", """namespace demo
{
Notes::Notes(int most) : _most(most)
{
    run([&] { return "}{"; });
}

struct Note { int id = 0; std::string text() const { return R"(})"; } };

auto demo::read(const Note& note) -> std::optional<Note>
{
    if (note.id == 0) // {
    {
        return {};
    }
    return note;
}
} // namespace demo
""")
        self.assertEqual(shape.longest_functions(self.root, 3), [(8, "demo::read", "plugins/demo/src/Notes.cpp", 10),
                                                                 (4, "Notes::Notes", "plugins/demo/src/Notes.cpp", 3),
                                                                 (1, "text", "plugins/demo/src/Notes.cpp", 8)])

    def test_sql(self):
        self.put("plugins/demo/src/Notes.cpp", 'void f()\n{\n    s.execute("DELETE FROM note "\n              "WHERE id = $1", id);\n}\n')
        [fault] = faults_of_sql(self.root, {})
        self.assertIn("plugins/demo/src/Notes.cpp:3: SQL on a table with organization_id", fault)
        self.assertIn("DELETE FROM note WHERE id = $1\n  Use portico::Table", fault)
        allowed = {"meant": [("plugins/demo/src/Notes.cpp", "DELETE FROM note WHERE id")]}
        self.assertEqual(list(faults_of_sql(self.root, allowed)), [])
        self.put("plugins/demo/src/Notes.cpp", 'void f() { s.execute("DELETE FROM note WHERE id = $1", id);\n s.execute("DELETE FROM note WHERE id = $2"); }')
        self.assertIn("is the beginning of several, lines [1, 2]", next(faults_of_sql(self.root, allowed)))
        self.put("plugins/demo/src/Notes.cpp", 'void f() { s.execute("DELETE FROM note WHERE organization_id = $1 AND id = $2", o, id); }')
        self.assertEqual(list(faults_of_sql(self.root, {})), [])
        self.assertIn("take it off the list", next(faults_of_sql(self.root, allowed)))

    def test_global_tables(self):
        self.put("plugins/demo/src/Notes.h", 'inline constexpr GlobalTable wordTable{"word", &Word::id};\ninline constexpr Table noteTable{"note", &Note::id};\n')
        self.assertEqual(list(faults_of_global_tables(self.root)), [])
        self.put("plugins/demo/src/Notes.h", 'inline constexpr GlobalTable noteTable{\n    "note", &Note::id};\n')
        [fault] = faults_of_global_tables(self.root)
        self.assertIn("note has organization_id", fault)

    def test_pages(self):
        self.put("sdk/web/ui/src/Note.tsx", '/** A note. */\n\nconst at = "https://x"; // here\nconst re = /\\/\\*[/]/;\n{/* no */}\nconst text = `a\n// b`;\n')
        self.put("sdk/web/ui/src/texts.en.ts", 'export const english = {\n  // kept\n  "a": "b",\n};\n')
        self.put("sdk/web/ui/src/note.css", "/* one\n   two */\n.note { color: red; }\n")
        self.put("sdk/web/ui/tests/note.test.ts", "it();\n")
        self.put("plugins/demo/web/src/api.d.ts", "export interface paths {}\n")
        self.assertEqual({"code": 4, "style": 1, "texts": 3}, shape.web_rooms(self.root)["the kit"])
        self.assertNotIn("plugins/demo/web", shape.web_rooms(self.root))

    def test_floors(self):
        self.put("plugins/demo/src/high/A.h", '#include "low/B.h"\n')
        floors = {"plugins/demo/src/": ("low", "high")}
        self.assertEqual(list(faults_of_floors(self.root, floors, {})), [])
        self.put("plugins/demo/src/low/B.h", '#include "high/A.h"\n')
        self.put("plugins/demo/src/other/C.h", "")
        self.assertEqual(len(list(faults_of_floors(self.root, floors, {}))), 2)
        older = {"plugins/demo/src/": {"low/B.h": {"high"}}}
        self.assertEqual(len(list(faults_of_floors(self.root, floors, older))), 1)
        self.put("plugins/demo/src/low/B.h", "")
        self.assertIn("take it off the list", list(faults_of_floors(self.root, floors, older))[-1])

    def test_graphs(self):
        for room, includes in {"top": ("middle", "low"), "middle": ("low",), "low": ()}.items():
            self.put(f"plugins/demo/src/{room}/A.h", "".join(f'#include "{each}/A.h"\n' for each in includes))
        graph = shape.room_graph(self.root, "plugins/demo")
        self.assertEqual(graph, {"top": {"middle", "low"}, "middle": {"low"}, "low": set()})
        self.assertEqual((shape.floors_of(graph), shape.circle_of(graph)), ([["low"], ["middle"], ["top"]], set()))
        self.assertNotIn('"top" -> "low"', shape.dot_of("demo", graph))
        self.put("plugins/demo/src/low/B.h", '#include "middle/A.h"\n')
        graph = shape.room_graph(self.root, "plugins/demo")
        self.assertEqual((shape.floors_of(graph), shape.circle_of(graph)), ([["low", "middle"], ["top"]], {"low", "middle"}))
        self.assertIn('"low" -> "middle" [color=red];', shape.dot_of("demo", graph))

    def test_organizations(self):
        file = "plugins/demo/src/Notes.h"
        for taken in ("std::string_view organizationId", "const std::string& organization"):
            self.put(file, f"// f({taken})\nvoid f(int a, {taken}, int b);\n")
            [fault] = faults_of_organizations(self.root, {})
            self.assertIn(taken, fault)
            self.assertEqual(list(faults_of_organizations(self.root, {file: "meant"})), [])
        self.put(file, "// f(std::string_view organizationId)\nvoid f(Tenant organization); std::string_view organizationName();\n")
        self.assertEqual(list(faults_of_organizations(self.root, {})), [])
        self.assertIn("take it off the list", next(faults_of_organizations(self.root, {file: "meant"})))

    def test_detail(self):
        file = "sdk/examples/demo/src/Notes.cpp"
        self.put(file, "// detail::typeOf in a comment\nauto a = portico::detail::typeOf<Note>;\n")
        [fault] = faults_of_detail(self.root, {})
        self.assertIn(f"{file}:2: names detail::typeOf", fault)
        allowed = {file: ("meant", {"typeOf"})}
        self.assertEqual(list(faults_of_detail(self.root, allowed)), [])
        for other in ("detail :: readJson(a);", '#include "portico/detail/Type.h"', "using namespace portico::detail;", "namespace d = portico::detail;"):
            self.put(file, other)
            self.assertEqual(len(list(faults_of_detail(self.root, {}))), 1, other)
        self.put(file, 'auto a = "detail"; auto details = b; notdetail::x();')
        self.assertEqual(list(faults_of_detail(self.root, {})), [])
        self.assertIn("no longer names detail::typeOf", next(faults_of_detail(self.root, allowed)))


class Texts(unittest.TestCase):
    """Samples for every way in which SQL texts are found, and for every fault."""

    tables = {"note", "contact"}

    def faults(self, body, before=""):
        source = sql_texts.Source(f"namespace a\n{{\n{before}\nvoid f(Session& session, const Conditions& given)\n{{\n{body}\n}}\n}}\n")
        return [text for _, text in source.texts() if sql_texts.touched_tables(text, self.tables) and not sql_texts.names_tenant(text, self.tables)]

    def assert_good(self, body, before=""):
        self.assertEqual(self.faults(body, before), [])

    def assert_bad(self, body, before="", text=None):
        found = self.faults(body, before)
        self.assertEqual(len(found), 1, found)
        if text:
            self.assertEqual(found, [text])

    def test_pieces_make_one_text(self):
        good = 'session.query("SELECT " + columns<Note>() + " FROM note "\n // a comment\n "WHERE organization_id = $1", tenant);'
        self.assert_good(good)
        self.assert_bad(good.replace("organization_id", "id"), text="SELECT § FROM note WHERE id = $1")
        self.assert_good('session.value<std::optional<std::string>>("SELECT 1 FROM note" R"( WHERE organization_id = $1)");')
        self.assert_bad('session.value<std::optional<std::string>>("SELECT 1 FROM note" R"( WHERE id = $1)");')
        self.assert_good('// session.query("SELECT 1 FROM note");')
        self.assert_bad('session.query("SELECT 1 FROM note", [&] { g("organization_id = $1"); });')
        self.assert_bad('session.query("SELECT 1 FROM note", "organization_id = $1");')

    def test_each_way_is_a_text(self):
        good = 'auto sql = apart ? "SELECT a FROM note WHERE organization_id = $1" : "SELECT b FROM note WHERE organization_id = $1";'
        self.assert_good(good)
        self.assert_bad(good.replace("b FROM note WHERE organization_id", "b FROM note WHERE id"), text="SELECT b FROM note WHERE id = $1")
        self.assert_good('auto sql = "SELECT " + (a ? "x" : "y") + ".b FROM note WHERE organization_id = $1";')
        self.assertEqual(len(self.faults('auto sql = "SELECT " + (a ? "x" : "y") + ".b FROM note";')), 2)

    def test_names_of_the_file_stand_for_their_text(self):
        for condition, check in (("organization_id = $1", self.assert_good), ("id = $1", self.assert_bad)):
            before = f'constexpr std::string_view ofNote = " WHERE {condition}";'
            check('session.execute("DELETE FROM note" + std::string(ofNote), a);', before)
            check(f'std::string sql = "DELETE FROM note"; sql += " WHERE "; sql += "{condition}"; session.execute(sql);')
            check(f'Conditions c; c.add("{condition}"); session.query("SELECT 1 FROM note WHERE " + c.text());')
            made = f'Conditions make(int a) {{ Conditions made; made.add("{condition}"); return made; }}'
            check('const auto c = make(1); session.query("SELECT 1 FROM note WHERE " + c.text());', made)
        self.assert_bad('session.query("SELECT 1 FROM note WHERE " + given.text());', 'void g() { Conditions given; given.add("organization_id = $1"); }')
        other = 'void g() { Conditions c; c.add("organization_id = $1"); }'
        self.assert_bad('Conditions c; c.add("id = $1"); session.query("SELECT 1 FROM note WHERE " + c.text());', other)

    def test_rows(self):
        self.assert_good('transaction.insert("note", note, {"organization_id"}, tenant);')
        self.assert_bad('transaction.insert("note", note, {"id"}, tenant);', text="INSERT INTO note (id)")
        self.assert_good('transaction.update("note", note, {}, {"organization_id", "id"}, tenant, id);')
        self.assert_bad('transaction.update("note", note, {"organization_id"}, {"id"}, tenant, id);')
        self.assert_good('ManyRows rows("note (organization_id, id)", 2);')
        self.assert_bad('ManyRows rows("note (id, text)", 2);')
        self.assert_good('s.execute("INSERT INTO note (organization_id, id) VALUES ($1, $2)");')
        self.assert_bad('s.execute("INSERT INTO note (id, text) VALUES ($1, $2)");')

    def test_to_mention_the_tenant_is_not_enough(self):
        self.assert_bad('s.query("SELECT organization_id FROM note ORDER BY organization_id");')
        self.assert_bad('s.query("SELECT 1 FROM note n JOIN contact c ON c.organization_id = n.organization_id WHERE c.id = $1");')
        self.assert_good('s.query("SELECT 1 FROM note n JOIN contact c ON c.organization_id = n.organization_id WHERE n.organization_id = $1");')
        self.assert_bad('s.execute("UPDATE contact SET n = (SELECT count(*) FROM note WHERE organization_id = $1) WHERE id = $2");')
        self.assert_good('s.execute("UPDATE contact SET n = (SELECT count(*) FROM note WHERE organization_id = $1) WHERE organization_id = $1");')
        self.assert_bad('s.execute("UPDATE note SET organization_id = $2 WHERE id = $1");')
        self.assert_bad('s.execute("INSERT INTO note (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET organization_id = excluded.organization_id");')
        self.assert_good('c.add("EXISTS (SELECT 1 FROM note n WHERE n.organization_id = contact.organization_id)");')

    def test_text_that_is_no_statement(self):
        self.assert_good('inline constexpr Table notes{"note", &Note::id};')
        self.assert_good('s.query("SELECT 1 FROM word WHERE id = $1"); log("a note from contact with you");')
        self.assert_bad('s.query("SELECT 1 FROM " + std::string(table) + " WHERE id = $1");')
        self.assert_good('s.query("SELECT 1 FROM " + std::string(table) + " WHERE organization_id = $1");')


if __name__ == "__main__":
    main()
