# Packages, deb and rpm, one for each component: packaging/build-packages configures the preset `package`, builds it and calls cpack.
#   portico                    daemon, porticoctl, configuration, units, manual pages, completion
#   libportico1                what daemon and plugins share
#   portico-plugin-<service>   a service
#   portico-sdk-dev            what plugins are built with
#   libportico-mobile1         library of mobile shells; libportico-mobile-dev: what they are built with; portico-mobile: its tool
# apt refuses a plugin of another SDK epoch: `portico` provides portico-plugin-abi-<epoch> in the version of the SDK's minor.

include(PorticoSdkVersion)
portico_read_sdk_version(${CMAKE_SOURCE_DIR}/sdk/include/portico/detail/Fingerprint.h)
set(abi portico-plugin-abi-${PORTICO_SDK_EPOCH})

set(services)
foreach(service identity admin crm social launchpad calendar)
  if(TARGET portico_plugin_${service})
    list(APPEND services ${service})
  endif()
endforeach()

# What each package is for, the first line of its description; the rest of the description.
set(summary_daemon "application server that hosts services as plugins")
set(text_daemon "One daemon serves identity, contacts and other services over HTTP. Each
service is a plugin with its own routes, permissions and tables; it is
enabled, disabled and reloaded while the others serve. SQLite needs no setup;
PostgreSQL is used where it is configured.")
set(summary_libportico "shared library of Portico and its plugins")
set(text_libportico "What the daemon of the Portico application server and its plugins have in
common: requests and responses, typed handlers, problem documents, JSON.")
set(summary_sdk "development files for plugins of Portico")
set(text_sdk "Headers, the CMake package with portico_add_plugin(), the schema of plugin
manifests, the template that porticoctl new-plugin writes, and
Portico::testing, with which a plugin is tested without a daemon.")
set(summary_plugin-identity "Portico plugin: users, organizations and sign-in")
set(text_plugin-identity "Who may do what: users, organizations, roles and permissions, sign-in,
access tokens and API keys. The protected routes of all other services need
it.")
set(summary_plugin-admin "Portico plugin: administration")
set(text_plugin-admin "The operator's console: services, jobs and operations of a host, seen and
changed from a browser.")
set(summary_plugin-crm "Portico plugin: contacts and pipelines")
set(text_plugin-crm "Contacts with notes, attachments, tags and custom fields, pipelines with
boards, import from and export to CSV, vCard and JSON, duplicates and merging.")
set(summary_plugin-calendar "Portico plugin: bookings")
set(text_plugin-calendar "Pages on which guests book a time that is free, in their own time zone, and
slot-vectors, which tests the rules of free times on this machine's zones.")

set(summary_plugin-social "Portico plugin: social publishing")
set(text_plugin-social "Posts that a team writes, approves and publishes on time to its accounts at
social networks, with an audit trail for each brand.")

set(summary_plugin-launchpad "Portico plugin: the dashboard")
set(text_plugin-launchpad "The first page of the day: the apps of an organization and of a person,
their figures, and everything that needs a decision, in one list.")

set(summary_libportico-mobile "library of mobile shells of Portico")
set(text_libportico-mobile "Sign-in, catalog and launch behind one C header, for native shells and apps
of a Portico installation.")
set(summary_mobile-dev "development files for mobile shells of Portico")
set(text_mobile-dev "The header portico_mobile.h, its module map and the CMake package
PorticoMobile.")
set(summary_mobile "command line shell of Portico")
set(text_mobile "Signs in as a mobile shell does, reads the catalog, also without a network,
and opens apps: the sample and the test client of the mobile library.")

set(package_daemon portico)
set(package_libportico libportico1)
set(package_sdk portico-sdk-dev)
set(package_libportico-mobile libportico-mobile1)
set(package_mobile-dev libportico-mobile-dev)
set(package_mobile portico-mobile)
set(components daemon libportico sdk libportico-mobile mobile-dev)
if(TARGET portico-mobile)
  list(APPEND components mobile)
endif()
set(recommended)
foreach(service IN LISTS services)
  list(APPEND components plugin-${service})
  set(package_plugin-${service} portico-plugin-${service})
  list(APPEND recommended portico-plugin-${service})
endforeach()
list(JOIN recommended ", " recommended)

set(CPACK_COMPONENTS_ALL ${components})
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME portico)
set(CPACK_PACKAGE_VENDOR "Portico")
set(CPACK_PACKAGE_CONTACT "Portico maintainers <maintainers@portico.dev>")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_SET_DESTDIR ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_SOURCE_DIR}/ClampTimes.cmake)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION httpd)
set(CPACK_DEBIAN_LIBPORTICO_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_SDK_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBPORTICO-MOBILE_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_MOBILE-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_MOBILE_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_RELEASE 1)
set(CPACK_RPM_PACKAGE_LICENSE "Apache-2.0")
set(CPACK_RPM_PACKAGE_GROUP "System Environment/Daemons")
foreach(section "" /man1 /man5 /man8)
  list(APPEND CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION /usr/share/man${section})
endforeach()
list(APPEND CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION /usr/share/bash-completion /usr/share/bash-completion/completions /usr/lib/systemd
  /usr/lib/systemd/system /usr/lib/sysusers.d /usr/lib/tmpfiles.d /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} /usr/${CMAKE_INSTALL_LIBDIR}/cmake)
# Nothing of the machine or the hour that built it is in a package.
string(CONCAT CPACK_RPM_SPEC_MORE_DEFINE "%define _build_id_links none\n%define _binary_payload w9.xzdio\n"
  "%define use_source_date_epoch_as_buildtime 1\n%define clamp_mtime_to_source_date_epoch 1\n%define _buildhost portico\n"
  "Packager: ${CPACK_PACKAGE_CONTACT}")

set(debian_version "${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}")
# The same from build to build: the time comes with the environment, as reproducible-builds.org has it.
string(TIMESTAMP PORTICO_RELEASE_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(debian/changelog.in debian/changelog @ONLY)
add_custom_command(OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/changelog.Debian.gz DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/debian/changelog
  COMMAND gzip -9nc debian/changelog > changelog.Debian.gz VERBATIM)
add_custom_target(portico_package_documents ALL DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/changelog.Debian.gz)
add_dependencies(portico_runtime portico_package_documents)
add_dependencies(sdk portico_package_documents)
foreach(component IN LISTS components)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package_${component}})
  set(CPACK_RPM_${component}_PACKAGE_NAME ${package_${component}})
  set(CPACK_RPM_${component}_PACKAGE_SUMMARY "${summary_${component}}")
  set(CPACK_RPM_${component}_PACKAGE_DESCRIPTION "${text_${component}}")
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary_${component}}\n${text_${component}}")
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/changelog.Debian.gz ${CMAKE_CURRENT_SOURCE_DIR}/debian/copyright
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package_${component}} COMPONENT ${component})
endforeach()

set(CPACK_DEBIAN_DAEMON_PACKAGE_DEPENDS "libportico1 (= ${debian_version}), adduser")
set(CPACK_DEBIAN_DAEMON_PACKAGE_RECOMMENDS "${recommended}")
set(CPACK_DEBIAN_DAEMON_PACKAGE_SUGGESTS "postgresql, redis-server, nginx | haproxy")
set(CPACK_DEBIAN_DAEMON_PACKAGE_PROVIDES "${abi} (= ${PORTICO_SDK_MINOR})")
configure_file(debian/portico/triggers.in debian/portico/triggers @ONLY)
foreach(package libportico1 portico-sdk-dev libportico-mobile1)
  configure_file(debian/${package}/shlibs.in debian/${package}/shlibs @ONLY)
endforeach()
set(CPACK_DEBIAN_DAEMON_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_BINARY_DIR}/debian/portico/triggers)
foreach(file conffiles postinst prerm postrm)
  list(APPEND CPACK_DEBIAN_DAEMON_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_SOURCE_DIR}/debian/portico/${file})
endforeach()
set(CPACK_DEBIAN_LIBPORTICO_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_SOURCE_DIR}/debian/library/triggers
  ${CMAKE_CURRENT_BINARY_DIR}/debian/libportico1/shlibs)
