#pragma once

#include "search/ContactText.h"

#include "portico/Jobs.h"
#include "portico/Plugin.h"

#include <string_view>

namespace portico::crm
{

// Job that adds the words of contacts from before the table of words, and refolds those that an older version folded differently. It runs
// while the service is in use.

constexpr std::string_view missingWordsJob = "crm.contacts.add_words";

/// Enqueues the job if some contacts lack words or were folded differently.
void requestMissingWords(PluginContext& context);

/// Runs the job in short transactions, so that other writers can run between them.
/// @throws std::runtime_error if it was asked to stop or another transaction had locked some contacts. The next run continues.
void addMissingWords(PluginContext& context, const Job& job);

} // namespace portico::crm
