#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace portico::calendar
{

/// Element of an XML document with its content, without attributes, which WebDAV does not use. A value.
struct XmlElement
{
    /// Namespace and name, `DAV:href`.
    std::string name;
    /// All text directly in it, one piece after the other.
    std::string text;
    std::vector<XmlElement> children;

    /// The first child of that name; null if there is none.
    const XmlElement* child(std::string_view name) const noexcept;
    /// Returns the first descendant with the name; null if there is none.
    const XmlElement* find(std::string_view name) const noexcept;
    /// The text of a child without blanks around it; empty if there is none.
    std::string_view textOf(std::string_view name) const noexcept;
};

/// A text that is no XML, or none that is read here.
class XmlError final : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

/// Reads a document with expat. A document type is refused, so that no entity grows or reads files. @throws XmlError
XmlElement parseXml(std::string_view text);

/// Replaces what XML 1.0 does not allow by blanks: control characters and others, references to them (`&#11;`), and bytes that are no
/// UTF-8. Escapes each `&` that begins no reference XML knows (`&nbsp;`).
std::string xmlCharacters(std::string_view text);

/// With `&`, `<`, `>` and quotes as entities.
std::string escapeXml(std::string_view text);

} // namespace portico::calendar
