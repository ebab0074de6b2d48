#pragma once

#include "portico/Cookie.h"
#include "portico/HostInfo.h"
#include "portico/Request.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::launchpad
{

/// Page to which a payment leads back.
inline constexpr std::string_view checkoutReturnPath = "/checkout/return";

/// A checkout that this browser has opened.
struct OwnCheckout
{
    std::string id;
    /// Empty for a checkout with an owner.
    std::string claimToken;
};

/// The checkouts that a browser has opened, the newest first, with the tokens that claim them. The cookie is out of reach of scripts, and
/// browsers send it when the payment processor leads back. A value.
class CheckoutCookie
{
public:
    CheckoutCookie(const HostInfo& host, const Request& request);

    const std::vector<OwnCheckout>& all() const noexcept { return _all; }
    /// Adds the newest one, and forgets all but the last four. @return the cookie to set
    SetCookie add(OwnCheckout checkout);
    /// Forgets one. @return the cookie to set
    SetCookie remove(std::string_view id);

private:
    SetCookie made() const;

    std::string _name;
    bool _secure;
    std::vector<OwnCheckout> _all;
};

} // namespace portico::launchpad
