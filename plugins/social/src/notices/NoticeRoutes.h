#pragma once

#include "notices/NoticeMails.h"

#include "portico/Routes.h"

namespace portico::social
{

/// /api/mail-settings: which mails the caller gets. Thread-safe.
class NoticeRoutes
{
public:
    explicit NoticeRoutes(PluginContext& context) : _context(context), _mails(context) {}

    void start() { _mails.start(); }
    void declare(Routes& routes);

    NoticeChoice show(const Caller& caller) const;
    NoticeChoice change(const Caller& caller, const Body<Patch<NoticeChoice>>& patch) const;

private:
    PluginContext& _context;
    NoticeMails _mails;
};

} // namespace portico::social
