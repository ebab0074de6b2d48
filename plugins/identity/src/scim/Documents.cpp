#include "scim/Schemas.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>

namespace portico::identity::scim
{

namespace
{

boost::json::value jsonText(std::string_view text) { return boost::json::string_view(text.data(), text.size()); }

std::string_view wordOf(AttributeType type) noexcept
{
    switch (type)
    {
    case AttributeType::Boolean:
        return "boolean";
    case AttributeType::DateTime:
        return "dateTime";
    case AttributeType::Reference:
        return "reference";
    case AttributeType::Complex:
        return "complex";
    default:
        return "string";
    }
}

std::string_view wordOf(Mutability mutability) noexcept
{
    if (mutability == Mutability::ReadOnly) return "readOnly";
    return mutability == Mutability::Immutable ? "immutable" : "readWrite";
}

boost::json::object documentOf(const Attribute& attribute)
{
    boost::json::object out;
    out["name"] = jsonText(attribute.name);
    out["type"] = jsonText(wordOf(attribute.type));
    out["multiValued"] = attribute.multiValued;
    out["description"] = jsonText(attribute.description);
    out["required"] = attribute.required;
    out["mutability"] = jsonText(wordOf(attribute.mutability));
    out["returned"] = jsonText(attribute.returned);
    if (attribute.type == AttributeType::Complex)
    {
        boost::json::array parts;
        for (const auto& part : attribute.sub) parts.push_back(documentOf(part));
        out["subAttributes"] = std::move(parts);
        return out;
    }
    out["caseExact"] = attribute.caseExact;
    out["uniqueness"] = jsonText(attribute.uniqueness);
    if (attribute.type == AttributeType::Reference) out["referenceTypes"] = boost::json::array{"external", "uri"};
    return out;
}

boost::json::object metaOf(std::string_view kind, std::string_view base, std::string_view place)
{
    return {{"resourceType", jsonText(kind)}, {"location", jsonText(std::string(base) + std::string(place))}};
}

} // namespace

boost::json::object schemaDocument(const Schema& schema, std::string_view base)
{
    boost::json::object out;
    out["schemas"] = boost::json::array{"urn:ietf:params:scim:schemas:core:2.0:Schema"};
    out["id"] = jsonText(schema.urn);
    out["name"] = jsonText(schema.name);
    out["description"] = jsonText(schema.description);
    boost::json::array attributes;
    for (const auto& attribute : schema.attributes) attributes.push_back(documentOf(attribute));
    out["attributes"] = std::move(attributes);
    out["meta"] = metaOf("Schema", base, "/Schemas/" + std::string(schema.urn));
    return out;
}

boost::json::object resourceTypeDocument(const ResourceKind& kind, std::string_view base)
{
    boost::json::object out;
    out["schemas"] = boost::json::array{"urn:ietf:params:scim:schemas:core:2.0:ResourceType"};
    out["id"] = jsonText(kind.name);
    out["name"] = jsonText(kind.name);
    out["description"] = jsonText(kind.schema.description);
    out["endpoint"] = jsonText(kind.endpoint);
    out["schema"] = jsonText(kind.schema.urn);
    if (kind.extension != nullptr)
        out["schemaExtensions"] = boost::json::array{{{"schema", jsonText(kind.extension->urn)}, {"required", false}}};
    out["meta"] = metaOf("ResourceType", base, "/ResourceTypes/" + std::string(kind.name));
    return out;
}

boost::json::object providerDocument(std::string_view base)
{
    const boost::json::object supported{{"supported", true}};
    const boost::json::object unsupported{{"supported", false}};
    boost::json::object out;
    out["schemas"] = boost::json::array{"urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"};
    out["patch"] = supported;
    out["bulk"] = {{"supported", true}, {"maxOperations", maxOperations}, {"maxPayloadSize", maxBytes}};
    out["filter"] = {{"supported", true}, {"maxResults", maxResults}};
    out["changePassword"] = unsupported;
    out["sort"] = unsupported;
    out["etag"] = supported;
    out["authenticationSchemes"] =
        boost::json::array{{{"type", "oauthbearertoken"},
                            {"name", "OAuth 2 client credentials"},
                            {"description", "An access token of a client of the organization with the scope scim"},
                            {"specUri", "https://www.rfc-editor.org/rfc/rfc6749#section-4.4"},
                            {"primary", true}},
                           {{"type", "oauthbearertoken"},
                            {"name", "Secret of a client"},
                            {"description", "The secret of such a client as the bearer token, for directories that cannot ask for tokens"},
                            {"specUri", "https://www.rfc-editor.org/rfc/rfc6750#section-2.1"},
                            {"primary", false}}};
    out["meta"] = metaOf("ServiceProviderConfig", base, "/ServiceProviderConfig");
    return out;
}

} // namespace portico::identity::scim
