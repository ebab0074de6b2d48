#include "pipelines/Board.h"

#include "data/SqlText.h"
#include "pipelines/MoneySum.h"
#include "text/SearchWords.h"

#include <algorithm>
#include <map>
#include <utility>

namespace portico::crm
{

/// Members of the contact's document that a card shows.
struct CardContact
{
    std::string displayName;
    std::string companyName;
    std::vector<ContactEmail> emails;
    std::vector<ContactPhone> phones;
    std::vector<std::string> tags;
    std::optional<UserId> ownerUserId;
};

constexpr auto schemaOf(const CardContact*)
{
    return describe(members<&CardContact::displayName, &CardContact::companyName, &CardContact::emails, &CardContact::phones,
                            &CardContact::tags, &CardContact::ownerUserId>());
}

struct BoardRow
{
    StageId stageId;
    ContactId contactId;
    std::string position;
    Instant since{};
    std::optional<Instant> staleAt;
    std::optional<std::int64_t> value;
    CardContact document;
};

constexpr auto schemaOf(const BoardRow*)
{
    return describe(members<&BoardRow::stageId, &BoardRow::contactId, &BoardRow::position, &BoardRow::since, &BoardRow::staleAt,
                            &BoardRow::value, &BoardRow::document>());
}

} // namespace portico::crm

namespace portico::crm
{

namespace
{

/// Cards as the conditions see them: `c.id` is the contact, as in a list of contacts.
std::string sourceOf(std::string_view tenantPlaceholder, std::string_view pipelinePlaceholder)
{
    return " FROM (SELECT contact_id AS id, stage_id, position, since, stale_at, value FROM pipeline_card WHERE organization_id = " +
           std::string(tenantPlaceholder) + " AND pipeline_id = " + std::string(pipelinePlaceholder) + " AND NOT hidden) c";
}

class BoardReader
{
public:
    BoardReader(Session& session, Tenant tenant, const Pipeline& pipeline, Instant now)
        : _session(session), _tenant(tenant), _pipeline(pipeline), _now(now)
    {
        _organization = _conditions.bind(std::string(tenant.text()));
        _source = sourceOf(_organization, _conditions.bind(pipeline.pipelineId.text()));
    }

    void filter(const BoardFilter& filter)
    {
        for (const auto& stage : _pipeline.stages)
            if (filter.stageId.empty() || std::find(filter.stageId.begin(), filter.stageId.end(), stage.stageId) != filter.stageId.end())
                _columns.push_back({stage.stageId, stage.name, stage.kind, 0, 0, 0, {}, {}});
        if (!filter.ownerUserId.empty()) addOwners(filter.ownerUserId);
        if (!filter.tag.empty()) addTags(filter.tag);
        _words = searchWords(filter.q);
    }

    std::vector<BoardColumn> take() { return std::move(_columns); }

    /// Sums and cards.
    void read(std::int64_t limit, std::string_view after)
    {
        if (_columns.empty()) return;
        if (_words.empty() && _conditions.text().empty())
        {
            readSums();
            readCards(limit, after);
        }
        else
            readFiltered(limit, after);
        for (auto& column : _columns)
        {
            finish(column, static_cast<std::size_t>(limit));
            column.weightedSum = percentOf(column.valueSum, _pipeline.stage(column.stageId)->probability.value_or(0));
        }
    }

private:
    void readSums()
    {
        const auto sql = "SELECT c.stage_id, count(*), " + sumColumns("c.value") + _source + " GROUP BY c.stage_id";
        for (Row row : _session.queryValues(sql, _conditions.values()))
        {
            auto* column = columnOf(row.get<StageId>(0));
            if (!column) continue;
            column->count = row.get<std::int64_t>(1);
            column->valueSum = readSum(row, 2);
        }
    }

    /// The first cards of each column: a part of one statement for each that has some.
    void readCards(std::int64_t limit, std::string_view after)
    {
        const auto more = after.empty() ? std::string() : " AND c.position > " + _conditions.bind(positionOf(after));
        const auto most = _conditions.bind(limit + 1);
        std::string parts;
        for (const auto& column : _columns)
        {
            if (column.count == 0) continue;
            (parts += parts.empty() ? "SELECT * FROM (" : " UNION ALL SELECT * FROM (") += "SELECT c.*" + _source + " WHERE c.stage_id = ";
            parts += _conditions.bind(column.stageId.text()) + more + " ORDER BY c.position LIMIT " + most + ") s" +
                     std::to_string(_conditions.values().size());
        }
        if (parts.empty()) return;
        // CROSS JOIN keeps SQLite at this order: the cards first.
        const auto sql = "SELECT s.stage_id, s.id AS contact_id, s.position, s.since, s.stale_at, s.value, d.document FROM (" + parts +
                         ") s CROSS JOIN contact d WHERE d.organization_id = " + _organization + " AND d.id = s.id";
        for (Row row : _session.queryValues(sql, _conditions.values())) addCard(row.as<BoardRow>());
    }

    /// Position and contact.
    using Place = std::pair<std::string, std::string>;

    /// Applies the filters once, for sums and cards. Reads every card, because there are fewer cards than contacts with a common word.
    void readFiltered(std::int64_t limit, std::string_view after)
    {
        const auto behind = after.empty() ? std::string() : positionOf(after);
        std::map<StageId, std::vector<Place>> places;
        for (Row row : _session.queryValues(filteredSql(), _conditions.values()))
        {
            if (!_words.empty() && !hasWords(row.text(4), _words)) continue;
            const auto stage = row.get<StageId>(0);
            auto* column = columnOf(stage);
            if (!column) continue;
            ++column->count;
            column->valueSum = added(column->valueSum, row.get<std::optional<std::int64_t>>(3).value_or(0));
            if (row.text(2) > behind) places[stage].emplace_back(row.get<std::string>(2), row.get<std::string>(1));
        }
        std::vector<std::string> shown;
        for (auto& [stage, cards] : places)
        {
            std::sort(cards.begin(), cards.end());
            cards.resize(std::min(cards.size(), static_cast<std::size_t>(limit) + 1));
            for (auto& [position, contact] : cards) shown.push_back(std::move(contact));
        }
        addCards(shown);
    }

