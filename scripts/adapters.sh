# shellcheck shell=bash
# Sourced by scripts/test and .ci/run: brings the software adapters that tests run on and makes exactly
# those visible, so that a test run means the same on a laptop with a GPU and on a server without one.
#
# What was found by trying (Debian 12, wgpu 30, no GPU, no display):
# - The Vulkan loader takes one list of driver manifests. VK_DRIVER_FILES is its name since loader 1.3.207,
#   VK_ICD_FILENAMES before; set alike, they work with any loader. With lavapipe's and SwiftShader's manifest
#   in it, wgpu enumerates both as Vulkan adapters and no hardware.
# - The GL adapter needs nothing set: wgpu opens EGL without a surface, and without a GPU Mesa answers with
#   llvmpipe. LIBGL_ALWAYS_SOFTWARE=1 makes it answer so where there is a GPU.
# - Mesa complains on standard error when XDG_RUNTIME_DIR is unset; an empty private folder silences it.
# - To see no adapter at all, take away both: VK_DRIVER_FILES, VK_ICD_FILENAMES and
#   __EGL_VENDOR_LIBRARY_FILENAMES set to a file that does not exist.

say() { printf '%s\n' "$*" >&2; }

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

missing_of() {
    local package
    for package in "$@"; do
        dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || echo "$package"
    done
}

apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2
}

apt_update_once() {
    [ -n "${apt_updated:-}" ] && return
    as_root apt-get update -qq >&2 || say "apt-get update failed; going on with the package list at hand"
    apt_updated=yes
}

# Packages that every test run needs; then chromium, for SwiftShader alone, which may be absent: Ubuntu has
# it as a snap, which carries no driver manifest.
install_adapters() {
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        say "no apt here: running with the adapters that this machine has"
        return
    fi
    if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
        say "neither root nor sudo: installing nothing, running with the adapters that this machine has"
        return
    fi
    local needed
    # shellcheck disable=SC2046 # one word a package
    needed=$(missing_of mesa-vulkan-drivers libvulkan1 libegl1 libegl-mesa0 libgles2 libgl1-mesa-dri \
        spirv-tools $(command -v cc >/dev/null || echo gcc libc6-dev))
    if [ -n "$needed" ]; then
        apt_update_once
        # shellcheck disable=SC2086 # one word a package
        apt_install $needed
    fi
    if [ -z "$(swiftshader_manifest)" ]; then
        apt_update_once
        apt_install chromium || true
        [ -n "$(swiftshader_manifest)" ] ||
            say "no SwiftShader: the package chromium does not bring it here; one Vulkan adapter less"
    fi
}

first_file() {
    local file
    for file in "$@"; do
        if [ -f "$file" ]; then
            echo "$file"
            return
        fi
    done
}

lavapipe_manifest() { first_file /usr/share/vulkan/icd.d/lvp_icd*.json; }
swiftshader_manifest() { first_file /usr/lib/chromium/vk_swiftshader_icd.json; }

# Exports what makes the software adapters, and no others, visible. Where none is installed (macOS,
# Windows, no apt) nothing is set and tests see the machine's own adapters.
export_adapters() {
    local manifests
    manifests=$(printf '%s\n' "$(lavapipe_manifest)" "$(swiftshader_manifest)" | grep . | paste -sd:) || true
    if [ -n "$manifests" ]; then
        export VK_DRIVER_FILES="$manifests" VK_ICD_FILENAMES="$manifests" LIBGL_ALWAYS_SOFTWARE=1
    fi
    if [ "$(uname -s)" = Linux ] && [ -z "${XDG_RUNTIME_DIR:-}" ]; then
        XDG_RUNTIME_DIR=$(mktemp -d)
        export XDG_RUNTIME_DIR
        trap 'rm -rf "$XDG_RUNTIME_DIR"' EXIT
    fi
}
