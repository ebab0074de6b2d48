#pragma once

#include "actions/ActionRoutes.h"
#include "actions/DecisionCallbacks.h"
#include "billing/WebhookRoutes.h"
#include "catalog/StoreRoutes.h"
#include "causes/Causes.h"
#include "causes/PersonCauses.h"
#include "causes/ReviewCauses.h"
#include "checkout/CheckoutRoutes.h"
#include "installs/AssignmentRoutes.h"
#include "installs/CatalogRoutes.h"
#include "launches/LaunchRoutes.h"
#include "marketing/AdminPage.h"
#include "marketing/CheckoutPages.h"
#include "marketing/ClaimPages.h"
#include "marketing/LeadRoutes.h"
#include "marketing/MarketingPages.h"
#include "mobile/MobileLinks.h"
#include "notifications/NotificationRoutes.h"
#include "onboarding/OnboardingRoutes.h"
#include "pages/PageGuard.h"
#include "preferences/OrgSettingsRoutes.h"
#include "preferences/PreferenceRoutes.h"
#include "privacy/PersonRecords.h"
#include "seats/BillingRoutes.h"
#include "widgets/RegistryShelf.h"
#include "widgets/WidgetRoutes.h"
#include "workspace/WorkspaceRoutes.h"

#include "portico/Plugin.h"

#include <vector>

namespace portico::launchpad
{

/// The dashboard: makes its parts and declares their routes.
class LaunchpadPlugin final : public Plugin
{
public:
    explicit LaunchpadPlugin(PluginContext& context);

    void start() override;
    void declare(Routes& routes) override;
    std::vector<HealthCheck> health() override;

private:
    EventStream follow(const Caller& caller) const;
    CatalogQuestions questions();

    PluginContext& _context;
    Registry _registry;
    PriceList _prices;
    const BillingSettings _billing;
    Launches _launches;
    StoreRoutes _storeRoutes;
    Notifications _notifications;
    NotificationRoutes _notificationRoutes;
    ActionQueue _actions;
    DecisionCallbacks _decisionCallbacks;
    ActionRoutes _actionRoutes;
    RequiredApps _requiredApps;
    InstallService _installs;
    CatalogRoutes _catalogRoutes;
    AssignmentRoutes _assignmentRoutes;
    LaunchRoutes _launchRoutes;
    RegistryShelf _shelf;
    WidgetBatch _widgets;
    WidgetNews _widgetNews;
    WidgetRoutes _widgetRoutes;
    OnboardingRoutes _onboardingRoutes;
    PreferenceRoutes _preferenceRoutes;
    OrgSettingsRoutes _orgSettingsRoutes;
    WorkspaceRoutes _workspaceRoutes;
    PageGuard _pageGuard;
    HumanChecks _humans;
    DemoCalendar _demoCalendar;
    Leads _leads;
    LeadRoutes _leadRoutes;
    AdminSessions _adminSessions;
    AdminRoutes _adminRoutes;
    PageShelf _pages;
    MarketingPages _marketingPages;
    MobileLinks _mobileLinks;
    Causes _causes;
    PersonCauses _personCauses;
    ReviewCauses _reviewCauses;
    PersonRecords _personRecords;
    ProcessorApi _processor;
    PlanEffects _planEffects;
    SubscriptionSync _subscriptionSync;
    WebhookRoutes _webhookRoutes;
    SeatKeeper _seatKeeper;
    PlanChange _planChange;
    BillingRoutes _billingRoutes;
    CheckoutService _checkouts;
    CheckoutRoutes _checkoutRoutes;
    CheckoutPages _checkoutPages;
    ClaimPages _claimPages;
    AdminPage _adminPage;
};

} // namespace portico::launchpad