    /// Stage, contact, position and value; with a search the text, too.
    std::string filteredSql() const
    {
        auto conditions = _conditions.text();
        std::string text, texts;
        if (!_words.empty())
        {
            const bool apart = _session.dialect() == Dialect::SQLite;
            text = apart ? ", g.text" : ", t.text";
            texts = apart ? " CROSS JOIN contact_text t CROSS JOIN contact_trigram g" : " CROSS JOIN contact_text t";
            conditions += (conditions.empty() ? "t.organization_id = " : " AND t.organization_id = ") + _organization +
                          " AND t.contact_id = c.id" + (apart ? " AND g.rowid = t.row_id" : "");
        }
        return "SELECT c.stage_id, c.id, c.position, c.value" + text + _source + texts + " WHERE " + conditions;
    }

    /// Some at a time, always as many, so that it is one statement.
    void addCards(const std::vector<std::string>& contacts)
    {
        constexpr std::size_t atOnce = 256;
        std::string list;
        for (std::size_t i = 3; i < 3 + atOnce; ++i) list += (list.empty() ? "$" : ", $") + std::to_string(i);
        const auto sql = "SELECT s.stage_id, s.contact_id, s.position, s.since, s.stale_at, s.value, d.document FROM pipeline_card s "
                         "CROSS JOIN contact d WHERE s.organization_id = $1 AND s.pipeline_id = $2 AND s.contact_id IN (" +
                         list + ") AND d.organization_id = $1 AND d.id = s.contact_id";
        for (std::size_t from = 0; from < contacts.size(); from += atOnce)
        {
            std::vector<SqlValue> values{_tenant, _pipeline.pipelineId};
            for (std::size_t i = 0; i < atOnce; ++i) values.emplace_back(contacts[std::min(from + i, contacts.size() - 1)]);
            for (Row row : _session.queryValues(sql, values)) addCard(row.as<BoardRow>());
        }
    }

    BoardColumn* columnOf(const StageId& stage)
    {
        const auto found = std::find_if(_columns.begin(), _columns.end(), [&](const auto& column) { return column.stageId == stage; });
        return found == _columns.end() ? nullptr : &*found;
    }

    void addOwners(const std::vector<UserId>& owners)
    {
        std::vector<std::string> texts;
        for (const auto& owner : owners) texts.push_back(owner.text());
        _conditions.add("EXISTS (SELECT 1 FROM contact o WHERE o.organization_id = " + _organization +
                        " AND o.id = c.id AND o.owner_user_id IN " + _conditions.bind(texts) + ")");
    }

    void addTags(const std::vector<std::string>& tags)
    {
        _conditions.add("EXISTS (SELECT 1 FROM contact_tag x WHERE x.organization_id = " + _organization +
                        " AND x.contact_id = c.id AND x.tag IN " + _conditions.bind(tags) + ")");
    }

    /// Resolves a cursor, which contains the last card's position and contact. The contact's current position takes precedence, because
    /// positions of a column may be rewritten between pages.
    std::string positionOf(std::string_view after)
    {
        const auto end = after.find('\n');
        const auto current = _session.value<std::string>(
            "SELECT position FROM pipeline_card WHERE organization_id = $1 AND pipeline_id = $2 AND contact_id = $3 AND stage_id = $4",
            _tenant, _pipeline.pipelineId, after.substr(end + 1), _columns.front().stageId);
        return current.value_or(std::string(after.substr(0, end)));
    }

    void addCard(BoardRow row)
    {
        auto& contact = row.document;
        PipelineCard card;
        card.contactId = std::move(row.contactId);
        card.displayName = std::move(contact.displayName);
        card.companyName = std::move(contact.companyName);
        for (auto& email : contact.emails)
            if (email.primary) card.primaryEmail = std::move(email.address);
        for (auto& phone : contact.phones)
            if (phone.primary) card.primaryPhone = std::move(phone.number);
        card.tags = std::move(contact.tags);
        card.ownerUserId = std::move(contact.ownerUserId);
        card.value = row.value;
        card.currency = _pipeline.currency;
        card.stageId = row.stageId;
        card.since = row.since;
        card.position = std::move(row.position);
        card.stale = row.staleAt && *row.staleAt <= _now;
        columnOf(row.stageId)->items.push_back(std::move(card));
    }

    static void finish(BoardColumn& column, std::size_t limit)
    {
        auto& items = column.items;
        std::sort(items.begin(), items.end(), [](const auto& left, const auto& right) { return left.position < right.position; });
        if (items.size() <= limit) return;
        items.resize(limit);
        column.nextCursor = items.back().position + '\n' + items.back().contactId.text();
    }

    Session& _session;
    Tenant _tenant;
    const Pipeline& _pipeline;
    Instant _now;
    SqlConditions _conditions;
    /// The placeholder of the organization.
    std::string _organization;
    std::string _source;
    std::vector<std::string> _words;
    std::vector<BoardColumn> _columns;
};

} // namespace

std::vector<BoardColumn> readBoard(Session& session, Tenant tenant, const Pipeline& pipeline, const BoardFilter& filter,
                                   std::string_view after, Instant now)
{
    BoardReader reader(session, tenant, pipeline, now);
    reader.filter(filter);
    reader.read(filter.limitPerStage, after);
    return reader.take();
}

} // namespace portico::crm
