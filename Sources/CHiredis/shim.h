// hiredis, unchanged.
#include <hiredis/hiredis.h>
