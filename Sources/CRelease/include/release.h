// The commit and the build ID of this executable.
#ifndef VERSIONGATE_CRELEASE_H
#define VERSIONGATE_CRELEASE_H

#include <stddef.h>

// The commit that was passed to the build in VERSIONGATE_COMMIT; "unknown" if none was.
const char *gate_commit(void);

// The build ID that the linker wrote to the running executable (--build-id), used to find its debug
// symbols; null and 0 if there is none.
const unsigned char *gate_build_id(size_t *count);

#endif
