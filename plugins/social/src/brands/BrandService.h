#pragma once

#include "audit/AuditTrail.h"
#include "brands/Brand.h"

#include "portico/Arguments.h"
#include "portico/Plugin.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace portico::social
{

/// Queries that rooms above the brands answer from their tables. They run in the transaction of a change.
struct BrandQuestions
{
    /// Returns true if an image of the brand is ready to be shown. Empty: there is none.
    std::function<bool(Session&, Tenant, const BrandId&, const MediaId&)> hasImage = {};
    /// Returns true if an item of the brand is publishing, retrying or verifying. Empty: there is none.
    std::function<bool(Session&, Tenant, const BrandId&)> isPublishing = {};
};

/// Makes and changes brands. Thread-safe.
class BrandService
{
public:
    BrandService(PluginContext& context, BrandQuestions questions) : _context(context), _questions(std::move(questions)) {}

    /// Creates a brand. An empty slug is derived from the name.
    /// @throws Problem 409 `conflict` for a slug that is taken, and for the 201st brand
    Brand create(const Doer& doer, Tenant tenant, Brand brand) const;
    /// @throws Problem 404; 412; 400 `validation_failed`; 409 `conflict` for a slug that is taken
    Brand change(const Doer& doer, Tenant tenant, const BrandId& id, const IfMatch& ifMatch, const Patch<Brand>& patch) const;
    /// Moves a brand with all its rows to another organization in one transaction. The caller must have checked the permission.
    /// @param kept receives the number of moved rows, by their names in `brandTables`
    /// @throws Problem 404; 400 `validation_failed` while an item of the brand is being published; 409 `conflict` for the 201st brand there
    Brand transfer(const Doer& doer, Tenant from, const OrganizationId& to, const BrandId& id,
                   std::map<std::string, std::int64_t>& kept) const;

private:
    PluginContext& _context;
    const BrandQuestions _questions;
};

} // namespace portico::social
