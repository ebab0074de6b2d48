#pragma once

#include "scim/Groups.h"
#include "scim/Provisioning.h"

#include <boost/json/array.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity::scim
{

/// Several changes in one request (RFC 7644, 3.7). Each applies independently: a failure does not undo others. Operations that refer to a
/// later one (`bulkId:…`) are postponed until it is done. Used for one request.
class BulkRequest
{
public:
    BulkRequest(Provisioning& people, Groups& groups, const Call& call) : _people(people), _groups(groups), _call(call) {}

    /// @throws Problem 400 `invalidSyntax`, 413 for too many operations
    boost::json::object run(const boost::json::object& sent);

private:
    struct Operation
    {
        std::string method;
        std::string path;
        std::string bulkId;
        std::string version;
        boost::json::value data;
        boost::json::object answer;
        bool done = false;
    };

    void read(const boost::json::object& sent);
    /// Replaces `bulkId:` references by ids. @return false if one is not known yet
    bool resolve(boost::json::value& value) const;
    bool resolve(std::string& path) const;
    bool attempt(Operation& operation);
    void perform(Operation& operation);
    boost::json::object change(const Operation& operation, std::string_view kind, std::string_view id, int& status);
    void fail(Operation& operation, const Problem& problem);
    /// Builds the answer, in the order of the operations.
    boost::json::object response() const;

    Provisioning& _people;
    Groups& _groups;
    const Call& _call;
    std::vector<Operation> _operations;
    std::map<std::string, std::string, std::less<>> _made;
    std::size_t _failed = 0;
    std::size_t _failOnErrors = 0;
};

} // namespace portico::identity::scim
