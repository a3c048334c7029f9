// hiredis as it is. Nothing else.
#include <hiredis/hiredis.h>
