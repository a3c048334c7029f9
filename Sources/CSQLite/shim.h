// SQLite as it is, but for a macro that Swift cannot read. Nothing else.
#include <sqlite3.h>

// Has SQLite copy what it is handed.
static inline sqlite3_destructor_type versiongate_sqlite_transient(void) {
    return SQLITE_TRANSIENT;
}
