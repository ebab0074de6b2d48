#pragma once

#include <string_view>

namespace portico::identity
{

/// Pages of identity that the links of mails lead to.
namespace account_pages
{
inline constexpr std::string_view verifyEmail = "/verify-email?token=";
inline constexpr std::string_view resetPassword = "/reset-password?token=";
inline constexpr std::string_view forgotPassword = "/forgot-password";
} // namespace account_pages

} // namespace portico::identity