set(CPACK_DEBIAN_SDK_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_SOURCE_DIR}/debian/library/triggers
  ${CMAKE_CURRENT_BINARY_DIR}/debian/portico-sdk-dev/shlibs)
set(CPACK_DEBIAN_SDK_PACKAGE_DEPENDS "libportico1 (= ${debian_version}), g++ (>= 4:12), cmake (>= 3.25)")
# porticoctl writes plugins; the daemon's package has what tests on PostgreSQL need.
set(CPACK_DEBIAN_SDK_PACKAGE_RECOMMENDS "portico (= ${debian_version}), libcppunit-dev, make | ninja-build, dpkg-dev, file")

set(CPACK_DEBIAN_LIBPORTICO-MOBILE_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_SOURCE_DIR}/debian/library/triggers
  ${CMAKE_CURRENT_BINARY_DIR}/debian/libportico-mobile1/shlibs)
set(CPACK_RPM_libportico-mobile_POST_INSTALL_SCRIPT_FILE ${CMAKE_CURRENT_SOURCE_DIR}/rpm/ldconfig)
set(CPACK_RPM_libportico-mobile_POST_UNINSTALL_SCRIPT_FILE ${CMAKE_CURRENT_SOURCE_DIR}/rpm/ldconfig)
foreach(component MOBILE-DEV MOBILE)
  string(TOLOWER ${component} lower)
  set(CPACK_DEBIAN_${component}_PACKAGE_DEPENDS "libportico-mobile1 (= ${debian_version})")
  set(CPACK_RPM_${lower}_PACKAGE_REQUIRES "libportico-mobile1 = ${PROJECT_VERSION}-1")
