#pragma once

#include "scim/Schemas.h"

#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity::scim
{

/// A filter of RFC 7644, 3.4.2.2, all of it: comparisons, `pr`, `and`, `or`, `not`, brackets on the values of an attribute. Attributes that
/// the kind does not have are without a value. A value: used by many threads at once.
class Filter
{
public:
    /// @param parent complex attribute to which a filter in the brackets of a path applies
    /// @throws Problem 400 `invalidFilter`, also for one that is too long or too deep
    static Filter parse(std::string_view text, const ResourceKind& kind, const Attribute* parent = nullptr);

    /// Returns true if a resource, or one value of the parent, matches the filter.
    bool matches(const boost::json::object& resource) const;
    /// Returns the number of comparisons and operators, which is the cost of matching one value.
    std::size_t size() const noexcept { return sizeOf(_root); }
    /// Returns the text that an attribute of the resource must equal for any match, so that an index can be used; empty: none.
    std::optional<std::string> demanded(std::string_view attribute) const;
    /// Returns the members that a matching value has, if the filter consists of equations joined by `and`; else none.
    std::optional<boost::json::object> example() const;

private:
    enum class Operator : std::uint8_t
    {
        And,
        Or,
        Not,
        Present,
        Equal,
        NotEqual,
        Contains,
        StartsWith,
        EndsWith,
        Greater,
        GreaterOrEqual,
        Less,
        LessOrEqual,
        /// Some value of the attribute matches the filter in brackets.
        Some
    };
    struct Node
    {
        Operator operation = Operator::Present;
        /// Empty attribute: one that the kind does not have.
        AttributePath path;
        boost::json::value value;
        std::vector<Node> children;
    };
    class Parser;

    explicit Filter(Node root) : _root(std::move(root)) {}
    static std::size_t sizeOf(const Node& node) noexcept;
    static bool holds(const Node& node, const boost::json::object& resource);
    static bool compares(const Node& node, Operator operation, const boost::json::value& found);
    static bool compareTexts(const Node& node, Operator operation, std::string_view found);
    static bool collect(const Node& node, boost::json::object& example);
    static const Node* equation(const Node& node, std::string_view attribute);

    Node _root;
};

/// The values that a path leads to in a resource: several for a multi-valued attribute.
std::vector<const boost::json::value*> valuesAt(const boost::json::object& resource, const AttributePath& path);

} // namespace portico::identity::scim
