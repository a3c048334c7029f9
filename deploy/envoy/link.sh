#!/usr/bin/env bash
# Links the module for Envoy: link.sh FOLDER, with the release build of the product `versiongate_envoy` in the folder.
#
# The library needs nothing but the C library when it is loaded, and exports only the hooks that Envoy calls. Only those
# object files are linked that the hooks need: the rest of the targets, which fetches and signs, is left out.
set -euo pipefail
here=$(dirname "$0")
folder=$1
library=$folder/libversiongate_envoy.so
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The hooks are linked as objects, because the symbols of archives are hidden.
archive=$(realpath "$folder/libversiongate_envoy.a")
(cd "$work" && ar x "$archive" hooks.c.o Hooks.swift.o)

# The linker prefers shared libraries, so it gets a folder in which there are only static ones. The libraries that only
# the left out objects need are empty there.
mkdir "$work/static"
for name in libyaml libstdc++; do
    ln -s "$(gcc -print-file-name=$name.a)" "$work/static/"
done
for name in libcrypto libcurl; do
    ar rc "$work/static/$name.a"
done

"${SWIFTC:-swiftc}" -emit-library -static-stdlib -use-ld=gold -o "$library.new" \
    -L "$work/static" "$work/hooks.c.o" "$work/Hooks.swift.o" "$archive" -Xclang-linker -static-libgcc \
    -lswift_Concurrency -lswift_StringProcessing -lswift_RegexParser -lswiftSynchronization -lswiftGlibc \
    -Xlinker --gc-sections -Xlinker --version-script="$here/exports.map" -Xlinker --strip-all \
    `# Threads of the module and of the Swift runtime may outlive the configuration.` \
    -Xlinker -z -Xlinker nodelete

needed=$(readelf -d "$library.new" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
if others=$(grep -vE '^(libc|libm|libpthread|libdl|ld-linux-[a-z0-9-]+)\.so\.[0-9]+$' <<<"$needed"); then
    echo "link.sh: the module needs other libraries: $others" >&2
    exit 1
fi
# Undefined symbols are those of Envoy or have a version of the C library.
if others=$(nm -D --undefined-only "$library.new" | awk '{ print $2 }' | grep -v '@GLIBC' |
    grep -vE '^(envoy_dynamic_module_callback_|_ITM_|__gmon_start__)'); then
    echo "link.sh: the module has undefined symbols: $others" >&2
    exit 1
fi
mv "$library.new" "$library"
ls -l "$library"
