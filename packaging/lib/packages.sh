# shellcheck shell=bash
# Installing of Debian packages for packaging/quickstart and tests/run. Sourced, not run.

# The first of a|b|c that is installed or can be.
portico_choose_package() {
    local alternative
    for alternative in ${1//|/ }; do
        if portico_has_package "$alternative" || [ -n "$(apt-cache search --names-only "^${alternative//+/\\+}\$" 2>/dev/null)" ]; then
            printf '%s\n' "$alternative"
            return
        fi
    done
    printf '%s\n' "${1%%|*}"
}

portico_has_package() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Installs what the given lists name and this machine lacks; says what and why before.
portico_install_packages() {
    local line alternatives reason alternative present missing=() reasons=() sudo=()
    while read -r line; do
        case $line in '' | '#'*) continue ;; esac
        alternatives=${line%%[[:space:]]*}
        reason=${line#"$alternatives"}
        reason=${reason#"${reason%%[![:space:]]*}"}
        present=no
        for alternative in ${alternatives//|/ }; do
            if portico_has_package "$alternative"; then present=yes; fi
        done
        if [ $present = no ]; then
            missing+=("$alternatives")
            reasons+=("$reason")
        fi
    done < <(cat "$@")
    if [ ${#missing[@]} -eq 0 ]; then return 0; fi

    if ! command -v apt-get >/dev/null; then
        echo "This machine has no apt-get. Install by hand what corresponds to: ${missing[*]}" >&2
        return 1
    fi
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            echo "Packages are missing and this is neither root nor is there sudo. As root: apt-get install ${missing[*]}" >&2
            return 1
        fi
        sudo=(sudo)
    fi
    echo "These packages are missing and will be installed${sudo:+ with sudo}:"
    local i
    for i in "${!missing[@]}"; do printf '  %-28s %s\n' "${missing[$i]%%|*}" "${reasons[$i]}"; done
    if ! "${sudo[@]}" apt-get update -qq; then
        echo "The package lists could not be updated; trying with those that are here." >&2
    fi
    local chosen=()
    for alternatives in "${missing[@]}"; do chosen+=("$(portico_choose_package "$alternatives")"); done
    if ! "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${chosen[@]}" >/dev/null; then
        echo "apt-get could not install them; the lines above say why. Correct that and run this again." >&2
        return 1
    fi
}

# Puts a Node that the pages can be built with in front of PATH. Where there can be none it says why and what to do.
portico_use_node() {
    local folder
    command -v npm >/dev/null || portico_install_packages <(echo 'npm brings what the pages are built with') || true
    folder=$("$(dirname "${BASH_SOURCE[0]}")/../../sdk/web/node") || return 1
    PATH=$folder:$PATH
}
