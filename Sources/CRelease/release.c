#define _GNU_SOURCE
#include "release.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#ifndef VERSIONGATE_COMMIT
#define VERSIONGATE_COMMIT "unknown"
#endif

const char *gate_commit(void) { return VERSIONGATE_COMMIT; }

struct found {
    const unsigned char *bytes;
    size_t count;
};

// Notes are padded to four bytes: elf(5).
static size_t padded(size_t count) { return (count + 3) & ~(size_t)3; }

static void look(const unsigned char *note, size_t size, struct found *found) {
    while (size >= sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *head = (const ElfW(Nhdr) *)note;
        size_t name = padded(head->n_namesz), whole = sizeof(*head) + name + padded(head->n_descsz);
        if (whole > size) return;
        const unsigned char *owner = note + sizeof(*head);
        if (head->n_type == NT_GNU_BUILD_ID && head->n_namesz == 4 && !memcmp(owner, "GNU", 4)) {
            found->bytes = owner + name;
            found->count = head->n_descsz;
            return;
        }
        note += whole;
        size -= whole;
    }
}

static int visit(struct dl_phdr_info *info, size_t size, void *found) {
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_NOTE) continue;
        look((const unsigned char *)(info->dlpi_addr + segment->p_vaddr), segment->p_memsz, found);
    }
    // The first object is the executable: dl_iterate_phdr(3).
    return 1;
}

const unsigned char *gate_build_id(size_t *count) {
    struct found found = {0, 0};
    dl_iterate_phdr(visit, &found);
    *count = found.count;
    return found.bytes;
}