endforeach()

set(CPACK_RPM_daemon_PACKAGE_REQUIRES "libportico1 = ${PROJECT_VERSION}-1, shadow-utils")
set(CPACK_RPM_daemon_PACKAGE_RECOMMENDS "${recommended}")
set(CPACK_RPM_daemon_PACKAGE_PROVIDES "${abi} = ${PORTICO_SDK_MINOR}")
set(CPACK_RPM_daemon_USER_FILELIST "%config(noreplace) /etc/portico/portico.properties")
set(CPACK_RPM_daemon_PRE_INSTALL_SCRIPT_FILE ${CMAKE_CURRENT_SOURCE_DIR}/rpm/pre)
set(CPACK_RPM_daemon_POST_INSTALL_SCRIPT_FILE ${CMAKE_CURRENT_SOURCE_DIR}/rpm/post)
set(CPACK_RPM_daemon_PRE_UNINSTALL_SCRIPT_FILE ${CMAKE_CURRENT_SOURCE_DIR}/rpm/preun)
# CPack has no variable for file triggers: they are sections behind the last script. Each runs once at the end of a transaction; an
# upgrade runs both.
file(READ rpm/postun postun)
file(READ rpm/reload reload)
foreach(trigger transfiletriggerin transfiletriggerpostun)
  string(APPEND postun "\n%${trigger} -- /usr/${CMAKE_INSTALL_LIBDIR}/portico/plugins\n${reload}")
endforeach()
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/rpm/postun "${postun}")
set(CPACK_RPM_daemon_POST_UNINSTALL_SCRIPT_FILE ${CMAKE_CURRENT_BINARY_DIR}/rpm/postun)
set(CPACK_RPM_libportico_POST_INSTALL_SCRIPT_FILE ${CMAKE_CURRENT_SOURCE_DIR}/rpm/ldconfig)
set(CPACK_RPM_libportico_POST_UNINSTALL_SCRIPT_FILE ${CMAKE_CURRENT_SOURCE_DIR}/rpm/ldconfig)
set(CPACK_RPM_sdk_PACKAGE_REQUIRES "libportico1 = ${PROJECT_VERSION}-1, gcc-c++ >= 12, cmake >= 3.25")

# What a service needs beside libraries, which are found by themselves: calendar and social, time zones.
set(needed_calendar ", tzdata")
set(needed_social ", tzdata")
foreach(service IN LISTS services)
  string(TOUPPER plugin-${service} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${abi} (>= ${PORTICO_SDK_MINOR}), libportico1 (>= ${PROJECT_VERSION})${needed_${service}}")
  set(CPACK_RPM_plugin-${service}_PACKAGE_REQUIRES "${abi} >= ${PORTICO_SDK_MINOR}, libportico1 >= ${PROJECT_VERSION}${needed_${service}}")
endforeach()

set(CPACK_DEBIAN_PLUGIN-SOCIAL_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_SOURCE_DIR}/debian/portico-plugin-social/postinst
  ${CMAKE_CURRENT_SOURCE_DIR}/debian/portico-plugin-social/prerm)
set(CPACK_RPM_plugin-social_POST_INSTALL_SCRIPT_FILE ${CMAKE_CURRENT_SOURCE_DIR}/rpm/social-post)
set(CPACK_RPM_plugin-social_PRE_UNINSTALL_SCRIPT_FILE ${CMAKE_CURRENT_SOURCE_DIR}/rpm/social-preun)

include(CPack)
